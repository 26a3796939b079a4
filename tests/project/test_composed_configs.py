"""Configs that `init-config --parser` makes: complete, loaded by spaCy, and trained."""

from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.cli.train import train
from spacy.lang.de import German
from spacy.util import load_config, load_model_from_config

from spacy_structparse.cli.compose_config import shipped_configs
from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.tiny_bert import save_tiny_bert

PARSERS = ("stack_lstm_dep", "spa_dep", "seq2seq_constituency")
needs_transformers = pytest.mark.skipif(
    find_spec("spacy_transformers") is None, reason="needs the extra 'transformers'"
)
REMOVED = {"callback = null", "beta1 = 0.9", "eps = 1e-08", "L2_is_weight_decay = true"}
"""Lines of earlier settings, which are filled in as they are accepted."""
SHARED = ("tok2vec", pytest.param("trf", marks=needs_transformers))


def made(command: Any, output: Path, *options: str) -> Any:
    command("structparse", "init-config", "--parser", *options, output)
    return load_config(output, interpolate=False)


@pytest.mark.parametrize("encoder", SHARED)
@pytest.mark.parametrize("parser", PARSERS)
def test_shared_encoders(
    command: Any, tmp_path: Path, parser: str, encoder: str, corpus_paths: dict[str, str]
) -> None:
    aim = "speed" if (parser == "spa_dep") == (encoder == "trf") else "accuracy"
    output = tmp_path / "new" / "made.cfg"
    options = (parser, "--encoder", encoder, "--optimize", aim, "--lang", "de")
    config = made(command, output, *options)
    nlp = load_model_from_config(config, auto_fill=False, validate=True)
    assert isinstance(nlp, German)
    shared = "transformer" if encoder == "trf" else "tok2vec"
    assert nlp.pipe_names[0] == shared and nlp.pipe_names[-1] == parser
    assert set(nlp.get_pipe(shared).listening_components) == {*nlp.pipe_names[1:]}
    filled = load_model_from_config(config, auto_fill=True).config
    one, other = (set(it.to_str(interpolate=False).splitlines()) for it in (filled, nlp.config))
    assert one ^ other <= REMOVED
    assert not config["training"]["frozen_components"]
    paths = {"train", "dev", "vectors", "init_tok2vec"}
    assert set(config["paths"]) == paths | ({"transformer"} if encoder == "trf" else set())
    sections = [line for line in output.read_text().splitlines() if line.startswith("[")]
    tops = list(dict.fromkeys(line.strip("[]").partition(".")[0] for line in sections))
    assert tops == "paths system nlp components corpora training pretraining initialize".split()
    model = sections.index(f"[components.{parser}.model]")
    assert sections[model + 1] == f"[components.{parser}.model.tok2vec]"
    overrides = [f"--{name}={value}" for name, value in corpus_paths.items()]
    command("debug", "config", output, *overrides)


@pytest.mark.parametrize(("parser", "aim"), list(product(PARSERS, ["speed", "accuracy"])))
def test_an_embedding_of_its_own_is_that_of_the_shipped_config(
    command: Any, tmp_path: Path, parser: str, aim: str
) -> None:
    output = tmp_path / "own.cfg"
    command("structparse", "init-config", output, "--parser", parser, "--optimize", aim)
    shipped = shipped_configs()[parser if aim == "speed" else f"{parser}_tagged"]
    assert output.read_bytes() == shipped.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parser", "encoder"),
    [*((parser, "tok2vec") for parser in PARSERS),
     pytest.param("spa_dep", "trf", marks=needs_transformers)],
)  # fmt: skip
def test_trains_on_a_shared_encoder(
    command: Any, tmp_path: Path, parser: str, encoder: str, corpus_paths: dict[str, str]
) -> None:
    config = made(command, tmp_path / "made.cfg", parser, "--encoder", encoder)
    paths = dict(corpus_paths)
    if encoder == "trf":
        assert config["training"]["optimizer"]["factors"] == {"transformer": 0.025}
        (tmp_path / "bert").mkdir()
        words = ["the", "baker", "sells", "bread"]
        paths["paths.transformer"] = save_tiny_bert(tmp_path / "bert", words)
    train(tmp_path / "made.cfg", tmp_path / "out", overrides={**FEW_STEPS, **paths})
    doc = spacy.load(tmp_path / "out" / "model-last")("The baker sells fresh bread.")
    if parser == "seq2seq_constituency":
        tree = doc._.constituency_tree
        assert tree.words() == [token.text for token in doc] and "XX" not in tree.tags()
    else:
        assert all(token.dep_ for token in doc)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--encoder", "trf"], "goes with --parser"),
        (["spa_dep", "--optimize", "speed"], "goes with --parser"),
        (["--parser", "spa_dep", "spa_dep", "made.cfg"], "one file to write"),
        (["--parser", "phrasal_lm", "made.cfg"], "phrasal_lm"),
        (["--parser", "spa_dep", "."], ". exists"),
        (["spa_dep", "."], "is a directory"),
    ],
)
def test_wrong_arguments(
    command: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in command("structparse", "init-config", *arguments, fails=True)
    assert not list(tmp_path.iterdir())
