"""Architectures of pretrained transformers whose pipelines hold no pickle.

They build spacy-transformers' model, for its component ``transformer``, and its listeners.
"""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any, TypeVar

from thinc.api import Model, chain
from thinc.types import Floats2d, Ragged

from ..nn.fast.device import SETTING
from ..processes import OF_A_TRANSFORMER, limit_compiled
from ..removed_settings import removed_settings
from .checks import ADJUSTABLE
from .torch_model import Tok2Vec

Function = TypeVar("Function", bound=Callable[..., Any])


def _without_removed_settings(function: Function) -> Function:
    earlier: dict[str, dict[str, Any]] = {
        "Leave it out: texts are read every time.": {"cache_mb": 0},
        "Leave it out: the last layer is read.": {"layers": "last"},
        "Take spacy-transformers.TransformerModel.v3, which has it.": {
            "mixed_precision": False,
            "grad_scaler_config": (None, {}),
        },
        "Run `spacy structparse compress` on the pipeline.": {"half": "none"},
    }
    for remedy, defaults in earlier.items():
        function = removed_settings(remedy, **defaults)(function)
    return function


def _implementation(architecture: str) -> ModuleType:
    """Import what needs the package spacy-transformers, which is optional."""
    try:
        return import_module(".transformer_model", __package__)
    except ImportError as error:
        raise ImportError(
            f"spacy-structparse.{architecture} needs the package spacy-transformers: "
            "python -m pip install 'spacy-structparse[transformers]'"
        ) from error


@_without_removed_settings
def build_transformer(
    name: str,
    get_spans: Callable[..., Any],
    tokenizer_config: dict[str, Any] | None = None,
    transformer_config: dict[str, Any] | None = None,
    train_embeddings: bool = True,
    bfloat16: Annotated[bool, ADJUSTABLE] = False,
) -> Model:
    """Build a pretrained transformer, for the component ``transformer`` of spacy-transformers.

    A saved pipeline holds the weights as safetensors, and the configuration and the tokenizer as
    the text of their files. It loads without a network, and nothing in it is unpickled. The other
    settings are those of ``spacy-transformers.TransformerModel.v3``.

    Args:
        name: A model of the Hugging Face hub, or the folder of one. It is read when training
            begins.
        get_spans: Cuts docs into the texts that the transformer reads.
        tokenizer_config: Settings of the tokenizer.
        transformer_config: Settings of the transformer.
        train_embeddings: Train the embeddings of word pieces, too. Without them an update of a
            multilingual transformer takes half the time on a CPU, and half the memory.
        bfloat16: Compute in bfloat16 on a CPU that has instructions for it (AVX-512 BF16 or AMX),
            and in single precision on others.

    Raises:
        ImportError: spacy-transformers is not installed.
    """
    implementation = _implementation("TransformerModel.v1")
    if bfloat16:
        limit_compiled(OF_A_TRANSFORMER)
    model = implementation.SafeTransformerModel(
        name, get_spans, tokenizer_config or {}, transformer_config or {}, train_embeddings
    )
    model.shim.settings[SETTING] = bfloat16
    return model


@_without_removed_settings
def build_transformer_tok2vec(
    name: str,
    get_spans: Callable[..., Any],
    pooling: Model[Ragged, Floats2d],
    tokenizer_config: dict[str, Any] | None = None,
    transformer_config: dict[str, Any] | None = None,
    grad_factor: float = 1.0,
    train_embeddings: bool = True,
    bfloat16: Annotated[bool, ADJUSTABLE] = False,
) -> Model:
    """Build a pretrained transformer as the ``tok2vec`` of one component.

    ``nlp.replace_listeners`` puts it in the place of a listener.

    Args:
        name: A model of the Hugging Face hub, or the folder of one. It is read when training
            begins.
        get_spans: Cuts docs into the texts that the transformer reads.
        pooling: Makes the vector of a word of those of its pieces.
        tokenizer_config: Settings of the tokenizer.
        transformer_config: Settings of the transformer.
        grad_factor: Multiplies the gradients that the transformer gets.
        train_embeddings: Train the embeddings of word pieces, too.
        bfloat16: Compute in bfloat16 on a CPU that has instructions for it (AVX-512 BF16 or AMX),
            and in single precision on others.

    Raises:
        ImportError: spacy-transformers is not installed.
    """
    model = build_transformer(
        name, get_spans, tokenizer_config, transformer_config, train_embeddings, bfloat16
    )
    from spacy_transformers.layers import split_trf_batch

    pooled = _implementation("Tok2VecTransformer.v1").pooled_pieces(pooling, grad_factor)
    # The layers of a listener that was replaced.
    return chain(chain(model, split_trf_batch()), pooled)


def build_transformer_listener(
    pooling: Model[Ragged, Floats2d], grad_factor: float = 1.0, upstream: str = "*"
) -> Tok2Vec:
    """A listener to a shared transformer, as ``spacy-transformers.TransformerListener.v1`` is, that
    can be a part of Thinc's ``concatenate.v1`` in any number of components.

    ``concatenate.v1`` adds up what its parts give back as gradients of the Docs. The listener of
    spacy-transformers gives a list of them in the last component, and None in all others.

    Args:
        pooling: What makes the vector of a token of those of its pieces.
        grad_factor: The gradient is multiplied by it.
        upstream: Name of the transformer's component. ``*``: the only one.

    Raises:
        ImportError: spacy-transformers is not installed.
    """
    implementation = _implementation("TransformerListener.v1")
    listener = implementation.ListeningPart(upstream_name=upstream)
    pooled = implementation.pooled_pieces(pooling, grad_factor)
    model: Tok2Vec = chain(listener, pooled)
    model.set_ref("listener", listener)
    return model
