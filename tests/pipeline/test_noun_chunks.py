"""`doc.noun_chunks` of parses with the labels of Universal Dependencies."""

from pathlib import Path

import pytest
import spacy
from spacy.lang.en import English
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_structparse.extensions.noun_chunks import noun_chunks
from tests.helpers.paths import ROOT
from tests.helpers.small_parser import small

# Words as TEXT/POS/HEAD/LABEL, heads counted from 1.
SENTENCES = {
    "Barack/PROPN/4/nsubj Obama/PROPN/1/flat often/ADV/4/advmod saw/VERB/0/ROOT the/DET/7/det "
    "old/ADJ/7/amod dog/NOUN/4/obj of/ADP/10/case New/PROPN/10/compound York/PROPN/7/nmod": [
        "Barack Obama",
        "the old dog",
        "New York",
    ],
    "She/PRON/5/nsubj is/AUX/5/cop not/PART/5/advmod a/DET/5/det doctor/NOUN/0/ROOT "
    "who/PRON/7/nsubj heals/VERB/5/acl:relcl": ["She", "a doctor", "who"],
    "There/PRON/2/expl are/VERB/0/ROOT dogs/NOUN/2/nsubj and/CCONJ/5/cc cats/NOUN/3/conj "
    "in/ADP/8/case every/DET/8/det house/NOUN/2/obl": ["There", "dogs", "cats", "every house"],
    "I/PRON/2/nsubj gave/VERB/0/ROOT John/PROPN/5/nmod:poss 's/PART/3/case friend/NOUN/2/iobj "
    "Chapter/NOUN/2/obj 3/NUM/6/nummod": ["I", "John 's friend", "Chapter 3"],
    "the/DET/2/det king/NOUN/6/nmod:poss of/ADP/4/case France/PROPN/2/nmod 's/PART/2/case "
    "wife/NOUN/0/ROOT": ["the king of France 's wife"],
    "research/NOUN/4/compound and/CCONJ/3/cc development/NOUN/1/conj costs/NOUN/0/ROOT": [
        "research and development costs"
    ],
    "Republic/PROPN/0/ROOT Bank/PROPN/1/flat of/ADP/4/case Congo/PROPN/2/nmod": [
        "Republic Bank of Congo"
    ],
    "in/ADP/4/case ,/PUNCT/3/punct big/ADJ/4/amod houses/NOUN/0/ROOT": ["big houses"],
    "the/DET/4/det big/ADJ/4/amod ,/PUNCT/4/punct houses/NOUN/0/ROOT": ["the big , houses"],
}
WORDS = "John saw dogs in houses".split()
UNIVERSAL = ["nsubj", "ROOT", "obj", "case", "nmod:of"]
CLEAR = ["nsubj", "ROOT", "dobj", "prep", "pobj"]
POS = ["PROPN", "VERB", "NOUN", "ADP", "NOUN"]


def doc_of(vocab: Vocab, deps: list[str]) -> Doc:
    heads = [1, 1, 1, 4, 2] if "case" in deps else [1, 1, 1, 2, 3]
    return Doc(vocab, words=WORDS, pos=POS, heads=heads, deps=deps)


def pipeline(deps: list[str], lang: str = "en") -> Language:
    """A pipeline with a parser of the labels of one Doc."""
    nlp = spacy.blank(lang)
    nlp.add_pipe("spa_dep", config=small("spa_dep"))
    gold = doc_of(nlp.vocab, deps)
    nlp.initialize(lambda: [Example(nlp.make_doc(gold.text), gold)])
    return nlp


def chunks(doc: Doc) -> list[str]:
    return [chunk.text for chunk in doc.noun_chunks]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_chunks_are_base_noun_phrases(sentence: str) -> None:
    words, pos, heads, deps = zip(*(word.split("/") for word in sentence.split()), strict=True)
    places = [int(head) - 1 if head != "0" else i for i, head in enumerate(heads)]
    doc = Doc(Vocab(), words=[*words], pos=[*pos], heads=places, deps=[*deps])
    found = [doc[start:end].text for start, end, _ in noun_chunks(doc)]
    assert found == SENTENCES[sentence]


@pytest.mark.parametrize("lang", ["en", "de", "cs"])
def test_a_parser_with_universal_labels_brings_their_chunks(lang: str, tmp_path: Path) -> None:
    trained = pipeline(UNIVERSAL, lang)
    trained.to_disk(tmp_path)
    for nlp in (trained, spacy.load(tmp_path)):
        doc = doc_of(nlp.vocab, UNIVERSAL)
        assert chunks(doc) == ["John", "dogs", "houses"]
        assert chunks(Doc(nlp.vocab).from_bytes(doc.to_bytes())) == ["John", "dogs", "houses"]
        assert [[*sentence.noun_chunks] for sentence in doc.sents] == [[*doc.noun_chunks]]


def test_other_parsers_keep_the_chunks_of_spacy() -> None:
    default = English.Defaults.syntax_iterators["noun_chunks"]
    assert pipeline(CLEAR).vocab.get_noun_chunks is default
    saved = spacy.load(ROOT / "tests" / "saved" / "data" / "spa_none_biaffine")
    assert saved.vocab.get_noun_chunks is default
    assert pipeline(UNIVERSAL, "es").vocab.get_noun_chunks is not noun_chunks
    # A Doc of another parser in the same pipeline.
    doc = doc_of(pipeline(UNIVERSAL).vocab, [*CLEAR[:-1], "npadvmod"])
    assert chunks(doc) == [doc[start:end].text for start, end, _ in default(doc)]
    assert chunks(doc) == ["John", "dogs"]


def test_a_parser_taken_into_another_pipeline_brings_its_chunks() -> None:
    source = pipeline(UNIVERSAL)
    nlp = spacy.blank("en")
    nlp.add_pipe("spa_dep", source=source)
    doc = nlp(" ".join(WORDS))
    assert doc.noun_chunks_iterator is noun_chunks


def test_docs_without_what_chunks_are_read_from() -> None:
    vocab = pipeline(UNIVERSAL, "cs").vocab
    with pytest.raises(ValueError, match="E029"):
        chunks(Doc(vocab, words=WORDS))
    with pytest.raises(NotImplementedError):  # spaCy has no iterator for these labels
        chunks(doc_of(vocab, CLEAR))
    heads = [1, 1, 1, 4, 2]
    with pytest.warns(UserWarning, match="no token.pos"):
        assert not chunks(Doc(vocab, words=WORDS, heads=heads, deps=UNIVERSAL))
