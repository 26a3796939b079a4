"""The outputs of a saved pipeline that must not change from release to release."""

import math
from collections.abc import Iterable
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

BEAMS = {"greedy": 1, "beam": 4}
TOLERANCE = 1e-4
"""How far a number may be off, absolutely or relatively: another processor rounds differently."""
UNTRAINABLE = ("spacy-structparse.Seq2SeqEnsemble.v1",)


def docs_of(vocab: Vocab, specs: Iterable[dict[str, Any]]) -> list[Doc]:
    """Docs without annotation but for what the parser reads.

    Args:
        vocab: The pipeline's vocabulary.
        specs: The ``words`` of each Doc, with ``tags`` and ``sent_starts`` where it has them.

    Returns:
        One Doc per spec.
    """
    return [Doc(vocab, **spec) for spec in specs]


def parses_of(nlp: Language, specs: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """The parses of each kind of search: ``greedy``, and ``beam`` where the component has one.

    The component's beam width is left at 1.
    """
    parser: Any = nlp.get_pipe(nlp.pipe_names[-1])
    if not hasattr(parser, "beam_width"):
        return {"greedy": _parse(nlp, specs)}
    found = {}
    for search, width in BEAMS.items():
        parser.beam_width = width
        found[search] = _parse(nlp, specs)
    parser.beam_width = BEAMS["greedy"]
    return found


def outputs_of(nlp: Language, docs: Iterable[Doc]) -> list[Any]:
    """The annotation of the pipeline's last component on each Doc."""
    factory = nlp.get_pipe_meta(nlp.pipe_names[-1]).factory
    return [_OUTPUTS[factory](doc) for doc in docs]


def numbers_of(nlp: Language, specs: list[dict[str, Any]]) -> dict[str, Any]:
    """The loss of the pipeline's own parses, and the probabilities of heads where it has them."""
    name = nlp.pipe_names[-1]
    parser: Any = nlp.get_pipe(name)
    found: dict[str, Any] = {}
    if nlp.get_pipe_config(name)["model"]["@architectures"] not in UNTRAINABLE:
        pairs = zip(docs_of(nlp.vocab, specs), docs_of(nlp.vocab, specs), strict=True)
        examples = [Example(bare, nlp(parsed)) for bare, parsed in pairs]
        losses: dict[str, float] = {}
        nlp.update(examples, sgd=False, losses=losses)  # type: ignore[arg-type]
        found["loss"] = losses[name]
    if hasattr(parser, "arc_probabilities"):
        docs = docs_of(nlp.vocab, specs)
        found["arc_probabilities"] = [one.tolist() for one in parser.arc_probabilities(docs)]
    return found


def difference(found: Any, expected: Any, where: str = "") -> str | None:
    """The first place in which two structures of lists, dictionaries and values differ, or None.

    Floats may differ by ``TOLERANCE``; all else must be equal.
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        if found.keys() != expected.keys():
            return f"{where}: {sorted(found)} instead of {sorted(expected)}"
        pairs = [(f"{where}.{key}", found[key], expected[key]) for key in expected]
    elif isinstance(expected, list) and isinstance(found, list):
        if len(found) != len(expected):
            return f"{where}: {len(found)} items instead of {len(expected)}: {found}"
        rows = zip(found, expected, strict=True)
        pairs = [(f"{where}[{i}]", one, other) for i, (one, other) in enumerate(rows)]
    elif isinstance(expected, float) and isinstance(found, float):
        same = math.isclose(found, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        return None if same else f"{where}: {found} instead of {expected}"
    else:
        return None if found == expected else f"{where}: {found!r} instead of {expected!r}"
    return next(filter(None, (difference(*values, path) for path, *values in pairs)), None)


def _parse(nlp: Language, specs: list[dict[str, Any]]) -> list[Any]:
    return outputs_of(nlp, nlp.pipe(docs_of(nlp.vocab, specs)))


def _arcs(doc: Doc) -> dict[str, Any]:
    return {"heads": [token.head.i for token in doc], "deps": [token.dep_ for token in doc]}


def _brackets(doc: Doc) -> list[Any]:
    return [[span.label_, span.start, span.end] for span in doc.spans["constituency"]]


def _surprisals(doc: Doc) -> dict[str, Any]:
    return {
        "perplexity": doc._.perplexity,
        "surprisal": [token._.surprisal for token in doc],
        "end_surprisal": [token._.end_surprisal for token in doc],
        "phrase_attention": [
            [[span.start, span.end, weight] for span, weight in token._.phrase_attention]
            for token in doc
        ],
    }


def _translation(doc: Doc) -> list[str]:
    return doc._.translation.split()


_OUTPUTS = {
    "stack_lstm_dep": _arcs,
    "spa_dep": _arcs,
    "seq2seq_constituency": _brackets,
    "phrasal_lm": _surprisals,
    "seq2seq_translation": _translation,
}
