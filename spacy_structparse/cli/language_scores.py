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
from ..scoring.constituency import score_constituency
from .messages import msg

BRACKETS = "Brackets"  # of trees, by EVALB's rules
METRICS = (
    *("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "MLAS"),
    BRACKETS,
)
GOLD, RAW = "gold tokens", "raw text"

Scores = dict[str, dict[str, float]]


def score_part(nlp: Language, path: Path) -> Scores:
    """Score a pipeline on a part of a treebank: on its tokens and sentences, and from raw text.

    Returns:
        F1 in per cent by CoNLL-18 metric, for `GOLD` and, where spaces are known, for `RAW`. That
        of brackets is on gold tokens alone.
    """
    docs = list(read_docs(path, nlp.vocab))
    for doc in docs:
        doc.user_data.clear()  # its lines of CoNLL-U, which are of no use here
    words = [copy_words(doc, with_starts=True) for doc in docs]
    examples = [Example(doc, gold) for doc, gold in zip(nlp.pipe(words), docs, strict=True)]
    scores = {GOLD: _rounded(evaluate_examples(examples))}
    if (brackets := score_constituency(examples)["const_f"]) is not None:
        scores[GOLD][BRACKETS] = round(100 * brackets, 2)
    if texts := list(paragraphs(docs)):
        scores[RAW] = _rounded(evaluate_texts(texts, nlp.pipe))
    return scores


def _rounded(scores: Mapping[str, Score]) -> dict[str, float]:
    return {name: round(100 * scores[name].f1, 2) for name in METRICS if name in scores}


def paragraphs(docs: list[Doc]) -> Iterator[Doc]:
    """Join the Docs of sentences whose spaces are known, some at a time.

    Sentences without a space behind them get one, if the words of the language have spaces."""
    docs = [doc for doc in docs if not doc.has_unknown_spaces]
    has_spaces = any(token.whitespace_ for doc in docs for token in doc[:-1])
    for start in range(0, len(docs), PARAGRAPH):
        yield Doc.from_docs(docs[start : start + PARAGRAPH], ensure_whitespace=has_spaces)


def _table(parts: Mapping[str, Scores]) -> list[tuple[str, ...]]:
    """A table: the metrics that there are, and for what was scored a figure of each, if any."""
    rows = {f"{part}, {of}": one for part, scores in parts.items() for of, one in scores.items()}
    metrics = [name for name in METRICS if any(name in figures for figures in rows.values())]
    return [("", *metrics)] + [
        (label, *(f"{figures[name]:.2f}" if name in figures else "" for name in metrics))
        for label, figures in rows.items()
    ]


def print_scores(parts: Mapping[str, Scores]) -> None:
    """Print a row for each part, and a column for each metric."""
    header, *rows = _table(parts)
    msg.table(rows, header=header, aligns=("l", *"r" * (len(header) - 1)), divider=True)


def language_card(nlp: Language, treebank: Path, parts: Mapping[str, Scores]) -> str:
    """Write what a pipeline was trained on, its components and its scores as Markdown."""
    header, *rows = _table(parts)
    lines = [
        f"# {nlp.meta['lang']}_{nlp.meta['name']}",
        "",
        f"Trained by `spacy structparse train` on the treebank `{treebank.name}`.",
        "",
        f"Components: {', '.join(nlp.pipe_names)}.",
        "",
        "F1 of the CoNLL 2018 metrics and of brackets, in per cent:",
        "",
        f"| {' | '.join(header)} |",
        "|---" * len(header) + "|",
    ]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines) + "\n"
