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
from thinc.api import Model
from thinc.types import Floats2d

from ..nn.fast.device import rows_together, to_device, uploaded
from .torch_model import (
    Build,
    Decode,
    Explore,
    TorchModule,
    as_array,
    as_torch,
    run,
    shim_of,
    torch_model,
)

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
            f"the parser listens to a {' and a '.join(silent)}, which has not run: enable it, or "
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
                f"{doc.text[:60]!r}: do not merge or split tokens between it and the tok2vec or "
                "transformer that it listens to"
            )
        if len(doc) and rows.shape[1] != parser.cfg.get("n_input", rows.shape[1]):
            raise ValueError(
                f"the {parser.named} was trained on token vectors of width "
                f"{parser.cfg['n_input']}, not {rows.shape[1]}, which another pipeline's tok2vec "
                "or transformer gives: call replace_listeners before add_pipe"
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
    tok2vec: Model[list[Doc], list[Floats2d]],
    build: Build,
    *,
    decode: Decode,
    explore: Explore | None = None,
    what: str,
    settings: dict[str, Any],
    adjustable: Sequence[str],
) -> Model:
    """Build the outer model: Model[tuple[list[Doc], list[SentenceBatch]], list[Any]].

    Its backprop takes the gradients of the outputs and, if not all of them may be learned from, a
    function: given the gradients of the token vectors, whether ``tok2vec`` may learn from them. If
    not, it gets zeros, since a listener waits for a gradient.

    The parser's module is built when the model is initialized: from the settings, ``n_input`` (the
    width of the token vectors) and the labels (``attrs["labels"]``).

    Args:
        name: The model's name.
        tok2vec: Token vectors of docs.
        build, decode, explore, what, settings, adjustable: Of the module and its
            loss, decoding and exploration, see :mod:`spacy_structparse.models.torch_model`.
    """
    parser: Model = torch_model(
        f"{name}_parser",
        build,
        _parse,
        what=what,
        settings=settings,
        adjustable=adjustable,
        decode=decode,
        explore=explore,
    )
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
    every = [shim.settings for shim in parser_shims(model)]
    widths = [one["pyramid_width"] for one in every if one["pyramid"] == "all"]
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
) -> tuple[list[torch.Tensor], Callable[..., list[Doc]]]:
    docs, batches = X
    parser, tok2vec = model.get_ref("parser"), model.get_ref("tok2vec")
    if not is_train:
        check_heard(tok2vec, docs)
    vectors, backprop_vectors = tok2vec(docs, is_train)
    check_vectors(vectors, docs, shim_of(parser))
    tokens = as_torch(model.ops.flatten(vectors))
    outputs, callbacks = [], []
    for batch in batches:
        rows = uploaded(batch.rows, tokens.device)
        inputs = tokens.index_select(0, rows)
        if is_train:
            inputs.requires_grad_(True)
        content = to_device(batch.content, tokens.device)
        output, callback = parser((inputs, content), is_train)
        outputs.append(output)
        callbacks.append((rows, callback))

    def backprop(
        d_outputs: list[torch.Tensor], is_usable: Callable[[torch.Tensor], bool] | None = None
    ) -> list[Doc]:
        d_tokens = torch.zeros_like(tokens)
        for (rows, callback), d_output in zip(callbacks, d_outputs, strict=True):
            d_tokens.index_add_(0, rows, callback(d_output))
        if is_usable is not None and not is_usable(d_tokens):
            d_tokens.zero_()
        lengths: Any = [len(v) for v in vectors]
        d_flat = model.ops.asarray2f(as_array(d_tokens))
        backprop_vectors(model.ops.unflatten(d_flat, lengths))
        return docs

    return outputs, backprop


def _parse(
    model: Model, X: tuple[torch.Tensor, Any], is_train: bool
) -> tuple[Any, Callable[[torch.Tensor], torch.Tensor]]:
    """Compute losses in training, the answer to a query in decoding."""
    output, backprop = run(model, is_train, *X)
    return output, lambda gradient: backprop(gradient).args[0]
