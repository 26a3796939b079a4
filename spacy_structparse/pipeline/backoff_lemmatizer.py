"""`backoff_lemmatizer`: spaCy's `trainable_lemmatizer` for the words that have no lemma yet."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

import numpy as np
from spacy.language import Language
from spacy.pipeline import EditTreeLemmatizer
from spacy.pipeline.edit_tree_lemmatizer import DEFAULT_EDIT_TREE_LEMMATIZER_MODEL
from spacy.tokens import Doc
from thinc.api import Model

from ..models.edit_trees import loading_edit_trees
from ..models.parser_model import check_heard
from ..removed_settings import removed_settings

NO_TREE = -1


@Language.factory(
    "backoff_lemmatizer",
    assigns=["token.lemma"],
    default_config={
        "model": {
            "@architectures": "spacy-structparse.Tagger.v1",
            "tok2vec": DEFAULT_EDIT_TREE_LEMMATIZER_MODEL["tok2vec"],
        },
        "min_tree_freq": 3,
        "top_k": 3,
        "scorer": {"@scorers": "spacy.lemmatizer_scorer.v1"},
    },
    default_score_weights={"lemma_acc": 1.0},
)
@removed_settings("Where no edit tree fits, the word is its lemma.", backoff="orth")
def make_backoff_lemmatizer(
    nlp: Language,
    name: str,
    model: Model,
    min_tree_freq: int,
    top_k: int,
    scorer: Callable[..., dict[str, Any]] | None,
) -> "BackoffLemmatizer":
    """The lemmas of words that have none yet: spaCy's ``trainable_lemmatizer``, which computes
    nothing for the others. Where no edit tree fits, the word is its lemma. After a
    ``lemma_table``, most words have one.

    Args:
        model: A tagger's model over edit trees, such as ``spacy-structparse.Tagger.v1``.
        min_tree_freq: Minimum frequency in training of an edit tree.
        top_k: Number of edit trees, the most probable first, of which the first that fits is taken.
        scorer: The scorer of ``nlp.evaluate``.
    """
    return BackoffLemmatizer(
        nlp.vocab,
        model,
        name,
        min_tree_freq=min_tree_freq,
        overwrite=False,
        top_k=top_k,
        scorer=scorer,
    )


class BackoffLemmatizer(EditTreeLemmatizer):
    """spaCy's lemmatizer by edit trees, for the tokens without a lemma alone.

    It learns from all tokens, as spaCy's does, and either reads what the other has saved.
    """

    def predict(self, docs: Iterable[Doc]) -> Any:
        """Find the edit tree of every token without a lemma.

        Returns:
            For each Doc (len(doc),) numbers of trees, -1 where none fits or the token has a lemma.
        """
        docs = list(docs)
        trees = [np.full(len(doc), NO_TREE) for doc in docs]
        unknown = [np.flatnonzero(doc.to_array("LEMMA") == 0) for doc in docs]
        if not any(map(len, unknown)):
            return trees
        tok2vec, scores_of = self.model.layers
        check_heard(tok2vec, docs)
        xp = self.model.ops.xp
        rows = [
            vectors[xp.asarray(tokens)]
            for vectors, tokens in zip(tok2vec.predict(docs), unknown, strict=True)
        ]
        for doc, trees_of_doc, tokens, scores in zip(
            docs, trees, unknown, scores_of.predict(rows), strict=True
        ):
            scores = self.numpy_ops.asarray(scores)
            trees_of_doc[tokens] = [
                self._best_tree(doc[i].text, of_token)
                for i, of_token in zip(tokens.tolist(), scores, strict=True)
            ]
        return trees

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        with loading_edit_trees(self):
            super().from_bytes(bytes_data, exclude=tuple(exclude))
        return self

    def from_disk(self, path: str | Path, exclude: Iterable[str] = ()) -> Self:
        with loading_edit_trees(self):
            super().from_disk(path, exclude=tuple(exclude))
        return self

    def _best_tree(self, text: str, scores: np.ndarray) -> int:
        """The number of the first of the best edit trees that fits a text; -1 where none does.
        scores: (number of labels,), changed in place."""
        labels = self.cfg["labels"]  # not self.labels, which copies them
        for _ in range(min(self.top_k, len(labels))):
            best = int(scores.argmax())
            if self.trees.apply(labels[best], text) is not None:
                return labels[best]
            scores[best] = -np.inf
        return NO_TREE
