"""The number of functions that oneDNN keeps."""

import os

import pytest

from spacy_structparse.nn.kernels.primitive_cache import KEPT, limit_primitive_cache

VARIABLE = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"


def test_a_number_that_the_user_has_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "7")
    limit_primitive_cache()
    assert os.environ[VARIABLE] == "7"
    monkeypatch.delenv(VARIABLE)
    limit_primitive_cache()
    assert os.environ[VARIABLE] == str(KEPT)
