"""Listeners to a shared component: where they are, and errors where nothing, or something else, is
heard."""

from collections.abc import Iterator, Sequence, Sized
from typing import Any, Literal

from spacy.tokens import Doc
from thinc.api import Model
from torch import Tensor

from .torch_model import TorchModule

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
        line = f"nlp.add_pipe({silent[0]!r}, source=other, first=True)"
        if len(silent) > 1:
            names = silent[::-1]  # the last one that is added comes first
            line = f"for name in {names}: nlp.add_pipe(name, source=other, first=True)"
        elif not docs[0].vocab.vectors.shape[1]:
            # A tok2vec of another pipeline may need its vectors, which add_pipe does not bring.
            line += "; nlp.vocab.vectors = other.vocab.vectors"
        raise ValueError(
            f"the parser listens to a {' and a '.join(silent)}, which has not run: enable it, or "
            f"write {line}"
        )


def check_tokens(vectors: Sequence[Sized], docs: Sequence[Doc], parser: TorchModule) -> None:
    """Check that every token has a vector, and no other has.

    Args:
        vectors: The vectors of the tokens of each Doc.
        docs: The Docs.
        parser: The parser.

    Raises:
        ValueError: Tokens were merged or split since their vectors were made.
    """
    for doc, rows in zip(docs, vectors, strict=True):
        if len(rows) != len(doc):
            raise ValueError(
                f"the {parser.named} is given {len(rows)} vectors for the {len(doc)} tokens of "
                f"{doc.text[:60]!r}: tokens were merged or split after the tok2vec or "
                "transformer that it listens to; let the component that does so be before that, "
                "or after all components that listen to it"
            )


def check_width(tokens: Tensor, parser: TorchModule) -> None:
    """Check that the vectors of tokens have the width that the parser was made for.

    Args:
        tokens: (N, width) the vectors.
        parser: The parser.

    Raises:
        ValueError: They have not.
    """
    expected = parser.cfg.get("n_input", tokens.shape[1])
    if len(tokens) and tokens.shape[1] != expected:
        raise ValueError(
            f"the {parser.named} was trained on token vectors of width {expected}, not "
            f"{tokens.shape[1]}, which another pipeline's tok2vec or transformer gives: call "
            "replace_listeners before add_pipe"
        )
