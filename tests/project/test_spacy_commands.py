"""spaCy's own commands on our component."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly


def test_evaluate_and_table(command: Any, model: Path, corpus: Path, tmp_path: Path) -> None:
    metrics = tmp_path / "metrics.json"
    data = corpus / "dev.spacy"
    command("evaluate", model, data, "--gold-preproc", "--per-component", "--output", metrics)
    scores = srsly.read_json(metrics)["stack_lstm_dep"]
    assert 0 <= scores["dep_las_nopunct"] <= scores["dep_uas_nopunct"] <= 1
    lines = command("structparse", "table", metrics).splitlines()
    rows = {line.rsplit(maxsplit=1)[0].strip(): line.split()[-1] for line in lines if line.strip()}
    assert rows["UAS, no PUNCT"] == f"{100 * scores['dep_uas_nopunct']:.2f}"
    assert rows["LAS, CoNLL 2018"] == f"{100 * scores['conll18_las']:.2f}"
    assert "CoNLL 2018: punctuation counts" in " ".join(" ".join(lines).split())


@pytest.mark.slow
def test_package_installs_and_loads(command: Any, model: Path, tmp_path: Path) -> None:
    """In a process that has imported nothing of ours."""
    pytest.importorskip("setuptools")
    packages, installed = tmp_path / "packages", tmp_path / "installed"
    packages.mkdir()
    command("package", model, packages, "--name", "tiny", "--version", "1.2.3", "--build", "none")
    package = packages / "en_tiny-1.2.3"
    requirements = srsly.read_json(package / "meta.json")["requirements"]
    assert any(name.startswith("spacy-structparse") for name in requirements)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run(
        [*pip, "--no-build-isolation", "--target", str(installed), str(package)], check=True
    )
    text = "The baker sells bread."
    code = f"import spacy; print([t.dep_ for t in spacy.load('en_tiny')({text!r})])"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == str([token.dep_ for token in spacy.load(model)(text)])
