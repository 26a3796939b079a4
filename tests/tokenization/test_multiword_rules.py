"""Splitting multiword tokens: seen forms, unseen ones by rules, and capitals."""

import pytest

from spacy_structparse.tokenization.multiword_rules import MultiwordRules

SPANISH = [
    ("del", ("de", "el")),
    ("verlo", ("ver", "lo")),
    ("verme", ("ver", "me")),
    ("darme", ("dar", "me")),
    ("ponerme", ("poner", "me")),
    ("tenerlo", ("tener", "lo")),
    ("leerlo", ("leer", "lo")),
    ("dándolo", ("dando", "lo")),
    ("mirándolo", ("mirando", "lo")),
    ("contándolo", ("contando", "lo")),
]
PREFIXES = [("w" + word, ("wa", word)) for word in ("kitab", "rajul", "bayt")]


@pytest.mark.parametrize(
    "form, words",
    [
        ("del", ("de", "el")),
        ("DEL", ("DE", "EL")),
        ("Del", ("De", "el")),
        ("hacerlo", ("hacer", "lo")),  # by its ending
        ("Hacerlo", ("Hacer", "lo")),
        ("McHacerlo", ("McHacer", "lo")),
        ("jugándolo", ("jugando", "lo")),  # by a longer ending, which loses its accent
        ("jugándome", ("jugando", "me")),  # with words that no such form was seen with
        ("wqalam", ("wa", "qalam")),  # by its beginning
        ("xyz", ("xyz",)),
    ],
)
def test_forms_are_split_as_the_treebank_does(form, words):
    rules = MultiwordRules.learn([*SPANISH, *PREFIXES])
    assert rules.split(form) == words
    assert MultiwordRules.from_bytes(rules.to_bytes()).split(form) == words


def test_the_most_frequent_words_of_a_form_win():
    rules = MultiwordRules.learn([("au", ("à", "le")), ("au", ("a", "le")), ("au", ("à", "le"))])
    assert rules.split("au") == ("à", "le")


@pytest.mark.parametrize("data", [b"[]", b"{}", b'{"words": {"a": []}, "rules": [], "stems": []}'])
def test_other_data_is_refused(data):
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        MultiwordRules.from_bytes(data)
