"""Every kind of file is read by every command that reads documents, and written by `parse`."""

import csv
import gzip
import io
import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_structparse.corpora import writers
from spacy_structparse.corpora.conllu import read_conllu
from spacy_structparse.corpora.pipeline_outputs import PipelineOutputs
from spacy_structparse.corpora.readers import TEXTS, InputFormat, kind_of, read_docs
from spacy_structparse.corpora.report import ConversionReport
from spacy_structparse.corpora.writers import BINARY, WRITERS, Format, open_writer
from spacy_structparse.trees import Tree, set_trees
from tests.helpers import commands
from tests.helpers.commands import said
from tests.helpers.fake_parsers import saved

WORDS = ["Old", "dogs", "bark", "."]
HEADS = [2, 3, 0, 3]
ROWS = [
    f"{i}\t{word}\t_\t_\tX\t_\t{head}\t{'root' if head == 0 else 'dep'}\t_\t_"
    for i, (word, head) in enumerate(zip(WORDS, HEADS, strict=True), 1)
]
CONLLU = "\n".join([*ROWS, "", ""])
PLUS = "\n".join(
    [
        "# global.columns = ID FORM HEAD DEPREL NOTE",
        *("\t".join((*row.split("\t")[:2], *row.split("\t")[6:8], "note")) for row in ROWS),
        "",
        "",
    ]
)
TREE = "(S (NP (X Old) (X dogs)) (VP (X bark)) (X .))\n"
OF_KIND = {
    InputFormat.conllu: CONLLU,
    InputFormat.conll: CONLLU,
    InputFormat.conllup: PLUS,
    InputFormat.ptb: TREE,
    InputFormat.psd: TREE,
    InputFormat.text: "Old dogs bark .\n",
    InputFormat.jsonl: '{"text": "Old dogs bark .", "id": 7}\n',
    InputFormat.words: "Old dogs bark .\n",
}


def write_kind(folder: Path, kind: InputFormat, packed: bool = False) -> Path:
    """A file of a kind with one sentence."""
    if kind in OF_KIND:
        data = OF_KIND[kind].encode()
        path = folder / f"a.{kind.value}{'.gz' if packed else ''}"
        path.write_bytes(gzip.compress(data) if packed else data)
        return path.rename(folder / path.name.replace(".text", ".txt"))
    source = folder / "source.conllu"
    source.write_text(CONLLU)
    path = folder / f"a.{kind.value}"
    with open_writer(Format[kind.value], path, PipelineOutputs.of_gold()) as writer:
        for document in read_docs(source, spacy.blank("en"), ConversionReport()):
            assert not isinstance(document.source, str)
            writer.write(document.source)
    source.unlink()
    return path


def run(*arguments: object) -> str:
    return commands.run(*arguments).stdout


@pytest.mark.parametrize("kind", InputFormat)
def test_commands_read_every_kind(kind: InputFormat, fake: Path, tmp_path: Path) -> None:
    path = write_kind(tmp_path, kind)
    assert kind_of(path.name) is kind
    is_text, has_trees = kind in TEXTS, kind in (*TEXTS, InputFormat.ptb, InputFormat.psd)
    record = json.loads(run("parse", fake, path, "-f", "json"))
    assert record["sentences"][0]["words"] == WORDS
    options = ["--model", fake] if is_text else []
    pattern = tmp_path / "pattern.json"
    pattern.write_text('[{"RIGHT_ID": "r", "RIGHT_ATTRS": {"DEP": "ROOT"}}]')
    if not has_trees or is_text:
        assert len(run("search", "--dep", pattern, path, *options).splitlines()) == 1
    if has_trees:
        assert run("search", "ROOT", path, *options).count("\n") == 1
        (row,) = csv.DictReader(io.StringIO(run("measures", path, *options)))
        assert row["W"] == "3"
    if not is_text:
        run("evaluate", fake, path)


@pytest.mark.parametrize("kind", OF_KIND)
def test_text_may_be_compressed(
    kind: InputFormat, fake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_kind(tmp_path, kind, packed=True)
    assert [
        line.split("\t")[1]
        for line in run("parse", fake, path, "-f", "conllu").splitlines()
        if line[:1].isdigit()
    ] == WORDS
    monkeypatch.setenv("STRUCTPARSE_MAX_UNPACKED", "much")
    assert "not 'much'" in said("parse", fake, path, status=1)


def test_the_columns_of_conllu_plus(tmp_path: Path) -> None:
    path = write_kind(tmp_path, InputFormat.conllup)
    (sentence,) = read_conllu(path)
    assert sentence.heads == [1, 2, 2, 2] and sentence.deprels[2] == "root"
    assert sentence.xpos == [""] * 4 and sentence.line == 2
    path.write_text(f"{PLUS}1\ta\n\n")
    assert [one.format_problem is None for one in read_conllu(path)] == [True, False]
    path.write_text("# global.columns = FORM HEAD\na\t0\n")
    assert "names no ID or no FORM" in said("parse", "-", path, "--gold", status=1)


def test_words_keep_tokens_and_sentences(fake: Path, tmp_path: Path) -> None:
    """Whatever a tokenizer would do; other spaces than the ASCII ones are part of a word."""
    path = tmp_path / "a.txt"
    path.write_text("Dr. Who can't  wait\n1\u00a0000 dogs . Bark\n\nEnd\n")
    expected = [["Dr.", "Who", "can't", "wait"], ["1\u00a0000", "dogs", ".", "Bark"], ["End"]]
    options = ("-i", "words", "-f", "json")
    records = [json.loads(line) for line in run("parse", fake, path, *options).splitlines()]
    assert [[one["words"] for one in record["sentences"]] for record in records] == [
        [words] for words in expected
    ]
    lines = run("parse", fake, path, *options, "--paragraphs", "blank-line").splitlines()
    records = [json.loads(line) for line in lines]
    assert [[one["words"] for one in record["sentences"]] for record in records] == [
        expected[:2],
        expected[2:],
    ]
    found = run("search", "ROOT", path, "-i", "words", "--model", fake, "-f", "jsonl")
    assert json.loads(found.splitlines()[0])["sentence"]["text"] == "Dr. Who can't wait"
    assert "has no annotation to score" in said("evaluate", fake, path, status=1)


def test_a_table_of_texts_is_parsed_with_its_other_columns(fake: Path, tmp_path: Path) -> None:
    path = tmp_path / "texts.parquet"
    table = {"text": ["Old dogs bark .", None, "End"], "id": [1, 2, 3]}
    pyarrow.parquet.write_table(pyarrow.table(table), path)
    result = commands.run("parse", fake, path, "-f", "json")
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == [1, 3]
    assert "row 1, from 0): skipped: column 'text' has no text" in " ".join(result.stderr.split())
    for command in (("search", "NP", path), ("evaluate", fake, path)):
        assert path.name in commands.run(*command, status=1).output.replace("\n", "")


@pytest.mark.parametrize("style", [style for style in Format if style in (*BINARY, "conllu")])
def test_what_is_written_is_read(style: Format, fake: Path, tmp_path: Path) -> None:
    assert style in WRITERS
    path = tmp_path / f"out.{style.value}{'' if style in BINARY else '.gz'}"
    run("parse", fake, "--text", "Old dogs bark .", "-o", path)
    (document,) = read_docs(path, spacy.blank("en"), ConversionReport())
    assert not isinstance(document.source, str) and document.is_annotated
    assert [token.text for token in document.source] == WORDS
    assert document.source.has_annotation("DEP")


def test_a_document_that_cannot_be_read_costs_itself(tmp_path: Path) -> None:
    """Each has its place, and a file of which nothing can be read is an error."""
    nlp, report = spacy.blank("en"), ConversionReport()
    path = tmp_path / "a.conllu"
    path.write_text(f"1\tbad\n\n{CONLLU}")
    (document,) = read_docs(path, nlp, report)
    assert document.place == (str(path), 3, "")
    assert [problem.line for problem in report.problems] == [1]
    path.write_text("1\tbad\n\n")
    with pytest.raises(ValueError, match="could be read as CoNLL-U"):
        list(read_docs(path, nlp, report, name="elsewhere"))
    DocBin().to_disk(tmp_path / "empty.spacy")
    assert not list(read_docs(tmp_path / "empty.spacy", nlp, report))


def of_table(rows: list[dict[str, object]]) -> dict[str, object]:
    """The columns of a table of sentences, of two words each."""
    same = {"document": "a", "sentence": 1, "text": "Old dogs", "words": ["Old", "dogs"]}
    return {key: [{**same, **row}[key] for row in rows] for key in same | rows[0]}


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"other": ["Old dogs"]}, "has no column 'text'. Its columns: other"),
        (of_table([{"words": ["Old", ""]}]), "'words' is no list of words"),
        (of_table([{"heads": [0, 7]}]), "'heads' is not an index for each of 2 words"),
        (of_table([{"tags": ["NN"]}]), "'tags' is not a value for each of 2 words"),
        (of_table([{"tree": "(S (NN"}]), "not closed"),
        (of_table([{"tree": "(S (X Old) (X cats))"}]), "cats"),
    ],
)
def test_a_wrong_table_is_named(
    table: dict[str, object], says: str, fake: Path, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.parquet"
    pyarrow.parquet.write_table(pyarrow.table(table), path)
    output = tmp_path / "out.conllu"
    assert says in said("parse", fake, path, "-o", output, status=1)
    assert not output.exists()


def test_heads_that_are_no_tree_leave_the_words(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"heads": [1, 0], "deps": ["dep", "dep"]},
        {"sentence": 2, "heads": [1, 1], "deps": ["dep", "ROOT"]},
        {"sentence": 3, "heads": None, "deps": None, "text": "spelled otherwise"},
    ]
    path = tmp_path / "cycle.parquet"
    pyarrow.parquet.write_table(pyarrow.table(of_table(rows)), path)
    report = ConversionReport()
    (document,) = read_docs(path, spacy.blank("en"), report)
    assert not isinstance(document.source, str)
    assert len(document.source) == 6 and not document.source.has_annotation("DEP")
    assert [problem.kind for problem in report.problems] == ["heads", "heads"]


@pytest.mark.parametrize(("parser", "column"), [("fake_heads", "heads"), ("fake_trees", "tree")])
def test_a_pipeline_with_one_parser_writes_what_it_predicts(
    parser: str, column: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables are written a group of sentences at a time."""
    monkeypatch.setattr(writers, "GROUP_SENTENCES", 2)
    alone = saved(tmp_path / "model", parser)
    text = "Old dogs bark . Bark . Dogs bark ."
    run("parse", alone, "--text", text, "-o", tmp_path / "out.parquet")
    rows = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pylist()
    record = json.loads(run("parse", alone, "--text", text, "-f", "json"))
    assert len(rows) == len(record["sentences"]) == 3
    for row in (*rows, *record["sentences"]):
        assert {key for key in ("heads", "tree") if row.get(key) is not None} == {column}


TRF_DATA = ("._.", "trf_data", None, None)  # as spacy-transformers stores doc._.trf_data


@Language.component("test_keeps_an_object")
def keep_an_object(doc: Doc) -> Doc:
    doc.user_data |= {"object": object(), "text": "kept", TRF_DATA: {"tensor": "large"}}
    return doc


def test_what_a_file_of_docs_cannot_hold_is_left_out_and_named(tmp_path: Path) -> None:
    nlp = spacy.blank("xx")
    for name in ("sentencizer", "fake_heads", "test_keeps_an_object"):
        nlp.add_pipe(name)
    nlp.to_disk(tmp_path / "model")
    output = tmp_path / "out.spacy"
    out = said("parse", tmp_path / "model", "--text", "Dogs bark .", "-o", output)
    assert "values of user data" in out
    (doc,) = DocBin().from_disk(output).get_docs(nlp.vocab)
    assert doc.user_data["text"] == "kept"
    assert not {"object", TRF_DATA} & set(doc.user_data)


def test_columns_that_rules_of_attributes_set_are_predicted(tmp_path: Path) -> None:
    nlp = spacy.blank("xx")
    nlp.add_pipe("fake_heads")
    nlp.add_pipe("attribute_ruler").add([[{"ORTH": "dogs"}]], {"LEMMA": "dog"})
    nlp.to_disk(tmp_path / "model")
    path = write_kind(tmp_path, InputFormat.conllu)
    assert "2\tdogs\tdog\t" in run("parse", tmp_path / "model", path, "-f", "conllu")


def test_drawings_of_sentences_without_trees_are_left_out(tmp_path: Path) -> None:
    doc = Doc(spacy.blank("en").vocab, words=["a", "b"], sent_starts=[True, True])
    set_trees(doc, [None, Tree.from_string("(NP (NN b))")])
    DocBin(docs=[doc]).to_disk(tmp_path / "in.spacy")
    run("parse", "-", tmp_path / "in.spacy", "--gold", "-f", "svg", "-o", tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["000001-002.svg"]
