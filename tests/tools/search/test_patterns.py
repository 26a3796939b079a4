"""Reading of patterns: errors name the column, and what was expected there."""

import pytest

from spacy_structparse.errors import PatternError
from spacy_structparse.tools.search.tregex import parse_tregex


@pytest.mark.parametrize(
    ("pattern", "column", "message"),
    [
        ("", 1, "expected a node"),
        ("NP <", 5, "the end of the pattern"),
        ("NP < < VP", 6, "expected a node"),
        ("NP VP", 4, "expected a relation"),
        ("(NP < VP", 9, "')'"),
        ("NP [< VP", 9, "']'"),
        ("NP []", 4, "expected a relation"),
        ("NP < 10", 8, "expected a node"),
        ("10", 1, "If '10' is part of a label, write a regular expression"),
        ("NP < PRP$", 10, "If '$' is part of a label, write a regular expression"),
        ("NP < PRP$ < NN", 11, "If '$' is part of a label, write a regular expression"),
        ("NP <0 VP", 5, "counted from 1"),
        ("/NP", 1, "ends with '/'"),
        ("NP < /a(/", 9, "missing )"),
        ("NP ?!< VP", 5, "after '?'"),
        ("NP !!< VP", 5, "after '!'"),
        ("NP < VP=", 9, "expected a name"),
        ("NP=a < VP=a", 11, "names a node already"),
        ("NP < =a", 7, "no node before is named 'a'"),
        ("NP < ~a", 7, "no node before is named 'a'"),
        ("NP !< VP=a", 10, "negated"),
        ("NP [< VP=a | < =a]", 17, "no node before"),
        ("/(a)/#2%x", 7, "has 1 groups"),
        ("/(a)/#1", 8, "'%'"),
        ("!/(a)/#1%x", 1, "no groups"),
        ("NP <+VP NN", 6, "'('"),
        ("NP <+(VP NN", 10, "')'"),
        ("NP <... NN", 9, "'{'"),
        ("NP <... { NN NN }", 14, "';' or '}'"),
        ("NN{LEMA:dog}", 4, "LEMMA"),
        ("NN{LEMMA}", 9, "':' after LEMMA"),
        ("NP & VP", 4, "expected a relation"),
        ("NP < VP & NN", 11, "a relation after '&'"),
        ("NP < .", 6, "If '.' is part of a label, write a regular expression"),
        ("NP ^", 4, "expected a relation"),
        ("(" * 60 + "NP" + ")" * 60, 52, "nest more than 50 deep"),
    ],
)
def test_errors_name_the_column(pattern: str, column: int, message: str) -> None:
    with pytest.raises(PatternError) as caught:
        parse_tregex(pattern)
    assert caught.value.column == column
    assert message in str(caught.value).splitlines()[0]
    assert str(caught.value).splitlines()[-1].index("^") == column + 1
