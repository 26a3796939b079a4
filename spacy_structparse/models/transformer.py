"""Architectures of pretrained transformers whose pipelines hold no pickle.

They build spacy-transformers' model, for its component ``transformer`` and for its listeners.
"""

from collections.abc import Callable
from typing import Any, Literal

from thinc.api import Model, chain
from thinc.types import Floats2d, Ragged

from ..processes import OF_A_TRANSFORMER, limit_compiled
from ..removed_settings import removed_settings
from .checks import RELEASE, check_choices

Half = Literal["none", "float16", "bfloat16"]


@removed_settings(RELEASE, "Leave it out: texts are read every time.", cache_mb=0)
@removed_settings(RELEASE, "Leave it out: the last layer is read.", layers="last")
def build_transformer(
    name: str,
    get_spans: Callable[..., Any],
    tokenizer_config: dict[str, Any] | None = None,
    transformer_config: dict[str, Any] | None = None,
    mixed_precision: bool = False,
    grad_scaler_config: dict[str, Any] | None = None,
    half: Half = "none",
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
        mixed_precision: Compute in half precision on a GPU.
        grad_scaler_config: Settings of the gradient scaling of mixed precision.
        half: The type of saved weights, which halves the pipeline's size: ``float16`` or
            ``bfloat16``. Loaded, they are single precision. ``none``: single precision.
        bfloat16: Compute in bfloat16 on a CPU that has instructions for it (AVX-512 BF16 or AMX),
            and in single precision on others.


    Raises:
        ImportError: spacy-transformers is not installed.
        ValueError: ``half`` is something else.
    """
    architecture = "spacy-structparse.TransformerModel.v1"
    check_choices(architecture, build_transformer, {"half": half})
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
        mixed_precision,
        grad_scaler_config or {},
        None if half == "none" else half,
        bfloat16,
    )


@removed_settings(RELEASE, "Leave it out: texts are read every time.", cache_mb=0)
@removed_settings(RELEASE, "Leave it out: the last layer is read.", layers="last")
def build_transformer_tok2vec(
    name: str,
    get_spans: Callable[..., Any],
    pooling: Model[Ragged, Floats2d],
    tokenizer_config: dict[str, Any] | None = None,
    transformer_config: dict[str, Any] | None = None,
    mixed_precision: bool = False,
    grad_scaler_config: dict[str, Any] | None = None,
    half: Half = "none",
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
        mixed_precision: Compute in half precision on a GPU.
        grad_scaler_config: Settings of the gradient scaling of mixed precision.
        half: The type of saved weights: see ``spacy-structparse.TransformerModel.v1``.
        bfloat16: Compute in bfloat16: see ``spacy-structparse.TransformerModel.v1``.
        grad_factor: Multiplies the gradients that the transformer gets.

    Raises:
        ImportError: spacy-transformers is not installed.
        ValueError: ``half`` is something else.
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
