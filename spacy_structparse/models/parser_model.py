"""The outer model of a parser: a ``tok2vec`` over docs, then a torch parser over sentences.

``tok2vec`` sees exactly the docs given, in their order, since a listener checks no more than that;
only its output is cut into sentences and packed into batches.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from spacy.tokens import Doc
from thinc.api import Model, xp2torch
from thinc.types import ArgsKwargs, Floats2d

from ..nn.fast.device import rows_of, rows_together
from .checks import adjustable_settings
from .torch_model import Build, Decode, Explore, Tok2Vec, TorchModule, as_array, shim_of

Listener = Literal["Tok2VecListener", "TransformerListener"]
_TOK2VEC_LISTENER, _TRANSFORMER_LISTENER = "tok2vec-listener", "transformer-listener"
_OUTPUT = "trf_data"


def listeners_in(
    config: dict[str, Any], path: str, kind: Listener
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Find the listeners in the config of a model.

    Args:
        config: A section of it.
        path: Its name in the config.
        kind: To what they listen.

    Yields:
        The path of each listener, such as ``model.tok2vec`` or, beside an embedding,
        ``model.tok2vec.*.transformer``, and its section.
    """
    if f".{kind}." in config.get("@architectures", ""):
        yield path, config
        return
    for name, section in config.items():
        if isinstance(section, dict):
            yield from listeners_in(section, f"{path}.{name}", kind)


def check_heard(tok2vec: Model, docs: list[Doc]) -> None:
    """Check that a shared component has run, if there is a listener to one: in its place the
    listeners of spaCy and of spacy-transformers give zeros.

    Raises:
        ValueError: It has not.
    """
    nodes = {node.name for node in tok2vec.walk()}
    silent = []
    if _TRANSFORMER_LISTENER in nodes and (
        not Doc.has_extension(_OUTPUT) or any(len(d) and d._.get(_OUTPUT) is None for d in docs)
    ):
        silent.append("transformer")
    if _TOK2VEC_LISTENER in nodes and any(len(doc) and not doc.tensor.size for doc in docs):
        silent.append("tok2vec")
    if silent:
        lines = [f"nlp.add_pipe({name!r}, source=other, first=True)" for name in silent[::-1]]
        if silent == ["tok2vec"] and not docs[0].vocab.vectors.shape[1]:
            # A tok2vec of another pipeline may need its vectors, which add_pipe does not bring.
            lines.append("nlp.vocab.vectors = other.vocab.vectors")
        raise ValueError(
            f"the model listens to a {' and a '.join(silent)}, which has not run: enable it, or "
            f"write {'; '.join(lines)}"
        )


def check_vectors(vectors: Sequence[Floats2d], docs: Sequence[Doc], parser: TorchModule) -> None:
    """Check that every token has a vector, and no other has, of the width that the parser was made
    for.

    Args:
        vectors: The vectors of the tokens of each Doc.
        docs: The Docs.
        parser: The parser.

    Raises:
        ValueError: Tokens were merged or split since, or the width is another one.
    """
    for doc, rows in zip(docs, vectors, strict=True):
        if len(rows) != len(doc):
            raise ValueError(
                f"the {parser.named} is given {len(rows)} vectors for the {len(doc)} tokens of "
                f"{doc.text[:40]!r}: merge or split no tokens between it and the tok2vec that it "
                "listens to"
            )
        if len(doc) and rows.shape[1] != parser.cfg.get("n_input", rows.shape[1]):
            raise ValueError(
                f"the {parser.named} was trained on token vectors of width "
                f"{parser.cfg['n_input']}, not {rows.shape[1]} of another pipeline's tok2vec: "
                "call replace_listeners before add_pipe"
            )


@dataclass(frozen=True)
class SentenceBatch:
    """Sentences of one batch.

    Attributes:
        rows: (N,) the tokens, counted through all docs of the call, sentence after sentence.
        content: A gold batch in training, a query in decoding.
    """

    rows: np.ndarray
    content: Any


def parser_model(
    name: str,
    tok2vec: Tok2Vec,
    build: Build,
    *,
    decode: Decode,
    explore: Explore | None = None,
    what: str,
    settings: dict[str, Any],
    architecture: Callable[..., Any],
) -> Model:
    """Build the outer model: Model[tuple[list[Doc], list[SentenceBatch]], list[Any]].

    Its backprop takes the gradients of the outputs. It can leave the gradients of the weights as
    they are if an output or a gradient is not finite, and returns whether it changed them.

    The parser's module is built when the model is initialized: from the settings, ``n_input`` (the
    width of the token vectors) and the labels (``attrs["labels"]``).

    Args:
        name: The model's name.
        tok2vec: Token vectors of docs.
        build, decode, explore, what, settings: Of the module and its loss, decoding and
            exploration, see :mod:`spacy_structparse.models.torch_model`.
        architecture: The registered function, whose types say which settings are adjustable.
    """
    adjustable = adjustable_settings(architecture)
    shim = TorchModule(build, what, settings, adjustable, decode, explore)
    attrs = {"dropout_rate": 0.0}
    parser: Model = Model(f"{name}_parser", _never_run, shims=[shim], attrs=attrs)
    return Model(
        name,
        _forward,
        init=_init,
        layers=[tok2vec, parser],
        refs={"tok2vec": tok2vec, "parser": parser},
        attrs={"labels": None},
    )


def parser_shims(model: Model) -> list[TorchModule]:
    """The parser of a model, or those of all members of an ensemble in their order."""
    parsers = [shim_of(node.get_ref("parser")) for node in model.walk() if node.has_ref("parser")]
    return list(dict.fromkeys(parsers))  # an ensemble refers to the parser of its first member


def max_pairs(model: Model) -> int | None:
    """The most pairs of words of a batch: two for each phrase of a pyramid that keeps all states.

    Of an ensemble it is the least of its members'. None where no pyramid keeps all.
    """
    members = [shim.settings for shim in parser_shims(model)]
    widths = [s["pyramid_width"] for s in members if s.get("pyramid") == "all"]
    return 2 * rows_together(max(widths)) if widths else None


def _init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    shim = shim_of(model.get_ref("parser"))
    labels = model.attrs["labels"]
    if labels is None:
        raise ValueError(f"the model '{model.name}' has no labels: initialize it by its component")
    # spacy-transformers' listener does not know its width: its output shows it.
    width = tok2vec.get_dim("nO") if tok2vec.has_dim("nO") else tok2vec.predict(X)[0].shape[1]
    shim.create({"n_input": width, "labels": labels, **shim.settings})


def _forward(
    model: Model, X: tuple[list[Doc], list[SentenceBatch]], is_train: bool
) -> tuple[list[Any], Callable[..., bool]]:
    """Compute losses in training, the answers to queries in decoding."""
    docs, batches = X
    tok2vec, parser = model.get_ref("tok2vec"), model.get_ref("parser")
    shim = shim_of(parser)
    if not is_train:
        check_heard(tok2vec, docs)
    vectors, backprop_vectors = tok2vec(docs, is_train)
    check_vectors(vectors, docs, shim)
    tokens = xp2torch(model.ops.flatten(vectors), requires_grad=is_train)
    if is_train:
        shim.module.dropout = parser.attrs["dropout_rate"]
    outputs = []
    for batch in batches:
        inputs = ArgsKwargs((rows_of(tokens, batch.rows), batch.content), {})
        outputs.append(shim.begin_update(inputs)[0] if is_train else shim.predict(inputs))

    def backprop(d_outputs: list[torch.Tensor], only_finite: bool = False) -> bool:
        weights = [weight for weight in shim.module.parameters() if weight.requires_grad]
        d_tokens, *d_weights = (
            torch.autograd.grad(outputs, [tokens, *weights], d_outputs, allow_unused=True)
            if outputs
            else [None]
        )
        gradients = [gradient for gradient in (d_tokens, *d_weights) if gradient is not None]
        is_usable = not only_finite or _are_finite([*outputs, *gradients])
        if d_tokens is None or not is_usable:
            d_tokens = torch.zeros_like(tokens)
        if is_usable:
            for weight, gradient in zip(weights, d_weights, strict=False):
                if gradient is not None:
                    if weight.grad is None:  # two weights may have one tensor as their gradient
                        weight.grad = torch.zeros_like(weight)
                    weight.grad.add_(gradient)
        # A listener waits for a gradient even where nothing is learned.
        lengths: Any = [len(v) for v in vectors]
        backprop_vectors(model.ops.unflatten(model.ops.asarray2f(as_array(d_tokens)), lengths))
        return is_usable

    return outputs, backprop


def _never_run(model: Model, X: Any, is_train: bool) -> Any:
    raise NotImplementedError("the outer model runs the module of its parser")


def _are_finite(tensors: list[torch.Tensor]) -> bool:
    return not tensors or bool(torch.stack([t.isfinite().all() for t in tensors]).all())


def clip_gradients(model: Model, max_norm: float, *, exactly: bool = False) -> bool:
    """Scale all gradients of a model so that their joint norm is at most ``max_norm``.

    thinc's own ``grad_clip`` looks at one parameter at a time.

    Args:
        model: The model.
        max_norm: The norm.
        exactly: Scale smaller gradients, too, unless all are 0.

    Returns:
        False if the norm is not finite. All gradients are 0 then.
    """
    gradients: list[Any] = []
    for node in model.walk():
        gradients += [node.get_grad(name) for name in node.param_names if node.has_grad(name)]
        for shim in node.shims:
            if isinstance(shim, TorchModule) and shim.is_built:
                weights = shim.module.parameters()
                gradients += [as_array(w.grad) for w in weights if w.grad is not None]
    # Added on the device: the host waits for it once, and not at every parameter.
    norm = float(sum((a * a).sum().astype("float64") for a in gradients)) ** 0.5
    is_finite = bool(np.isfinite(norm))
    for gradient in gradients:
        if not is_finite:
            gradient.fill(0.0)
        elif norm > (0.0 if exactly else max_norm):
            gradient *= max_norm / norm
    return is_finite
