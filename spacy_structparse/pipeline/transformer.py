"""Pipelines of spacy-transformers, made to hold their transformer as data."""

from typing import Any

from spacy.language import Language
from spacy_transformers.layers import TransformerModel
from spacy_transformers.layers.hf_shim import HFShim
from thinc.api import Model

from ..models.transformer import Half
from ..models.transformer_model import config_within_a_component
from ..models.transformer_shim import TransformerShim

ARCHITECTURES = {
    **{f"spacy-transformers.TransformerModel.v{i}": "TransformerModel" for i in (1, 2, 3)},
    "spacy-transformers.Tok2VecTransformer.v3": "Tok2VecTransformer",
}
"""The architectures that are replaced, and those of this package, without prefix and version."""


def convert_transformers(nlp: Language, half: Half = "none") -> Language:
    """Give the transformers of a trained pipeline this package's architectures.

    Saved afterwards, the pipeline holds no pickle. Loading the pipeline of spacy-transformers,
    before, unpickles: do it only with a pipeline that you trust.

    Args:
        nlp: A pipeline whose transformer has an architecture of spacy-transformers. It is changed.
        half: The type of saved weights: see ``spacy-structparse.TransformerModel.v1``.

    Returns:
        The same pipeline.

    Raises:
        ValueError: It has no such transformer, or one of an older architecture.
    """
    converted = 0
    for name, pipe in nlp.components:
        model = getattr(pipe, "model", None)
        if not isinstance(model, Model):
            continue
        nodes = [
            node
            for node in model.walk()
            if isinstance(node, TransformerModel) and type(node.layers[0].shims[0]) is HFShim
        ]
        if not nodes:
            continue
        config = nlp.get_pipe_config(name)["model"]
        if _rename(config, half) != len(nodes):
            raise ValueError(
                f"component '{name}' has a transformer of an architecture that cannot be "
                f"converted: {config['@architectures']}; convertible are "
                f"{', '.join(ARCHITECTURES)}"
            )
        for node in nodes:
            _convert(node, half)
        converted += len(nodes)
    if not converted:
        raise ValueError(
            "the pipeline has no transformer of spacy-transformers' architectures "
            f"({', '.join(ARCHITECTURES)})"
        )
    return nlp


def _rename(config: dict[str, Any], half: Half) -> int:
    """Change the architectures in a config; give their number."""
    n = 0
    for value in list(config.values()):
        if isinstance(value, dict):
            n += _rename(value, half)
    if (new := ARCHITECTURES.get(config.get("@architectures", ""))) is not None:
        config |= {"@architectures": f"spacy-structparse.{new}.v1", "half": half}
        n += 1
    return n


def _convert(node: TransformerModel, half: Half) -> None:
    """Put a shim whose weights are data in the place of spacy-transformers' own."""
    old: Any = node.layers[0].shims[0]
    type_ = None if half == "none" else half
    new = TransformerShim(old._hfmodel, node.attrs["name"], type_, old._mixed_precision, {})
    node.layers[0].shims[0] = new
    node.attrs["replace_listener_cfg"] = config_within_a_component
