"""`spacy structparse init-config`."""

import sys
from pathlib import Path

import pytest
import spacy
from spacy.util import load_config, load_model_from_config

from spacy_structparse.cli.compose_config import shipped_configs
from tests.helpers import commands

CONFIG = shipped_configs()["stack_lstm_dep"]


def run(*arguments: str | Path, fails: bool = False) -> str:
    return commands.run("init-config", *arguments, status=int(fails)).output


def test_writes_the_shipped_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the current folder by default."""
    monkeypatch.chdir(tmp_path)
    output = tmp_path / "new" / "config.cfg"
    assert "--paths.train … --paths.dev …" in run("stack_lstm_dep", output)
    run("stack_lstm_dep")
    assert output.read_bytes() == Path("stack_lstm_dep.cfg").read_bytes() == CONFIG.read_bytes()


@pytest.mark.parametrize("lang", ["de", "zh"])
def test_another_language_has_its_own_tokenizer(tmp_path: Path, lang: str) -> None:
    output = tmp_path / "config.cfg"
    run("stack_lstm_dep", output, "--lang", lang)
    written, shipped = (load_config(path, interpolate=False) for path in (output, CONFIG))
    assert {**written, "nlp": None} == {**shipped, "nlp": None}
    nlp = load_model_from_config(load_config(output), auto_fill=False)
    assert nlp.lang == lang
    assert type(nlp.tokenizer) is type(spacy.blank(lang).tokenizer)


def test_a_learned_tokenizer_stands_for_a_package_that_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sudachipy", None)
    learned = "spacy-structparse.segmenter.v1"
    assert learned in run("spa_dep", tmp_path / "a.cfg", "--lang", "ja")
    assert learned in run("-p", "spa_dep", "-e", "tok2vec", "-", "--lang", "ja", fails=True)
    spacy.blank("xx").to_disk(tmp_path / "model")
    config = tmp_path / "model" / "config.cfg"
    config.write_text(
        config.read_text().replace("spacy.Tokenizer.v1", "spacy.ja.JapaneseTokenizer")
    )
    assert learned in commands.said("parse", tmp_path / "model", "--text", "A dog.", status=1)
    # A config with a learned tokenizer keeps it.
    assert "Sudachi" not in run("language", tmp_path / "b.cfg", "--lang", "ja")
    nlp_settings = load_config(tmp_path / "b.cfg", interpolate=False)["nlp"]
    assert (nlp_settings["lang"], nlp_settings["tokenizer"]["@tokenizers"]) == ("ja", learned)


def test_any_language_and_a_treebank_without_trees(tmp_path: Path) -> None:
    data, config = tmp_path / "train.spacy", tmp_path / "c.cfg"
    source = Path(__file__).parents[2] / "assets" / "sample" / "train.conllu"
    commands.run("convert", source, data)
    output = run("language", config, "--lang", "lzh", "--data", data)
    assert "no language 'lzh'" in output and "seq2seq_constituency" in output
    settings = load_config(config)
    assert settings["nlp"]["lang"] == "xx" and "spa_dep" in settings["nlp"]["pipeline"]
    assert not settings["training"]["score_weights"]["const_f"]
    assert "No problems" in commands.said("debug", data, "--config", config)
    assert "spa_dep" not in run("seq2seq_constituency", "-", "--data", data, fails=True)


def test_an_existing_file_is_overwritten_by_force_alone(tmp_path: Path) -> None:
    output = tmp_path / "config.cfg"
    output.write_text("mine")
    assert "--force" in run("stack_lstm_dep", output, fails=True)
    assert output.read_text() == "mine"
    run("stack_lstm_dep", output, "--force")
    assert output.read_bytes() == CONFIG.read_bytes()


def test_lists_every_config_with_a_line_on_it() -> None:
    lines = dict(line.split(maxsplit=1) for line in run("--list").splitlines())
    assert list(lines) == list(shipped_configs())
    assert all(line[0].isalpha() and line[-1] == "." for line in lines.values())


@pytest.mark.parametrize("arguments", [["stack_lstm"], []])
def test_an_unknown_name_is_told_the_names(arguments: list[str]) -> None:
    output = run(*arguments, fails=True)
    assert all(name in output for name in shipped_configs())


@pytest.mark.parametrize(
    "option", ["--lang=de", "--encoder=trf", "--optimize=speed", "--parser=spa_dep"]
)
def test_a_trained_pipeline_decides_what_it_is(tmp_path: Path, option: str) -> None:
    """These were ignored with --from, so that the pipeline was not what was asked for."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    arguments = (tmp_path / "new.cfg", "--from", tmp_path / "model", "--add", "ner")
    assert option.partition("=")[0] in run(*arguments, option, fails=True)
    assert not (tmp_path / "new.cfg").exists()
    run(*arguments)


def test_a_config_for_the_size_of_a_treebank(tmp_path: Path, corpus: Path) -> None:
    """Of a name, and of a file, which is as good as shipped."""
    options = ("--data", corpus / "train.spacy")
    assert "training.max_steps" in run("stack_lstm_dep", tmp_path / "new.cfg", *options)
    mine, again = tmp_path / "mine.cfg", tmp_path / "again.cfg"
    run("stack_lstm_dep", mine)
    run(mine, again, *options)
    assert (tmp_path / "new.cfg").read_text() == again.read_text()
    before, after = (load_config(path, interpolate=False) for path in (CONFIG, again))
    assert after["training"]["max_steps"] < before["training"]["max_steps"]
    assert after["components"] == before["components"] and after["paths"] == before["paths"]


def test_standard_output_has_the_config_alone() -> None:
    assert run("stack_lstm_dep", "-") == CONFIG.read_text(encoding="utf-8")
