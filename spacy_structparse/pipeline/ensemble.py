"""The constituency parsers of several pipelines, joined in one component of the first pipeline."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spacy import ty
from spacy.language import Language
from spacy.pipeline import Tok2Vec
from thinc.api import Model

from ..errors import EnsembleError
from ..models.parser_model import Listener, listeners_in
from ..models.seq2seq_ensemble import build_seq2seq_ensemble
from .seq2seq_constituency import Seq2SeqConstituencyParser

ARCHITECTURE = "spacy-structparse.Seq2SeqEnsemble.v1"
FACTORY = "seq2seq_constituency"


@dataclass
class Candidate:
    """A pipeline, and the name and the parser of its constituency component; ``path`` names it in
    errors."""

    path: str
    nlp: Language
    component: str
    parser: Seq2SeqConstituencyParser


def find_parser(path: str, nlp: Language, component: str | None = None) -> Candidate:
    """Find the constituency parser of a pipeline.

    Args:
        path: The name of the pipeline in errors.
        nlp: The pipeline.
        component: The parser's name, needed if there are several.

    Raises:
        EnsembleError: There is no such parser, or several, or it is not trained.
    """
    parsers = [
        (name, pipe)
        for name, pipe in nlp.components
        if isinstance(pipe, Seq2SeqConstituencyParser) and component in (None, name)
    ]
    if len(parsers) != 1:
        names = ", ".join([name for name, _ in parsers] or nlp.component_names) or "none"
        number, advice = len(parsers) or "no", "; name one with --component" if parsers else ""
        which = f" '{component}'" if component else ""
        raise EnsembleError(f"{path} has {number} {FACTORY}{which} among: {names}{advice}")
    ((name, parser),) = parsers
    if not parser.labels:
        raise EnsembleError(f"{path}: its component '{name}' is not trained")
    return Candidate(path, nlp, name, parser)


def join(candidates: Sequence[Candidate], beam_width: int | None = None) -> Language:
    """Replace the first pipeline's parser by the ensemble of all parsers.

    The rest of the first pipeline stays. Listeners are replaced by copies of their sources. The
    pipelines must not be used afterwards.

    Args:
        candidates: The pipelines.
        beam_width: By default that of the first parser.

    Returns:
        The first pipeline.

    Raises:
        EnsembleError: There are fewer than two parsers, or they do not fit together. Nothing has
            changed.
    """
    if len(candidates) < 2:
        raise EnsembleError("an ensemble needs at least two pipelines")
    first, *others = candidates
    for other in others:
        _check_fit(first, other)
    configs, models = {}, {}
    for i, candidate in enumerate(candidates, 1):
        member = f"parser_{i:0{len(str(len(candidates)))}}"
        configs[member] = _own_embedding(candidate)
        models[member] = candidate.parser.model
    nlp, component = first.nlp, first.component
    beam_width = beam_width or first.parser.beam_width
    model = {"@architectures": ARCHITECTURE, "beam_width": beam_width, "members": configs}
    settings = {**nlp.get_pipe_config(component), "model": model}
    del settings["factory"]
    _forget_scores(nlp, component)
    ensemble: Any = nlp.replace_pipe(component, FACTORY, config=settings)  # with random weights
    ensemble.model = build_seq2seq_ensemble(models, beam_width)
    ensemble.cfg = first.parser.cfg
    ensemble.weights_changed()
    ensemble.prepare()
    return nlp


def _check_fit(first: Candidate, other: Candidate) -> None:
    """Raise EnsembleError with the first difference between a pipeline and the first one."""
    here, there = first.parser.linearization, other.parser.linearization
    both = f"{other.path} does not fit {first.path}"
    if first.nlp.lang != other.nlp.lang:
        raise EnsembleError(f"{both}: its language is '{other.nlp.lang}', not '{first.nlp.lang}'")
    if here.name != there.name:
        raise EnsembleError(f"{both}: its linearization is {there.name}, not {here.name}")
    for name, value in here.settings().items():
        if there.settings()[name] != value:
            raise EnsembleError(
                f"{both}: its '{name}' are others; train all members on the same trees, or with "
                "the same file of 'spacy init labels'"
            )
    models = [other.parser.model, *(source.model for _, source in _listened_to(other))]
    reads_vectors = any(_reads_vectors(node) for model in models for node in model.walk())
    ours, others = (candidate.nlp.vocab.vectors for candidate in (first, other))
    # The strings are those of the vocabulary, which may have others.
    if reads_vectors and ours.to_bytes(exclude=["strings"]) != others.to_bytes(exclude=["strings"]):
        raise EnsembleError(f"{both}: its parser reads word vectors, which are other ones")


def _listened_to(candidate: Candidate) -> list[tuple[str, Any]]:
    return [
        (name, pipe)
        for name, pipe in candidate.nlp.components
        if isinstance(pipe, ty.ListenedToComponent)
        and candidate.component in pipe.listening_components
    ]


def _reads_vectors(node: Model) -> bool:
    """Return True if a layer reads ``nlp.vocab.vectors``: StaticVectors or our embedding."""
    settings: list[dict] = [getattr(shim, "settings", {}) for shim in node.shims]
    return node.name == "static_vectors" or any(of_shim.get("use_vectors") for of_shim in settings)


def _own_embedding(candidate: Candidate) -> dict[str, Any]:
    """Replace listeners of a parser by what they listen to, and return the config of its model."""
    nlp, component = candidate.nlp, candidate.component
    for name, source in _listened_to(candidate):
        kind: Listener = "Tok2VecListener" if isinstance(source, Tok2Vec) else "TransformerListener"
        config = nlp.get_pipe_config(component)["model"]
        paths = [path for path, _ in listeners_in(config, "model", kind)]
        # A listener of another package may have another name.
        nlp.replace_listeners(name, component, paths or ["model.tok2vec"])
    return nlp.get_pipe_config(component)["model"]


def _forget_scores(nlp: Language, component: str) -> None:
    """Remove the scores of the replaced parser from the pipeline's meta data."""
    performance = nlp.meta.get("performance", {})
    scores = nlp.get_pipe_meta(component).default_score_weights or {}
    for name in [*scores, f"{component}_loss"]:
        performance.pop(name, None)
