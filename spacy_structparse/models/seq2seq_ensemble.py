"""``spacy-structparse.Seq2SeqEnsemble.v1``: trained sequence-to-sequence parsers that parse
together, by the mean of their log probabilities at every step."""

from collections.abc import Callable
from typing import Any

from spacy.tokens import Doc
from thinc.api import Model, xp2torch

from ..nn.fast.device import SETTING, precision_of, rows_of
from ..nn.seq2seq.search import Seq2SeqSearch
from ..removed_settings import removed_settings
from .checks import check_whole
from .parser_model import SentenceBatch, parser_shims
from .torch_model import TorchModule, shim_of

UNTRAINABLE = (
    "an ensemble cannot be trained: train its members one by one and join them again with "
    "'spacy structparse ensemble'; to train other components beside it, list it under "
    "[training] frozen_components"
)


@removed_settings("The members have it: join them anew.", constrained=True)
def build_seq2seq_ensemble(members: dict[str, Any], beam_width: int = 1) -> Model:
    """Trained sequence-to-sequence parsers that parse together. Every output is a tree, unless all
    members have ``constrained = false``.

    ``spacy structparse ensemble`` writes its config. It cannot be trained: its members are, one by
    one. The parser of the first member, in the order of the names, is the ``parser`` that the
    component asks for settings.

    Args:
        members: ``spacy-structparse.Seq2Seq.v1`` models by name, each with a ``tok2vec`` of its
            own. They have the same linearization; other settings may differ.
        beam_width: Number of hypotheses kept in decoding, in place of the members' own. 1 is
            greedy.

    Returns:
        Model[tuple[list[Doc], list[SentenceBatch]], list[Seq2SeqSearch]].

    Raises:
        ValueError: The members cannot parse together.
    """
    # A config file need not keep the order of its sections, and weights are stored in order.
    ordered = dict(sorted(members.items()))
    if not ordered:
        raise ValueError("Seq2SeqEnsemble: it has no members, at least one parser is needed")
    check_whole("Seq2SeqEnsemble", "beam_width", beam_width, 1)
    for name, member in ordered.items():
        # Config validation does not look into a dictionary of registered functions.
        if not isinstance(member, Model) or member.name != "seq2seq":
            raise ValueError(
                f"Seq2SeqEnsemble: member '{name}' is no spacy-structparse.Seq2Seq.v1 model"
            )
        for node in member.walk():
            for shim in node.shims:
                if isinstance(shim, TorchModule):
                    shim.named = f"{shim.what} of member '{name}'"
    models = list(ordered.values())
    settings = [shim_of(member.get_ref("parser")).settings for member in models]
    linearizations = {name: s["linearization"] for name, s in zip(ordered, settings, strict=True)}
    if len(set(linearizations.values())) > 1:
        raise ValueError(
            f"Seq2SeqEnsemble: members must have one linearization, but have {linearizations}"
        )
    constrained = any(of_member["constrained"] for of_member in settings)
    settings[0] |= {"beam_width": beam_width, "constrained": constrained}
    return Model(
        "seq2seq_ensemble",
        _forward,
        layers=models,
        refs={"parser": models[0].get_ref("parser")},
        attrs={"labels": None, "untrainable": UNTRAINABLE},
    )


def _forward(
    model: Model, X: tuple[list[Doc], list[SentenceBatch]], is_train: bool
) -> tuple[list[Seq2SeqSearch], Callable[[Any], Any]]:
    docs, batches = X
    shims = parser_shims(model)
    modules: list[Any] = [shim.reading for shim in shims]
    vectors = [
        xp2torch(member.ops.flatten(member.get_ref("tok2vec").predict(docs)))
        for member in model.layers
    ]
    settings = shims[0].settings
    width, constrained = settings["beam_width"], settings["constrained"]
    exact = [shim.settings for shim in shims if not shim.settings.get(SETTING)]
    searches = []
    with precision_of(exact[0] if exact else settings):
        for batch in batches:
            read = [rows_of(tokens, batch.rows) for tokens in vectors]
            members = list(zip(modules, read, strict=True))
            searches.append(Seq2SeqSearch(members, batch.content, width, constrained=constrained))
    return searches, lambda _: docs
