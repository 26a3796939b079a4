"""Files of the package that a reader opens to follow one parse."""

import pytest

from benchmarks.one_sentence import KINDS, Walk, new_pipeline


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_one_sentence_runs_through_few_files(kind: str) -> None:
    walk = Walk(new_pipeline(*KINDS[kind]))
    assert "pipeline/sentences.py" in walk.functions
    assert len(walk.functions) <= 25 and len(walk.deepest) <= 12
