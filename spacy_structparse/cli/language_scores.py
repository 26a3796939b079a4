"""The scores and the card of a pipeline that `train` has made."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..corpora.docbins import read_docs
from ..corpora.pipeline_outputs import copy_words
from ..corpora.writers import PARAGRAPH
from ..scoring.conll18.scorer import evaluate_examples, evaluate_texts
from ..scoring.conll18.scores import Score
from .messages import msg

METRICS = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "MLAS")
GOLD, RAW = "gold tokens", "raw text"

Scores = dict[str, dict[str, float]]


def score_part(nlp: Language, path: Path) -> Scores:
    """Score a pipeline on a part of a treebank: on its tokens and sentences, and from raw text.

    Returns:
        F1 in per cent by CoNLL-18 metric, for `GOLD` and for `RAW`.
    """
    docs = list(read_docs(path, nlp.vocab))
    for doc in docs:
        doc.user_data.clear()  # its lines of CoNLL-U, which are of no use here
    words = [copy_words(doc, with_starts=True) for doc in docs]
    examples = [Example(doc, gold) for doc, gold in zip(nlp.pipe(words), docs, strict=True)]
    texts = list(paragraphs(docs))
    return {
        GOLD: _rounded(evaluate_examples(examples)),
        RAW: _rounded(evaluate_texts(texts, nlp.pipe)),
    }


def _rounded(scores: Mapping[str, Score]) -> dict[str, float]:
    return {name: round(100 * scores[name].f1, 2) for name in METRICS if name in scores}


def paragraphs(docs: list[Doc]) -> Iterator[Doc]:
    """Join the Docs of sentences whose spaces are known, some at a time.

    Sentences without a space behind them get one, if the words of the language have spaces."""
    docs = [doc for doc in docs if not doc.has_unknown_spaces]
    has_spaces = any(token.whitespace_ for doc in docs for token in doc[:-1])
    for start in range(0, len(docs), PARAGRAPH):
        yield Doc.from_docs(docs[start : start + PARAGRAPH], ensure_whitespace=has_spaces)


def _rows(parts: Mapping[str, Scores]) -> list[tuple[str, ...]]:
    """The cells of a table: what was scored, and a figure for each metric, if there is one."""
    return [
        (f"{part}, {of}", *(f"{figures[name]:.2f}" if name in figures else "" for name in METRICS))
        for part, scores in parts.items()
        for of, figures in scores.items()
    ]


def print_scores(parts: Mapping[str, Scores]) -> None:
    """Print a row for each part, and a column for each metric."""
    msg.table(_rows(parts), header=("", *METRICS), aligns=("l", *"r" * len(METRICS)), divider=True)


def language_card(nlp: Language, treebank: Path, parts: Mapping[str, Scores]) -> str:
    """Write what a pipeline was trained on, its components and its scores as Markdown."""
    lines = [
        f"# {nlp.meta['lang']}_{nlp.meta['name']}",
        "",
        f"Trained by `spacy structparse train` on the treebank `{treebank.name}`.",
        "",
        f"Components: {', '.join(nlp.pipe_names)}.",
        "",
        "F1 of the CoNLL 2018 metrics, in per cent:",
        "",
        f"| | {' | '.join(METRICS)} |",
        f"|---|{'---|' * len(METRICS)}",
    ]
    lines += [f"| {' | '.join(row)} |" for row in _rows(parts)]
    return "\n".join(lines) + "\n"
