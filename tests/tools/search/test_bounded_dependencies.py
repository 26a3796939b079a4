"""Patterns of dependencies: what spaCy's matcher finds, with regular expressions that end."""

from random import Random
from typing import Any

import pytest
import spacy
from spacy.matcher import DependencyMatcher
from spacy.tokens import Doc, Token
from spacy.vocab import Vocab

from spacy_structparse.tools.search import PatternError, RegexTimeoutError
from spacy_structparse.tools.search.bounded_dependencies import BoundedDependencyMatcher
from tests.helpers.parsed_shards import sample_docs

CONDITIONS: list[dict[str, Any]] = [
    {"TEXT": {"REGEX": "^[A-Z]"}},
    {"ORTH": {"REGEX": "e$", "NOT_IN": ["the", "me"]}},
    {"lower": {"regex": "^th", "IN": ["the", "them", "saw"]}},
    {"NORM": {"REGEX": {"IN": ["^a", "b"]}}},
    {"LEMMA": {"REGEX": {"NOT_IN": ["e", "^$"]}}},
    {"TAG": {"REGEX": "^(VB|NN)", "NOT_IN": ["NN"]}},
    {"POS": {"REGEX": "^N|^V"}, "TAG": {"REGEX": "S"}},
    {"DEP": {"REGEX": "subj|obj"}},
    {"SHAPE": {"REGEX": "d|X"}},
    {"MORPH": {"REGEX": "Number=Sing"}},
    {"MORPH": {"REGEX": "Number", "IN": ["PronType=Prs|Number=Sing", "Number=Sing"]}},
    {"MORPH": {"REGEX": "^$"}},
    {"MORPH": {"REGEX": ""}},
    {"ENT_TYPE": {"REGEX": "^$"}},
    {"ENT_TYPE": {"REGEX": "."}},
    {"LENGTH": {">=": 3}, "LOWER": {"REGEX": "a.*a"}},
    {"_": {"first_letter": {"REGEX": "[abc]"}}},
    {"_": {"first_letter": {"REGEX": "^[^a]?$", "NOT_IN": ["b"]}}, "IS_ALPHA": True},
    {"LOWER": {"FUZZY": "them"}},
    {},
]


@pytest.fixture(scope="module")
def docs() -> list[Doc]:
    Token.set_extension("first_letter", getter=lambda token: token.lower_[:1], force=True)
    vocab = spacy.blank("xx").vocab
    found = sample_docs(vocab, n_sents=1)
    bare = Doc(found[0].vocab, words=["Them", "abba"], heads=[0, 0], deps=["ROOT", ""])
    return [*found, bare]


def alone(attributes: Any) -> list[dict[str, Any]]:
    return [{"RIGHT_ID": "word", "RIGHT_ATTRS": attributes}]


@pytest.mark.parametrize("attributes", CONDITIONS, ids=str)
def test_a_condition_finds_what_spacy_finds(docs: list[Doc], attributes: dict[str, Any]) -> None:
    vocab = docs[0].vocab
    whole = DependencyMatcher(vocab)
    whole.add("0", [alone(attributes)])
    expected = [[(0, places) for _, places in whole(doc)] for doc in docs]
    matcher = BoundedDependencyMatcher(vocab, [alone(attributes)])
    assert list(matcher.pipe(docs)) == expected
    # Strings of later Docs are tried too.
    assert [found for doc in docs for found in matcher.pipe([doc])] == expected


def test_several_patterns_with_relations(docs: list[Doc]) -> None:
    verb = {"RIGHT_ID": "verb", "RIGHT_ATTRS": {"TAG": {"REGEX": "^VB"}}}
    subject = {
        "LEFT_ID": "verb", "REL_OP": ">", "RIGHT_ID": "subject",
        "RIGHT_ATTRS": {"DEP": {"REGEX": "^nsubj"}},
    }  # fmt: skip
    patterns = [alone({"LOWER": "the"}), [verb, subject]]
    whole = DependencyMatcher(docs[0].vocab)
    for number, pattern in enumerate(patterns):
        whole.add(str(number), [pattern])
    keys = docs[0].vocab.strings
    found = list(BoundedDependencyMatcher(docs[0].vocab, patterns).pipe(docs))
    assert found == [[(int(keys[key]), places) for key, places in whole(doc)] for doc in docs]
    assert {number for of_doc in found for number, _ in of_doc} == {0, 1}


def random_doc(vocab: Vocab, n: int, seed: int) -> Doc:
    """A sentence with random heads, each word on one before it, and labels of two kinds."""
    random = Random(seed)
    heads = [0, *[random.randrange(i) for i in range(1, n)]]
    labels = [random.choice(["a", "b"]) for _ in range(n)]
    return Doc(vocab, words=[f"w{i}" for i in range(n)], heads=heads, deps=labels)


@pytest.mark.parametrize("seed", range(5))
def test_nodes_in_every_relation_are_those_of_spacy(seed: int) -> None:
    vocab = Vocab()
    docs = [random_doc(vocab, n, 10 * seed + n) for n in range(1, 9)]
    random = Random(seed)
    operators = list(DependencyMatcher(vocab)._ops)
    for operator in operators:
        pattern: list[dict[str, Any]] = [{"RIGHT_ID": "n0", "RIGHT_ATTRS": {"DEP": "a"}}]
        for node in range(1, 4):
            pattern.append(
                {
                    "LEFT_ID": f"n{random.randrange(node)}",
                    "REL_OP": operator if node == 1 else random.choice(operators),
                    "RIGHT_ID": f"n{node}",
                    "RIGHT_ATTRS": random.choice([{}, {"DEP": "b"}]),
                }
            )
        whole = DependencyMatcher(vocab)
        whole.add("0", [pattern])
        matches = list(BoundedDependencyMatcher(vocab, [pattern]).pipe(docs))
        assert matches == [[(0, places) for _, places in whole(doc)] for doc in docs]


def test_an_expression_that_does_not_end_names_its_pattern() -> None:
    vocab = spacy.blank("xx").vocab
    doc = Doc(vocab, words=["a" * 60 + "b"], heads=[0], deps=["ROOT"])
    for attributes, place in (
        ({"LOWER": {"REGEX": "^(a|aa)+$"}}, "LOWER"),
        ({"TEXT": {"REGEX": {"NOT_IN": ["^(a|aa)+$"]}}}, "TEXT"),
    ):
        patterns = [alone({"LOWER": "b"}), alone(attributes)]
        matcher = BoundedDependencyMatcher(vocab, patterns, regex_timeout=0.01)
        with pytest.raises(RegexTimeoutError, match=rf"pattern 2, node 'word', {place}: .*aa\)\+"):
            list(matcher.pipe([doc]))


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"LOWER": {"REGEX": "("}}, r"node 'word', LOWER: the regular expression /\(/ is wrong"),
        ({"LOWER": {"REGEX": 1}}, "REGEX takes a string"),
        ({"LOWER": {"REGEX": {"IS_SUBSET": ["a"]}}}, "REGEX takes IN and NOT_IN"),
        ({"WORD": {"REGEX": "a"}}, "'WORD' is no attribute"),
        ({"sent_start": {"REGEX": "1"}}, "'SENT_START' is no attribute of tokens with strings"),
        ({"IS_ALPHA": {"REGEX": "^IS"}}, "'IS_ALPHA' is no attribute of tokens with strings"),
        ({"_": {"nowhere": "a"}}, "node 'word': tokens have no extension 'nowhere'"),
    ],
)
def test_wrong_expressions(attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(PatternError, match=message):
        BoundedDependencyMatcher(Vocab(), [alone(attributes)])
