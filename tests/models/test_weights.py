"""Weights are data: safetensors that say what they are, and refuse to be anything else."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from safetensors.torch import load
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Model
from torch import nn

from spacy_structparse.errors import WeightsError
from spacy_structparse.models.torch_model import TorchModule

pytestmark = pytest.mark.usefixtures("plain_english")

SIZES = {
    "hidden_width": 8,
    "hidden_depth": 1,
    "element_width": 8,
    "action_width": 4,
    "state_width": 8,
    "encoder_width": 0,
    "tok2vec": {"width": 8, "word_width": 4, "feature_rows": [9] * 4, "feature_width": 2},
}


def pipeline(labels: tuple[str, str] = ("det", "nsubj"), **settings: object) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("stack_lstm_dep", config={"model": {**SIZES, **settings}})
    gold = Doc(nlp.vocab, words=["The", "dog", "barks"], heads=[1, 2, 2], deps=[*labels, "ROOT"])
    nlp.initialize(lambda: [Example(nlp.make_doc("The dog barks"), gold)])
    return nlp


def parser_of(nlp: Language) -> Model:
    return nlp.get_pipe("stack_lstm_dep").model.get_ref("parser")


def restored(nlp: Language, stored: Language) -> Language:
    nlp.get_pipe("stack_lstm_dep").from_bytes(stored.get_pipe("stack_lstm_dep").to_bytes())
    return nlp


def test_weights_are_safetensors() -> None:
    shim = parser_of(pipeline()).shims[0]
    tensors = load(shim.to_bytes())
    assert set(tensors) == set(shim.module.state_dict())
    assert all((tensors[k] == v).all() for k, v in shim.module.state_dict().items())


def test_swapped_files_are_noticed(tmp_path: Path) -> None:
    pipeline().to_disk(tmp_path / "one")
    pipeline(labels=("det", "subj")).to_disk(tmp_path / "two")
    files = [tmp_path / name / "stack_lstm_dep" / "model" for name in ("one", "two")]
    files[0].write_bytes(files[1].read_bytes())
    with pytest.raises(ValueError, match=r"\[stack_lstm_dep\].*labels.*nsubj, subj"):
        spacy.load(tmp_path / "one")


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        ({"hidden_width": 12}, "hidden is 12 in the weights and 8 in the config"),
        ({"cell": "rnn"}, "cell is rnn"),
        ({"composition": False}, "composition"),
        ({"root": "first"}, "root"),
        ({"tok2vec": {**SIZES["tok2vec"], "features": ["NORM"] * 4}}, "features"),
        ({"tok2vec": {**SIZES["tok2vec"], "relu": False}}, "relu"),
    ],
)
def test_weights_of_other_settings_are_refused(setting: dict, name: str) -> None:
    with pytest.raises(ValueError, match=rf"\[stack_lstm_dep\].*other settings.*{name}"):
        restored(pipeline(), pipeline(**setting))


def test_weights_older_than_a_setting() -> None:
    """A pipeline that was stored before a setting existed reads on as without it."""
    old = pipeline()
    shim = parser_of(old).shims[0]
    assert shim.cfg.pop("composition") is True  # the default
    new = restored(pipeline(), old)
    assert parser_of(new).shims[0].cfg["composition"] is True
    words = "The dog barks"
    assert [t.head.i for t in new(words)] == [t.head.i for t in old(words)]
    with pytest.raises(ValueError, match=r"\[stack_lstm_dep\].*do not fit the model"):
        restored(pipeline(composition=False), old)


def test_settings_that_change_no_weight_follow_the_config(tmp_path: Path) -> None:
    pipeline().to_disk(tmp_path)
    path = "components.stack_lstm_dep.model"
    nlp = spacy.load(
        tmp_path,
        config={
            f"{path}.beam_width": 3,
            f"{path}.exploration": 0.1,
            f"{path}.tok2vec.unk_prob": 0.25,
            "components.stack_lstm_dep.max_words": 77,
        },
    )
    component = nlp.get_pipe("stack_lstm_dep")
    assert component.max_words == 77
    assert parser_of(nlp).shims[0].settings["exploration"] == 0.1
    assert component.model.get_ref("tok2vec").shims[0].settings["unk_prob"] == 0.25
    shim = parser_of(nlp).shims[0]
    seen: list[int] = []
    decode = shim.decode
    shim.decode = lambda module, tokens, query, settings: (
        seen.append(settings["beam_width"]) or decode(module, tokens, query, settings)
    )
    nlp("The dog barks")
    component.beam_width = 2
    nlp("The dog barks")
    assert seen == [3, 2]


def test_copies_have_weights_and_ids_of_their_own() -> None:
    parser = parser_of(pipeline())
    copied = parser.copy()
    # Optimizers tell the weights of a pipeline apart by them.
    later = TorchModule(nn.Module, "later one")
    assert parser.shims[0].id < copied.shims[0].id < later.id
    copied.shims[0].module.output.bias.data += 1
    assert not (copied.shims[0].module.output.bias == parser.shims[0].module.output.bias).any()


def _swap(file: dict[str, Any], filled: list[int]) -> None:
    first, second = filled
    file["shims"][first], file["shims"][second] = file["shims"][second], file["shims"][first]


def _empty(file: dict[str, Any], filled: list[int]) -> None:
    file["shims"][filled[0]] = [b""]


def _refer_elsewhere(file: dict[str, Any], filled: list[int]) -> None:
    node = next(node for node in file["nodes"] if node["refs"].get("parser") is not None)
    node["refs"]["parser"] = node["refs"]["tok2vec"]


def _change_vocabulary(**change: Any) -> Callable[[dict[str, Any], list[int]], None]:
    def damage(file: dict[str, Any], filled: list[int]) -> None:
        attrs = next(attrs for attrs in file["attrs"] if "vocabulary" in attrs)
        vocabulary = srsly.msgpack_loads(attrs["vocabulary"])
        attrs["vocabulary"] = srsly.msgpack_dumps({**vocabulary, **change})

    return damage


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (_swap, "the config asks for"),
        (_empty, "there are no weights"),
        (_refer_elsewhere, "layers are not those of the config"),
        (_change_vocabulary(words="The"), "words"),
        (_change_vocabulary(words=["The"]), "1 words"),
        (_change_vocabulary(singletons=[7]), "singletons"),
    ],
)
def test_a_file_whose_parts_do_not_belong_together(
    damage: Callable[[dict[str, Any], list[int]], None], says: str
) -> None:
    component: Any = pipeline().get_pipe("stack_lstm_dep")
    parts = srsly.msgpack_loads(component.to_bytes())
    file = srsly.msgpack_loads(parts["model"])
    damage(file, [i for i, shims in enumerate(file["shims"]) if shims])
    parts["model"] = srsly.msgpack_dumps(file)
    with pytest.raises(WeightsError, match=rf"\[stack_lstm_dep\].*{says}"):
        component.from_bytes(srsly.msgpack_dumps(parts))
