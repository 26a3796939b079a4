"""Input that no treebank has: a parse of it, or an error that says what is wrong."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_structparse.pipeline.gold_dependencies import GoldSentence
from spacy_structparse.pipeline.sentences import cut_sentences
from tests.helpers.small_parser import NAME, add_parser, arcs, examples_of


def is_tree(doc: Doc) -> bool:
    """Every token reaches a root of its own sentence, and every sentence has one."""
    for token in doc:
        seen = set()
        while token.head.i != token.i:
            if token.i in seen:
                return False
            seen.add(token.i)
            token = token.head
    return all(sum(t.head == t for t in sent) == 1 for sent in doc.sents)


def test_empty_docs_among_others(untrained: Language, twenty: list[Doc]) -> None:
    texts = ["", twenty[0].text, " ", "", twenty[1].text, "\n"]
    docs = list(untrained.pipe(texts))
    assert [doc.text for doc in docs] == texts
    assert arcs(docs[1]) == arcs(untrained(texts[1]))
    assert arcs(docs[4]) == arcs(untrained(texts[4]))
    assert list(untrained.pipe([])) == []
    assert list(untrained.pipe(["", ""]))[1].text == ""


def test_a_batch_without_arcs_between_words(untrained: Language) -> None:
    """Sentences of one word have a root and nothing to label."""
    example = Example.from_dict(untrained.make_doc("Stop"), {"heads": [0], "deps": ["ROOT"]})
    assert untrained.update([example])[NAME] >= 0.0


def test_empty_examples(untrained: Language, twenty: list[Doc]) -> None:
    empty = Example(Doc(untrained.vocab), Doc(untrained.vocab))
    space = Example.from_dict(untrained.make_doc("  "), {"words": ["  "], "heads": [0]})
    assert untrained.update([empty])[NAME] == 0.0
    assert untrained.get_pipe(NAME).update([]) == {NAME: 0.0}
    assert untrained.update([empty, space])[NAME] == 0.0
    losses = untrained.update([empty, *examples_of(untrained, twenty), space])
    assert losses[NAME] > 0
    scores = untrained.evaluate([empty, space])
    assert scores["dep_las"] is None


def test_a_doc_at_fault_loses_no_other(
    untrained: Language, twenty: list[Doc], monkeypatch: pytest.MonkeyPatch
) -> None:
    component = untrained.get_pipe(NAME)
    predict = component.predict

    def failing(docs: list[Doc]) -> object:
        docs = list(docs)
        if any("bread" in doc.text for doc in docs):
            raise RuntimeError("no bread")
        return predict(docs)

    texts = [doc.text for doc in twenty]
    good = [text for text in texts if "bread" not in text]
    assert 0 < len(good) < len(texts)
    expected = [arcs(untrained(text)) for text in good]
    monkeypatch.setattr(component, "predict", failing)
    with pytest.raises(RuntimeError, match="no bread"):
        list(untrained.pipe(texts))
    failed: list[str] = []
    untrained.set_error_handler(
        lambda name, proc, docs, error: failed.extend(doc.text for doc in docs)
    )
    docs = list(untrained.pipe(texts, batch_size=8))
    assert [doc.text for doc in docs] == good
    assert [arcs(doc) for doc in docs] == expected
    assert failed == [text for text in texts if "bread" in text]


@pytest.mark.parametrize(
    ("heads", "reason"),
    [([0, 0, 2, 2], "2 roots"), ([1, 0, 2, 2], "a cycle"), ([1, 2, 0, 0], "no root")],
)
def test_gold_that_is_no_tree_is_skipped_and_counted(
    untrained: Language, heads: list[int], reason: str
) -> None:
    component = untrained.get_pipe(NAME)
    [sentence] = cut_sentences([Doc(untrained.vocab, words=["one", "two", "three", "four"])])
    bad = GoldSentence(sentence, heads, ["det"] * 4)
    good = GoldSentence(sentence, [1, 1, 1, 1], ["det"] * 4)
    with pytest.warns(UserWarning, match=rf"\[{NAME}\] .*{reason}.*tokens 0 to 3") as caught:
        sentences, _ = component.training_batch([bad, good, bad])
    assert len(sentences) == 1
    assert len(caught) == 1
    assert component.skipped[reason] == 2
    assert component.training_batch([bad]) == ([], None)


def test_a_loss_that_is_not_a_number(untrained: Language, twenty: list[Doc]) -> None:
    shim = untrained.get_pipe(NAME).model.get_ref("parser").shims[0]
    *others, last = shim.module.parameters()
    last.data.fill_(float("nan"))
    optimizer = untrained.create_optimizer()
    with pytest.raises(ValueError, match=rf"E910.*{NAME}"):
        untrained.update(examples_of(untrained, twenty), sgd=optimizer)
    assert not any(parameter.isnan().any() for parameter in others)


@Language.component("first_word_split")
def split_the_first_word(doc: Doc) -> Doc:
    with doc.retokenize() as retokenizer:
        text = doc[0].text
        retokenizer.split(doc[0], [text[:1], text[1:]], heads=[(doc[0], 1), doc[1]])
    return doc


def test_words_split_after_their_vectors_were_made(twenty: list[Doc]) -> None:
    """The words of all later Docs of the batch would have the vectors of others."""
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec")
    add_parser(nlp, tok2vec={"@architectures": "spacy.Tok2VecListener.v1", "width": 96})
    nlp.initialize(lambda: examples_of(nlp, twenty[:2]))
    texts = [twenty[0].text, twenty[1].text]
    nlp.add_pipe("first_word_split", after="tok2vec")
    with pytest.raises(ValueError, match=r"vectors for the \d+ tokens of .*"):
        list(nlp.pipe(texts))
    nlp.remove_pipe("first_word_split")
    nlp.add_pipe("first_word_split", first=True)
    first, _ = nlp.pipe(texts)
    assert len(first) == len(twenty[0]) + 1 and is_tree(first)
