"""Patterns as another implementation of Tregex writes them."""

import pytest

from benchmarks.tregex_peer import pytregex_spelling


@pytest.mark.parametrize(
    ("pattern", "spelling"),
    [
        ("NP|VP < NN <-2 DT", "NP|VP < NN <-2 DT"),
        ("NP [< NN | !< (NNS|DT)] & > VP", "NP [< NN || !< (NNS|DT)] & > VP"),
        ("NP < DT | (> VP)", "NP < DT || [> VP]"),
        ("(NP < DT) | (PP < !IN)", "(NP < DT) ; (PP < !IN)"),
        ("NP !< DT !> (VP !< @NP)", "NP & !< DT & !> (VP & !< @NP)"),
        ("NP|VP (< NN | < (VBZ < is)) > S", "NP|VP [< NN || < (VBZ < is)] > S"),
        ("NP=a < (NN=b > =a) <, __=c", "NP=a < (NN > =a) <, __"),
        ("VP=a << (~a=b !== =a)", "VP=a << (~a & !== =a)"),
    ],
)
def test_spelling(pattern: str, spelling: str) -> None:
    assert pytregex_spelling(pattern) == spelling
