"""Architectures of pretrained transformers whose pipelines hold no pickle.

They build spacy-transformers' model, for its component ``transformer`` and for its listeners.
"""

from collections.abc import Callable
from typing import Any

from thinc.api import Model, chain
from thinc.types import Floats2d, Ragged

from ..processes import OF_A_TRANSFORMER, limit_compiled
from ..removed_settings import RELEASE, removed_settings

MIXED = "Take spacy-transformers.TransformerModel.v3, which has it."


@removed_settings(RELEASE, "Leave it out: texts are read every time.", cache_mb=0)
@removed_settings(RELEASE, "Leave it out: the last layer is read.", layers="last")
@removed_settings(RELEASE, MIXED, mixed_precision=False, grad_scaler_config=(None, {}))
@removed_settings(RELEASE, "Run `spacy structparse compress` on the pipeline.", half="none")
def build_transformer(
    name: str,
    get_spans: Callable[..., Any],
    tokenizer_config: dict[str, Any] | None = None,
    transformer_config: dict[str, Any] | None = None,
    bfloat16: bool = False,
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
        bfloat16: Compute in bfloat16 on a CPU that has instructions for it (AVX-512 BF16 or AMX),
            and in single precision on others.

    Raises:
        ImportError: spacy-transformers is not installed.
    """
    try:
        from .transformer_model import SafeTransformerModel
    except ImportError as error:
        raise without_transformers("TransformerModel.v1") from error
    if bfloat16:
        limit_compiled(OF_A_TRANSFORMER)
    return SafeTransformerModel(
        name,
        get_spans,
        tokenizer_config or {},
        transformer_config or {},
        {"bfloat16": bfloat16},
    )


@removed_settings(RELEASE, "Leave it out: texts are read every time.", cache_mb=0)
@removed_settings(RELEASE, "Leave it out: the last layer is read.", layers="last")
@removed_settings(RELEASE, MIXED, mixed_precision=False, grad_scaler_config=(None, {}))
@removed_settings(RELEASE, "Run `spacy structparse compress` on the pipeline.", half="none")
def build_transformer_tok2vec(
    name: str,
    get_spans: Callable[..., Any],
    pooling: Model[Ragged, Floats2d],
    tokenizer_config: dict[str, Any] | None = None,
    transformer_config: dict[str, Any] | None = None,
    bfloat16: bool = False,
    grad_factor: float = 1.0,
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
        bfloat16: Compute in bfloat16: see ``spacy-structparse.TransformerModel.v1``.
        grad_factor: Multiplies the gradients that the transformer gets.

    Raises:
        ImportError: spacy-transformers is not installed.
    """
    settings: dict[str, Any] = {**locals()}
    del settings["pooling"], settings["grad_factor"]
    model = build_transformer(**settings)
    from spacy_transformers.layers import split_trf_batch

    from .transformer_model import pooled_pieces

    # The layers of a listener that was replaced.
    return chain(chain(model, split_trf_batch()), pooled_pieces(pooling, grad_factor))


def without_transformers(architecture: str) -> ImportError:
    """The error of an architecture where spacy-transformers is not installed."""
    return ImportError(
        f"spacy-structparse.{architecture} needs the package spacy-transformers: "
        "python -m pip install 'spacy-structparse[transformers]'"
    )
