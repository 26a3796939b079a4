"""Scores of a pipeline over a split, on gold tokens and sentences."""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.training import Example

from spacy_structparse.corpora.reader import create_corpus_reader
from spacy_structparse.scoring.attachment import score_dependencies
from spacy_structparse.scoring.constituency import score_constituency
from spacy_structparse.tools.figures.breakdown_scores import (
    LENGTHS,
    Grouping,
    break_down_brackets,
    ranges,
)

from .record import Figures

DEPENDENCY_SCORES = (
    "conll18_uas",
    "conll18_las",
    "dep_uas_nopunct",
    "dep_las_nopunct",
    "dep_uas",
    "dep_las",
)
CONSTITUENCY_SCORES = ("const_f", "const_p", "const_r", "const_exact")
DEPENDENCY_PARSERS = {"parser", "stack_lstm_dep", "spa_dep"}
CONSTITUENCY_PARSER = "seq2seq_constituency"
# The names of groups of sentences in results.
BY_LENGTH = (*(f"<= {n}" for n in LENGTHS), f"> {LENGTHS[-1]}")


def parsed_examples(nlp: Language, path: Path, gold_tags: bool = False) -> list[Example]:
    """Parse a split.

    Args:
        nlp: The pipeline.
        path: The split's ``.spacy`` file.
        gold_tags: Give it the annotated tags in place of its own.

    Returns:
        The gold docs beside the parsed ones.
    """
    tags = path if gold_tags else None
    examples = list(create_corpus_reader(path, gold_preproc=True, tags=tags)(nlp))
    with gold_sentences(nlp):
        docs = list(nlp.pipe([eg.predicted for eg in examples], batch_size=256))
    for example, doc in zip(examples, docs, strict=True):
        example.predicted = doc
    return examples


def gold_sentences(nlp: Language) -> AbstractContextManager[Any]:
    """A context in which a pipeline keeps the sentences of Docs."""
    splitters = [name for name in ("senter", "sentencizer") if name in nlp.pipe_names]
    return nlp.select_pipes(disable=splitters)


def evaluate(nlp: Language, path: Path, gold_tags: bool = False) -> Figures:
    """Scores over a split in per cent; arguments as of :func:`parsed_examples`.

    Brackets are scored as `spacy structparse evaluate` does by default.
    """
    examples = parsed_examples(nlp, path, gold_tags)
    result: Figures = {}
    if CONSTITUENCY_PARSER in nlp.pipe_names:
        found = score_constituency(examples)
        result |= in_per_cent(found, CONSTITUENCY_SCORES)
        result["const_errors"] = found["const_errors"]
    if DEPENDENCY_PARSERS & set(nlp.pipe_names):
        found = score_dependencies(examples)
        result |= in_per_cent(found, DEPENDENCY_SCORES)
    if "tagger" in nlp.pipe_names:
        tagged = nlp.get_pipe("tagger").score(examples)["tag_acc"]  # type: ignore[attr-defined]
        result["tag_acc"] = round(100 * tagged, 2)
    return result


def in_per_cent(scores: Mapping[str, Any], names: Iterable[str]) -> Figures:
    """Some of a scorer's fractions."""
    return {name: round(100 * scores[name], 2) for name in names}


def f_by_length(examples: list[Example]) -> Figures:
    """Bracket F1 in per cent by the words of sentences.

    Returns:
        ``by_length``: of groups of sentences, by tens as in Ma et al. (2017), each named after its
        longest. ``up_to_length``: of all sentences up to some length (Vinyals et al. 2015, Figure
        3).
    """
    figures = break_down_brackets(examples)
    names = dict(zip(ranges(LENGTHS), BY_LENGTH, strict=True))
    by_length = {names[group]: one for group, one in figures["length"].items()}
    return {"by_length": _f_of(by_length), "up_to_length": _f_of(figures["up_to"])}


def _f_of(groups: Grouping) -> dict[str, Figures]:
    return {
        group.replace("≤", "<="): {
            "sentences": one["sentences"],
            "const_f": None if one["f1"] is None else round(100 * one["f1"], 2),
            "const_errors": one["failed"],
        }
        for group, one in groups.items()
    }
