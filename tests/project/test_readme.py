"""The README says what is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
import srsly
import typer
from spacy.cli.train import train
from spacy.util import load_config
from thinc.api import Config
from typer.main import get_command

from spacy_structparse.cli import app
from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf8")
EXAMPLES = re.findall(r"```python\n((?:(?!```).)*)```\n\n```text\n(.*?)```", README, re.DOTALL)


def test_the_two_commands() -> None:
    install = "python -m pip install -c constraints.txt -e"
    for command in (
        f"{install} . && python -m spacy project run all",
        f'{install} ".[test]" && python -m pytest',
    ):
        assert command in README.splitlines()


@pytest.mark.parametrize(("code", "printed"), EXAMPLES)
def test_examples_print_what_is_shown(code: str, printed: str, tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == printed


def test_every_example_is_tested() -> None:
    """But for those that need a trained pipeline, which print nothing."""
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(EXAMPLES) == sum("spacy.load(path" not in block for block in blocks) >= 3


def test_settings_of_a_trained_pipeline(tmp_path: Path) -> None:
    """The example that loads one does what it says."""
    nlp = spacy.blank("en")
    component = nlp.add_pipe("seq2seq_constituency")
    component.cfg["labels"] = {"chains": [["S"]]}
    nlp.to_disk(tmp_path)
    (code,) = re.findall(r"```python\n([^`]*?spacy.load\(path[^`]*)```", README)
    names = {"nlp": nlp, "spacy": spacy, "path": tmp_path}
    exec(code, names)
    assert component.beam_width == 10
    assert names["nlp"] is not nlp
    assert names["nlp"].get_pipe("seq2seq_constituency").beam_width == 10
    component.max_words = 100
    assert component.malformed == {}


def test_components_on_one_embedding_train(tmp_path: Path, corpus_paths: dict[str, str]) -> None:
    (snippet,) = re.findall(r"```ini\n(\[nlp\].*?)```", README, re.DOTALL)
    new = Config().from_str(f"[training]\n\n{snippet}", interpolate=False)
    config = load_config(ROOT / "configs" / "seq2seq_constituency.cfg", interpolate=False)
    config["nlp"] = new["nlp"]
    config["components"] = new["components"]
    config["training"]["score_weights"] = new["training"]["score_weights"]
    config.to_disk(tmp_path / "joint.cfg")
    train(tmp_path / "joint.cfg", tmp_path, overrides={**FEW_STEPS, **corpus_paths})
    doc = spacy.load(tmp_path / "model-last")("The cook stirs the soup.")
    assert all(token.tag_ and token.dep_ for token in doc)
    assert doc.spans["constituency"][0].text == doc.text
    scores = srsly.read_json(tmp_path / "model-last" / "meta.json")["performance"]
    assert {"tag_acc", "dep_las", "const_f"} <= set(scores)


def test_commands_and_options_exist() -> None:
    group = get_command(app)
    context = typer.Context(group)
    joined = README.replace("\\\n", " ")
    found = re.findall(r"python -m spacy structparse ([a-z-]+)([^\n]*)", joined)
    assert found
    for name, rest in found:
        subcommand = group.get_command(context, name)  # type: ignore[attr-defined]
        assert subcommand is not None, name
        options = {option for param in subcommand.params for option in param.opts}
        used = re.findall(r"(?<= )--[a-z-]+", rest.partition("`")[0])
        assert set(used) <= options, name


def test_linked_files_exist() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    # Written by benchmarks/make_results.py.
    assert [link for link in links if not (ROOT / link).exists()] in ([], ["docs/results.md"])
