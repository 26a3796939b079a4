"""Whether learned embeddings of words know their tags (Ma et al. 2017, Table 5).

    python -m benchmarks.nearest_tags corpus/craft --name craft --pipeline datt-bound=DIR

A word has the tag that it has most often in the training part; VBD and VBZ are one. What is counted
is how many of the ten nearest words have the tag of a word, and how many of all other words.
"""

from collections import Counter, defaultdict
from typing import Annotated

import numpy as np
import spacy
import typer
from spacy.tokens import DocBin

from spacy_structparse.models.nearest_words import LearnedWords, learned_words

from .evaluation import CONSTITUENCY_PARSER
from .options import Corpus, Name, Pipelines, named_values
from .record import Figures, write_result

NEAREST = 10
KIND = 2  # letters of a tag that say what kind of word it is
VERB = "VB"


def shares(learned: LearnedWords, tags: np.ndarray, chosen: np.ndarray) -> Figures:
    """The shares of nearest and of other words with the tag of a word, over the chosen words."""
    same, other = [], []
    tag_of = dict(zip(learned.words, tags, strict=True))
    counts = Counter(tags)
    for row in np.flatnonzero(chosen).tolist():
        tag = tags[row]
        found = learned.nearest(row, NEAREST, "cosine")
        same.append(np.mean([tag_of[word] == tag for word, _ in found]))
        other.append((counts[tag] - 1) / (len(tags) - 1))
    percent = {"nearest": same, "at_random": other}
    return {
        "words": len(same),
        **{k: round(100 * float(np.mean(v)), 2) for k, v in percent.items()},
    }


def main(
    corpus: Corpus,
    name: Name,
    pipelines: Pipelines,
    least: Annotated[int, typer.Option(help="Occurrences of the words that are looked at")] = 5,
) -> None:
    """Compare the tags of words with those of their nearest words."""
    figures: Figures = {"least": least}
    for label, path in named_values("--pipeline", pipelines).items():
        nlp = spacy.load(path)
        learned = learned_words(nlp.get_pipe(CONSTITUENCY_PARSER).model)  # type: ignore[attr-defined]
        if learned is None:
            raise typer.BadParameter(f"{label} has no embeddings of words")
        tags: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for doc in DocBin().from_disk(corpus / "train.spacy").get_docs(nlp.vocab):
            for token in doc:
                tags[token.text][token.tag_[:KIND]] += 1
        known = np.array([tags[word].total() >= least for word in learned.words])
        words = [word for word, is_known in zip(learned.words, known, strict=True) if is_known]
        frequent = LearnedWords(words, learned.table[known], np.zeros(len(words), dtype=bool))
        kinds = np.array([tags[word].most_common(1)[0][0] for word in words])
        figures[label] = {
            "verbs": shares(frequent, kinds, kinds == VERB),
            "all": shares(frequent, kinds, np.ones(len(words), dtype=bool)),
        }
        print(label, figures[label], flush=True)
    write_result(f"nearest_tags-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)
