"""`spacy structparse parse --k-best`: several parses of each sentence, in each format."""

import json
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_structparse.corpora.conllu import read_conllu
from spacy_structparse.trees import Tree, read_trees, set_trees, wrap
from tests.helpers import fake_parsers  # noqa: F401  (registers the factories)
from tests.helpers.commands import run, said
from tests.helpers.paths import SAVED
from tests.helpers.saved_pipelines import saved

pytestmark = pytest.mark.usefixtures("plain_english")
ARCS, TREES = SAVED / "spa_bot_biaffine", SAVED / "trees_in_order_datt"
# A word alone has one head, so one parse.
SENTENCES = [["the", "cook", "stirs"], ["soup"], ["a", "dog"]]
K = 3


def one_bracket(doc: Doc) -> Doc:
    """An S over the words of every sentence."""
    set_trees(doc, [Tree("S", [Tree("XX", word=t.text) for t in one]) for one in doc.sents])
    return doc


Language.component("test_one_bracket", func=one_bracket, assigns=["doc._.constituency_tree"])


def one_doc(vocab: Vocab) -> Doc:
    return Doc(
        vocab,
        words=[word for words in SENTENCES for word in words],
        sent_starts=[i == 0 for words in SENTENCES for i, _ in enumerate(words)],
    )


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One document of three sentences."""
    path = tmp_path_factory.mktemp("source") / "in.spacy"
    DocBin(docs=[one_doc(spacy.blank("en").vocab)]).to_disk(path)
    return path


@pytest.fixture(scope="module")
def expected(both: Path) -> dict[str, list[list[Any]]]:
    """What `k_best` of each parser gives, for each sentence."""
    nlp = spacy.load(both)
    doc = one_doc(nlp.vocab)
    return {name: nlp.get_pipe(name).k_best(doc, K) for name in nlp.pipe_names}


def parse(*args: object) -> str:
    return run("parse", *args).stdout


def test_conllu_has_a_sentence_for_each_parse(
    both: Path, source: Path, expected: dict[str, list[list[Any]]], tmp_path: Path
) -> None:
    output = tmp_path / "out.conllu"
    parse(both, source, "--k-best", K, "-o", output)
    found = iter(read_conllu(output))
    of_sentences = zip(SENTENCES, expected["spa_dep"], strict=True)
    for place, (words, parses) in enumerate(of_sentences, 1):
        for rank, one in enumerate(parses, 1):
            sentence = next(found)
            comments = [line for line in sentence.lines if line.startswith("#")]
            assert f"# sent_id = 1-{place}" in comments
            assert f"# text = {' '.join(words)}" in comments
            assert comments[-2] == f"# parse = {rank}"
            name, value = comments[-1].split(" = ")
            assert name == "# log_probability"
            # It is written with four digits.
            assert float(value) == pytest.approx(one.log_probability, abs=6e-5)
            first = one.tokens[0]
            assert sentence.heads == [head - first for head in one.heads]
    assert next(found, None) is None
    assert [len(parses) for parses in expected["spa_dep"]] == [K, 1, 2]
    # What was read with ranks and is parsed again has those of its own parses alone.
    again = parse(both, output, "--k-best", 1)
    ranks = [line for line in again.splitlines() if line.startswith("# parse")]
    assert ranks == ["# parse = 1"] * 6


def test_an_empty_line_ends_the_trees_of_a_sentence(
    both: Path, source: Path, expected: dict[str, list[list[Any]]], tmp_path: Path
) -> None:
    output = tmp_path / "out.ptb"
    parse(both, source, "--k-best", K, "-f", "ptb", "-o", output)
    trees = [[str(wrap(one.tree)) for one in parses] for parses in expected["seq2seq_constituency"]]
    text = output.read_text()
    assert text.endswith("\n\n")
    assert [part.splitlines() for part in text[:-2].split("\n\n")] == trees
    # Readers of trees skip the empty lines.
    assert [str(wrap(tree)) for tree in read_trees(output)] == [
        tree for of_one in trees for tree in of_one
    ]


def test_json_has_lists_of_both_parsers(
    both: Path, source: Path, expected: dict[str, list[list[Any]]]
) -> None:
    out = parse(both, source, "-k", K, "-f", "json")
    (record,) = map(json.loads, out.splitlines())
    for place, sentence in enumerate(record["sentences"]):
        assert sentence["words"] == SENTENCES[place]
        assert not {"heads", "deps", "tree", "spans"} & set(sentence)
        arcs, trees = (expected[name][place] for name in ("spa_dep", "seq2seq_constituency"))
        assert [one["tree"] for one in sentence["trees"]] == [str(one.tree) for one in trees]
        assert [one["deps"] for one in sentence["dependencies"]] == [
            list(one.labels) for one in arcs
        ]
        assert [one["heads"] for one in sentence["dependencies"]] == [
            [head - one.tokens[0] for head in one.heads] for one in arcs
        ]
        for shown, found in ((sentence["trees"], trees), (sentence["dependencies"], arcs)):
            assert [one["log_probability"] for one in shown] == pytest.approx(
                [one.log_probability for one in found], abs=6e-5
            )


def test_the_terminal_shows_each_below_its_rank(
    both: Path, source: Path, expected: dict[str, list[list[Any]]]
) -> None:
    lines = parse(both, source, "-k", K, "-f", "terminal").splitlines()
    assert lines[0] == "the cook stirs"
    titles = [line for line in lines if "log probability" in line]
    assert titles == [
        f"{kind} {rank}, log probability {one.log_probability:.4f}".replace("-0.0000", "0.0000")
        for arcs, trees in zip(expected["spa_dep"], expected["seq2seq_constituency"], strict=True)
        for kind, parses in (("Dependencies", arcs), ("Tree", trees))
        for rank, one in enumerate(parses, 1)
    ]
    # The root's head is 0, so the heads in the table are those of CoNLL-U.
    second = lines.index(titles[1])
    one = expected["spa_dep"][0][1]
    assert [line.split("  ")[-2].split()[-1] for line in lines[second + 2 : second + 5]] == [
        "0" if head == token else str(head + 1)
        for token, head in zip(one.tokens, one.heads, strict=True)
    ]


def test_the_other_parser_gives_one_parse(tmp_path: Path, source: Path) -> None:
    """Rule-based trees beside dependencies: JSON has one tree, and brackets are refused."""
    nlp = spacy.load(ARCS)
    nlp.add_pipe("test_one_bracket")
    nlp.to_disk(tmp_path / "model")
    record = json.loads(parse(tmp_path / "model", source, "-k", K, "-f", "json"))
    first = record["sentences"][0]
    assert first["tree"] == "(S (XX the) (XX cook) (XX stirs))"
    assert len(first["dependencies"]) == K
    out = said("parse", tmp_path / "model", source, "-k", K, "-f", "ptb", status=1)
    assert "test_one_bracket gives one parse" in out and "seq2seq_constituency" in out


def test_what_cannot_be_given_is_said(both: Path, source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    for style in ("spacy", "svg"):
        out = said("parse", both, source, "-k", 2, "-f", style, "-o", output, status=1)
        assert f"--format {style}" in out
    assert "--gold predicts nothing" in said("parse", "-", source, "-k", 2, "--gold", status=1)
    rules = saved(tmp_path / "rules", "en", "test_one_bracket")
    assert "test_one_bracket gives one parse" in said("parse", rules, source, "-k", 2, status=1)
    out = said("parse", both, source, "-k", 2, "-p", 2, "-o", output, status=1)
    assert "leave out --n-process" in out and not output.exists()


@pytest.mark.parametrize(("saved_as", "missing"), [(ARCS, "trees"), (TREES, "dependencies")])
def test_a_parser_alone_gives_its_own_parses(saved_as: Path, missing: str, source: Path) -> None:
    record = json.loads(parse(saved_as, source, "-k", K, "-f", "json"))
    (other,) = {"trees", "dependencies"} - {missing}
    assert all(other in one and missing not in one for one in record["sentences"])
    assert not {"heads", "tree"} & set(record["sentences"][0])


def test_one_dependency_parse_stands_beside_trees(tmp_path: Path, source: Path) -> None:
    nlp = spacy.load(TREES)
    nlp.add_pipe("fake_heads")
    nlp.to_disk(tmp_path / "model")
    record = json.loads(parse(tmp_path / "model", source, "-k", K, "-f", "json"))
    first = record["sentences"][0]
    assert first["heads"] == [0, 0, 0] and len(first["trees"]) == K
