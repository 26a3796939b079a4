"""Multiword tokens in Docs: a span group, the surface text, and range lines in CoNLL-U."""

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_structparse.corpora.conllu_writer import doc_to_conllu
from spacy_structparse.corpora.pipeline_outputs import words_alone
from spacy_structparse.extensions.multiword import MULTIWORD, set_multiword_tokens
from tests.helpers.commands import said

FRENCH = """\
# sent_id = 1
# text = Il parle du chat.
1	Il	il	PRON	PRON	_	2	nsubj	_	_
2	parle	parler	VERB	VERB	_	0	root	_	_
3-4	du	_	_	_	_	_	_	_	_
3	de	de	ADP	ADP	_	5	case	_	_
4	le	le	DET	DET	_	5	det	_	_
5	chat	chat	NOUN	NOUN	_	2	obl	_	SpaceAfter=No
6	.	.	PUNCT	PUNCT	_	2	punct	_	_

# sent_id = 2
# text = Va au lit.
1	Va	aller	VERB	VERB	_	0	root	_	_
2-3	au	_	_	_	_	_	_	_	_
2	à	à	ADP	ADP	_	4	case	_	_
3	le	le	DET	DET	_	4	det	_	_
4	lit	lit	NOUN	NOUN	_	1	obl	_	SpaceAfter=No
5	.	.	PUNCT	PUNCT	_	1	punct	_	_

"""


def convert(tmp_path, *options):
    source = tmp_path / "train.conllu"
    source.write_text(FRENCH, encoding="utf-8")
    target = tmp_path / "train.spacy"
    printed = said("convert", source, target, *options)
    return list(DocBin().from_disk(target).get_docs(Vocab())), printed


def spans(doc):
    return [(span.text, span.label_) for span in doc.spans.get(MULTIWORD, ())]


def test_convert_keeps_multiword_tokens_as_spans(tmp_path):
    (doc,), _ = convert(tmp_path, "--n-sents", "2")
    assert spans(doc) == [("de le", "du"), ("à le", "au")]
    assert doc._.surface_text == "Il parle du chat. Va au lit. "
    first, second = doc.sents
    assert first._.surface_text == "Il parle du chat."
    assert second._.surface_text == "Va au lit."
    forms = [doc._.surface_text[start:end] for start, end in doc._.surface_offsets][:6]
    assert forms == ["Il", "parle", "du", "du", "chat", "."]


def test_convert_says_which_words_it_splits_and_what_to_do(tmp_path):
    _, printed = convert(tmp_path)
    assert (
        "2 multiword tokens were split into their words: du → de le (1), au → à le (1)" in printed
    )
    assert "segmenter and mwt_splitter" in printed


@pytest.mark.parametrize("limits", [(0, 2), (1, 4)])
def test_words_of_a_multiword_token_across_the_limits_of_a_span_stand_alone(limits):
    doc = Doc(Vocab(), words=["va", "à", "le", "lit"], spaces=[True, True, True, False])
    set_multiword_tokens(doc, [(0, 2, "và"), (1, 3, "au")])
    start, end = limits
    assert doc[start:end]._.surface_text == ("và" if limits == (0, 2) else "au lit")
    assert doc._.surface_text == "và le lit"


def retokenized(text, multiword, merge=(), split=()):
    """A Doc in which tokens were merged, or split, after its multiword tokens were set."""
    doc = Doc(Vocab(), words=text.split())
    set_multiword_tokens(doc, multiword)
    with doc.retokenize() as retokenizer:
        for start, end in merge:
            retokenizer.merge(doc[start:end])
        for place, parts in split:
            retokenizer.split(doc[place], parts, heads=[doc[place]] * len(parts))
    return doc


@pytest.mark.parametrize(
    ("merge", "split", "forms"),
    [
        ([(0, 2)], [], ["New York", "cannot", "cannot", "sleep", "now"]),
        ([(4, 6)], [], ["New", "York", "cannot", "cannot", "sleep now"]),
        ([], [(1, ["Yo", "rk"])], ["New", "Yo", "rk", "cannot", "cannot", "sleep", "now"]),
        ([(2, 4)], [], ["New", "York", "cannot", "sleep", "now"]),
        ([(3, 5)], [], ["New", "York", "can", "not sleep", "now"]),
        ([(1, 5)], [], ["New", "York can not sleep", "now"]),
    ],
)
def test_merged_and_split_tokens_keep_all_words(merge, split, forms):
    doc = retokenized("New York can not sleep now", [(2, 4, "cannot")], merge, split)
    text = doc._.surface_text
    assert text == " ".join(dict.fromkeys(forms)).replace("Yo rk", "York") + " "
    assert [text[start:end] for start, end in doc._.surface_offsets] == forms
    assert words_alone(doc)._.surface_text == text
    rows = [line.split("\t") for line in doc_to_conllu(doc).splitlines() if "\t" in line]
    ranges = [row[1] for row in rows if "-" in row[0]]
    assert ranges == (["cannot"] if forms.count("cannot") > 1 else [])


def test_a_multiword_token_at_the_end_survives_a_merge_before_it():
    doc = retokenized("New York can not", [(2, 4, "cannot")], merge=[(0, 2)])
    assert doc._.surface_text == "New York cannot "
    assert "\n2-3\tcannot\t" in doc_to_conllu(doc)


def test_a_multiword_token_merged_into_one_word_is_that_word():
    doc = retokenized("they can not sleep", [(1, 3, "cannot")], merge=[(1, 3)])
    lines = doc_to_conllu(doc).splitlines()
    assert lines[0] == "# text = they cannot sleep"
    assert [line.split("\t")[:2] for line in lines[1:-1]] == [
        ["1", "they"], ["2", "cannot"], ["3", "sleep"],
    ]  # fmt: skip
