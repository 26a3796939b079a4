"""Silver data: which sentences are written, and what becomes of the others."""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_structparse.corpora import word_zones
from spacy_structparse.corpora.conllu_writer import doc_to_conllu
from spacy_structparse.corpora.docbins import docbin_files, read_docs
from spacy_structparse.corpora.given_columns import words_alone
from spacy_structparse.extensions.multiword import set_multiword_tokens
from spacy_structparse.tokenization.mwt_splitter import MwtSplitter
from spacy_structparse.tokenization.split_rules import SplitRules
from spacy_structparse.tools.agreement import parts, selection
from spacy_structparse.tools.agreement.agreement import Agreement, Rule
from spacy_structparse.tools.agreement.duplicates import fingerprint
from spacy_structparse.tools.agreement.lengths import bucket_of
from spacy_structparse.tools.agreement.parsers import Parser, SilverError
from spacy_structparse.tools.agreement.report import DROPPED, SilverReport
from spacy_structparse.tools.agreement.selection import Filters, Source, make_silver
from spacy_structparse.trees import get_tree
from tests.helpers.fake_parsers import pipeline

UNCHANGED = ["We see an other one.", "They are here."]
"""Sentences without an odd word for dependencies."""


def parsers(*others: str, **config: Any) -> list[Parser]:
    """A parser of this kind with nothing odd, and others with odd words."""
    kind = config.pop("kind", "fake_heads")
    first = Parser("first", pipeline(kind, **config))
    return [first, *(Parser(f"odd {one}", pipeline(kind, odd=[one])) for one in others)]


def sources(*texts: str | Doc) -> list[Source]:
    return [Source(text, "news", f"document {n}") for n, text in enumerate(texts, 1)]


def written(output: Path) -> list[str]:
    return [doc.text.strip() for doc in read_docs(output, spacy.blank("xx").vocab)]


def add_up(report: SilverReport) -> bool:
    """Whether every sentence that was read is counted once."""
    counts = report.sentences
    by_length = sum(report.lengths.values(), Counter())
    by_genre = sum(report.genres.values(), Counter())
    compared = counts["agreed"] + counts["disagreed"] + counts["unsure"]
    return (
        counts["read"] == sum(counts[name] for name in DROPPED) + counts["agreed"]
        and counts["agreed"] == counts["unsampled"] + counts["written"]
        and by_length["compared"] == by_genre["compared"] == compared
        and by_length["agreed"] == by_genre["agreed"] == counts["agreed"]
        and by_length["written"] == counts["written"]
    )


@pytest.mark.parametrize(
    ("agree", "kind", "kept"),
    [
        ("dependencies", "fake_heads", UNCHANGED),
        ("unlabelled", "fake_heads", ["We see labelled things.", *UNCHANGED]),
        ("trees", "fake_trees", ["We see a headed one.", "They are here."]),
    ],
)  # fmt: skip
def test_sentences_on_which_all_agree(
    tmp_path: Path, agree: str, kind: str, kept: list[str]
) -> None:
    text = "We see labelled things. We see a headed one. We see an other one. They are here."
    odd = ("labelled", "other") if kind == "fake_trees" else ("labelled", "headed", "other")
    found = parsers(*odd, kind=kind)
    report = make_silver(sources(text), found, Rule(Agreement(agree)), tmp_path / "a.spacy")
    assert written(tmp_path / "a.spacy") == kept
    assert report.sentences["disagreed"] == 4 - len(kept)
    assert add_up(report)


def test_what_is_written_is_the_parse_of_the_first(tmp_path: Path) -> None:
    nlp = pipeline("fake_heads", "fake_trees")
    others = Parser("b", pipeline("fake_trees"))
    rule = Rule(Agreement.trees)
    make_silver(
        sources("Hm. Old dogs sleep."), [Parser("a", nlp), others], rule, tmp_path / "a.spacy"
    )
    one, doc = read_docs(tmp_path / "a.spacy", nlp.vocab)
    assert one.text == "Hm." or one.text == "Hm. "
    assert [(token.head.i, token.dep_) for token in doc] == [(0, "ROOT"), *[(0, "dep")] * 3]
    assert str(get_tree(doc)) == "(TOP (S (NP (XX Old) (XX dogs)) (XX sleep) (XX .)))"
    assert doc.has_annotation("SENT_START") and len(list(doc.sents)) == 1


def test_a_share_is_enough(tmp_path: Path) -> None:
    # One of five words differs.
    text = "We see labelled things."
    found = parsers("labelled")
    for share, n in ((0.8, 1), (0.81, 0)):
        output = tmp_path / f"{n}.spacy"
        rule = Rule(Agreement.dependencies, share)
        report = make_silver(sources(text, "They are here."), found, rule, output)
        assert report.sentences["agreed"] == 1 + n


def test_confidence_of_the_first(tmp_path: Path) -> None:
    text = "We are unsure. They are here."
    found = parsers(confidence=0.9)
    for least, kept in ((0.5, ["They are here."]), (0.05, ["We are unsure.", "They are here."])):
        report = make_silver(sources(text), found, Rule(confidence=least), tmp_path / "a.spacy")
        assert written(tmp_path / "a.spacy") == kept
        assert report.sentences["unsure"] == 2 - len(kept)
        assert add_up(report)


def test_sentences_that_came_before_and_held_out_ones_are_dropped(tmp_path: Path) -> None:
    held_out = frozenset(fingerprint("They are HERE .".split()))
    texts = sources("We saw 3 dogs. We saw 4 dogs.", "we saw 5 dogs.", "They are here. We slept.")
    report = make_silver(
        texts, parsers("x"), Rule(Agreement.dependencies), tmp_path / "a.spacy",
        filters=Filters(held_out=held_out),
    )  # fmt: skip
    assert written(tmp_path / "a.spacy") == ["We saw 3 dogs.", "We slept."]
    assert (report.sentences["duplicates"], report.sentences["excluded"]) == (2, 1)
    assert add_up(report)


def test_lengths_as_those_of_a_treebank(tmp_path: Path) -> None:
    short = [f"{word} ran." for word in ("Ann", "Bob", "Cy", "Dot", "Eve", "Flo")]
    long = [f"{text[:-1]} and ran and ran and ran." for text in short[:2]]
    output = tmp_path / "a.spacy"
    report = make_silver(
        sources(" ".join(short), *long), parsers("x"), Rule(Agreement.dependencies), output,
        like={bucket_of(3): 50, bucket_of(9): 50},
    )  # fmt: skip
    assert Counter(len(doc) for doc in read_docs(output, spacy.blank("xx").vocab)) == {3: 2, 9: 2}
    assert report.sentences["unsampled"] == 4
    assert add_up(report)


def test_what_fails_is_counted_and_described(tmp_path: Path) -> None:
    first, second = parsers("x")

    @Language.component("fails_on_it")
    def fails_on_it(doc: Doc) -> Doc:
        if "it" in [token.text for token in doc]:
            raise KeyError("it is not known")
        return doc

    second.nlp.add_pipe("fails_on_it")
    texts = sources("They are here.", "These fail. So does this.", "We see. We see it.")
    report = make_silver(texts, [first, second], Rule(Agreement.dependencies), tmp_path / "a.spacy")
    assert written(tmp_path / "a.spacy") == ["They are here.", "We see."]
    assert (report.documents, report.failed_documents) == (3, 1)
    assert report.sentences["failed"] == 1
    assert add_up(report)
    assert report.failures[0] == "document 2: first, fake_heads: fake_heads fails"
    assert report.failures[1].startswith("document 3: 'We see it.': odd x, fails_on_it: KeyError")


def test_a_component_that_merges_tokens_fails_on_the_sentence(tmp_path: Path) -> None:
    first, second = parsers("x")

    @Language.component("merges_saw_it")
    def merges_saw_it(doc: Doc) -> Doc:
        if len(doc) > 3 and doc[2].text == "it":
            with doc.retokenize() as retokenizer:
                retokenizer.merge(doc[1:3])
        return doc

    second.nlp.add_pipe("merges_saw_it")
    report = make_silver(
        sources("We saw it there. We saw there it."),
        [first, second],
        Rule(Agreement.dependencies),
        tmp_path / "a.spacy",
    )
    assert written(tmp_path / "a.spacy") == ["We saw there it."]
    assert "different tokens" in report.failures[0]
    assert add_up(report)


def test_multiword_tokens_are_kept(tmp_path: Path) -> None:
    """Those of a text, whose tokenizer splits them, and those that come with a Doc."""
    first, second = parsers("x")
    splitter = MwtSplitter(first.nlp.vocab, first.nlp.tokenizer)
    splitter.rules = SplitRules(analyses={"du": [("de", "le")]}, lengths=[1])
    first.nlp.tokenizer = splitter
    vocab = spacy.blank("xx").vocab
    given = Doc(vocab, ["Va", "à", "le", "lit", "."])
    set_multiword_tokens(given, [(1, 3, "au")])
    texts = sources("Il dort. Il parle du chat.", words_alone(given))
    make_silver(texts, [first, second], Rule(Agreement.dependencies), tmp_path / "a.spacy")
    docs = list(read_docs(tmp_path / "a.spacy", vocab))
    assert [doc_to_conllu(doc).count("-") for doc in docs] == [0, 1, 1]
    assert "3-4\tdu\t" in doc_to_conllu(docs[1])
    assert "2-3\tau\t" in doc_to_conllu(docs[2])


def test_trees_are_kept_where_a_component_merges_tokens_after_the_parser(tmp_path: Path) -> None:
    nlp = pipeline("fake_trees")

    @Language.component("merges_the_first_two")
    def merges_the_first_two(doc: Doc) -> Doc:
        with doc.retokenize() as retokenizer:
            retokenizer.merge(doc[:2])
        return doc

    nlp.add_pipe("merges_the_first_two")
    make_silver(
        sources("Old dogs sleep. They ran."), [Parser("a", nlp)], Rule(), tmp_path / "a.spacy"
    )
    first, second = read_docs(tmp_path / "a.spacy", nlp.vocab)
    assert str(get_tree(first)) == "(TOP (S (NP (XX Old-U+0020-dogs)) (XX sleep) (XX .)))"
    assert str(get_tree(second)) == "(TOP (S (NP (XX They) (XX ran)) (XX .)))"


def test_given_tokens_and_sentences_are_kept(tmp_path: Path) -> None:
    words = ["Dr.", "No", ".", "Yes"]
    doc = Doc(spacy.blank("xx").vocab, words, sent_starts=[True, False, False, True])
    make_silver(sources(doc), parsers("x"), Rule(Agreement.dependencies), tmp_path / "a.spacy")
    found = read_docs(tmp_path / "a.spacy", spacy.blank("xx").vocab)
    assert [[token.text for token in one] for one in found] == [words[:3], words[3:]]


def letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def test_an_interrupted_run_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART", 40)
    monkeypatch.setattr(selection, "CHUNK", 50)
    kept: list[Path] = []
    found = parsers("x")

    def interrupted() -> Iterator[Source]:
        for number in range(300):
            yield Source(f"Dog {letters(number)} sleeps.", "news", str(number))
        # What came so far is on the disk, but for a part that is not full.
        kept.extend(tmp_path.glob("*/*.spacy"))
        raise KeyboardInterrupt

    for output in (tmp_path / "a.spacy", tmp_path / "folder"):
        kept.clear()
        with pytest.raises(KeyboardInterrupt):
            make_silver(interrupted(), found, Rule(Agreement.dependencies), output)
        assert len(kept) == 7
        assert not list(tmp_path.iterdir())


def test_a_folder_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART", 10)
    monkeypatch.setattr(parts, "FILE", 20)
    texts = [f"Dog {letters(number)} sleeps." for number in range(45)]
    make_silver(sources(*texts), parsers("x"), Rule(Agreement.dependencies), tmp_path / "out")
    files = docbin_files(tmp_path / "out")
    assert [file.name for file in files] == [f"silver-0000{n}.spacy" for n in range(3)]
    assert [len(written(file)) for file in files] == [20, 20, 5]
    assert written(tmp_path / "out") == texts


def documents(vocab: Vocab) -> Iterator[Source]:
    """Texts and Docs, of which some are duplicates, fail, or cannot be read."""
    for number in range(60):
        odd = ["labelled", "barking", "barking"][number % 3]
        text = f"Dog {letters(number % 50)} sleeps. We see {odd} {letters(number)} there."
        kind = number % 20
        if kind == 3:
            yield Source("", "news", str(number), "it cannot be read")
        elif kind == 7:
            yield Source(Doc(vocab, text.split()), "docs", str(number))
        else:
            yield Source(text + " These fail." * (kind == 9), "news", str(number))


def test_the_number_of_processes_makes_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "CHUNK", 7)
    reports, docs = [], []
    for n_process in (1, 2):
        first = Parser("first", pipeline("fake_heads", "fake_trees", confidence=0.9))
        found = [first, *parsers("labelled")[1:]]
        output = tmp_path / f"{n_process}.spacy"
        report = make_silver(
            documents(first.nlp.vocab), found, Rule(Agreement.dependencies, confidence=0.5), output,
            like={bucket_of(4): 2, bucket_of(6): 1}, seed=3, n_process=n_process,
        )  # fmt: skip
        assert add_up(report)
        reports.append(report.to_dict())
        docs.append([doc.to_json() for doc in read_docs(output, spacy.blank("xx").vocab)])
    assert reports[0] == reports[1] and docs[0] == docs[1]
    counts = reports[0]["sentences"]
    assert counts["duplicates"] and counts["disagreed"] and counts["unsampled"]
    assert reports[0]["failed_documents"] == 6


def test_a_worker_that_is_killed_is_an_error(tmp_path: Path) -> None:
    @Language.component("ends_its_process")
    def ends_its_process(doc: Doc) -> Doc:
        os._exit(1)

    nlp = pipeline("fake_heads")
    nlp.add_pipe("ends_its_process")
    with pytest.raises(SilverError, match="smaller --n-process"):
        make_silver(
            sources("They ran."), [Parser("a", nlp)], Rule(), tmp_path / "a.spacy", n_process=2
        )
    assert not list(tmp_path.iterdir())


def test_nothing_left_is_an_error_and_says_why(tmp_path: Path) -> None:
    texts = sources("We see labelled things.", "These fail.")
    with pytest.raises(SilverError, match=r"2 documents \(1 read, 1 disagreed; 1 documents failed"):
        make_silver(texts, parsers("labelled"), Rule(Agreement.dependencies), tmp_path / "a.spacy")
    assert not list(tmp_path.iterdir())


def test_lengths_that_cannot_be_had_are_an_error(tmp_path: Path) -> None:
    like = {bucket_of(3): 80, bucket_of(9): 20}
    with pytest.raises(SilverError, match=r"20.0 % .* 6-10 words, and 0 of the 2 that agree"):
        make_silver(
            sources("We ran.", "They ran."), parsers("x"), Rule(Agreement.dependencies),
            tmp_path / "a.spacy", like=like,
        )  # fmt: skip
    assert not list(tmp_path.iterdir())


def test_new_words_are_forgotten_with_their_chunk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the first ones, of which there are none here."""
    monkeypatch.setattr(word_zones, "KEPT_WORDS", 0)
    monkeypatch.setattr(selection, "CHUNK", 10)
    found = parsers("x")
    make_silver(sources("Dog barks."), found, Rule(Agreement.dependencies), tmp_path / "a.spacy")
    before = [len(parser.nlp.vocab.strings) for parser in found]
    texts = [f"Dog {letters(number)} sleeps." for number in range(50)]
    make_silver(sources(*texts), found, Rule(Agreement.dependencies), tmp_path / "b.spacy")
    assert written(tmp_path / "b.spacy") == texts
    assert [len(parser.nlp.vocab.strings) for parser in found] == before
