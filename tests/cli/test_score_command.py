"""`spacy structparse score`: trees as EVALB, CoNLL-U as the CoNLL 2018 shared task."""

import gzip
import json
import re
from pathlib import Path

import pytest

from tests.helpers import commands
from tests.helpers.commands import said
from tests.helpers.paths import CONLL18, EVALB

GOLD = "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .)))\n"
WRONG = GOLD.replace("(VP (VBZ barks))", "(PP (VBZ barks))")


CONLLU, SYSTEM = CONLL18 / "french-gold.conllu", CONLL18 / "french-system.conllu"


@pytest.fixture
def trees(tmp_path):
    gold, predicted = tmp_path / "gold.ptb", tmp_path / "predicted.ptb"
    gold.write_text(GOLD * 4, encoding="utf-8")
    predicted.write_text(GOLD + WRONG + "\n" + GOLD.replace("dog", "cat"), encoding="utf-8")
    return [str(gold), str(predicted)]


def score(*arguments, status=0):
    return commands.run("score", *arguments, status=status)


def test_report(trees):
    result = score(*trees, "--params", EVALB / "collins.prm")
    lines = result.stdout.splitlines()
    assert lines[3:7] == [
        "   1    4    0  100.00 100.00     3      3    3      0      3     3   100.00",
        "   2    4    0   66.67  66.67     2      3    3      0      3     3   100.00",
        "   3    4    2    0.00   0.00     0      0    0      0      0     0     0.00",
        "   4    4    1    0.00   0.00     0      0    0      0      0     0     0.00",
    ]
    assert "Bracketing FMeasure       =  83.33" in lines
    assert "predicted.ptb:4: the gold tree has 'dog'" in result.stderr
    # The built-in rules are the same.
    assert score(*trees).stdout == score(*trees, "--params", "COLLINS.prm").stdout


def test_summary_labels_and_cutoff(trees, tmp_path):
    rules = (EVALB / "collins.prm").read_text(encoding="utf-8")
    (tmp_path / "short.prm").write_text(rules + "\nCUTOFF_LEN 3\n", encoding="utf-8")
    options = ("--summary", "--labels", "--params", tmp_path / "short.prm")
    result = score(*trees, *options)
    lines = result.stdout.splitlines()
    assert lines[0] == "=== Summary ===" and "-- len<=3 --" in lines
    # No sentence is that short: a sum of nothing, as the reference prints it.
    assert lines.count("Bracketing FMeasure       =   -nan") == 1
    rows = {line.split()[0]: line.split()[1:] for line in lines[-4:]}
    assert rows["VP"] == ["2", "1", "50.00", "100.00", "66.67"]
    assert rows["PP"] == ["0", "1", "-", "0.00", "0.00"]


def test_json(trees, tmp_path):
    output = tmp_path / "new" / "scores.json"
    score(*trees, "--output", output)
    figures = json.loads(output.read_text(encoding="utf-8"))
    assert figures["all"]["fscore"] == pytest.approx(5 / 6)
    statuses = [sentence["status"] for sentence in figures["sentences"]]
    assert statuses == ["valid", "valid", "skip", "error"]
    assert figures["sentences"][3]["line"] == 4 and figures["sentences"][3]["problems"]
    assert figures["labels"]["VP"]["recall"] == 0.5
    assert figures["params"]["delete_labels"][0] == "TOP"
    assert [path.name for path in output.parent.iterdir()] == ["scores.json"]


def test_too_many_errors(trees, tmp_path):
    output = tmp_path / "scores.json"
    Path(trees[0]).write_text(GOLD * 2 + "\n" * 2, encoding="utf-8")
    Path(trees[1]).write_text(GOLD + GOLD.replace("dog", "cat") + GOLD * 2, encoding="utf-8")
    params = tmp_path / "one.prm"
    params.write_text("MAX_ERROR 1\n", encoding="utf-8")
    result = score(*trees, "--params", params, "--output", output, status=1)
    assert "MAX_ERROR is 1" in result.stderr
    assert len(result.stdout.splitlines()) == 6 and "Summary" not in result.stdout
    assert not output.exists()


def test_a_root_without_label_is_pointed_out(trees):
    for path in map(Path, trees):
        path.write_text(GOLD.replace("TOP", ""), encoding="utf-8")
    result = score(*trees)
    assert "label the outermost ones TOP" in result.stderr
    assert "label the outermost" not in result.stdout


def test_trees_without_tags_are_named_as_the_cause(tmp_path):
    gold, predicted = tmp_path / "gold.ptb", tmp_path / "predicted.ptb"
    gold.write_text(GOLD * 12, encoding="utf-8")
    predicted.write_text(re.sub(r"\(\S+ (\S+?)\)", r"(XX \1)", GOLD) * 12, encoding="utf-8")
    result = score(gold, predicted, status=1)
    assert "every tag of the predicted tree is XX" in result.stderr
    assert "tagger" in result.stderr
    assert "every tag of the gold tree is XX" in score(predicted, gold, status=1).stderr


def test_every_gold_tree_counts_like_evaluate(tmp_path):
    gold, predicted, output = (tmp_path / name for name in ("gold.ptb", "parsed.ptb", "f1.json"))
    bare = GOLD.replace("TOP", "")
    pairs = [
        (bare, GOLD),  # the wrapper has no label, or one
        (bare, GOLD.replace("TOP", "ROOT").replace("(. .)", "(NN .)")),  # a wrong tag
        (GOLD.replace("(NP ", "(NP-SBJ-1 (NP ").replace("dog)", "dog))"), GOLD),  # NP over NP
        (GOLD.replace("(VP ", "(VP (NP (-NONE- *)) "), GOLD),  # a trace
        (GOLD.replace("dog", "-LSB-\u2009"), GOLD.replace("dog", "[")),  # spelling
        (GOLD, "\n"),
        (GOLD, GOLD.replace("dog", "cat")),
        (GOLD, "(S\n"),
        (GOLD, GOLD.replace("(NN dog)", "(NN dog) (NN house)")),  # of more words
        ("\n", "\n"),  # no gold tree
        (GOLD, ""),  # the file ends
    ]
    gold.write_text("".join(pair[0] for pair in pairs), encoding="utf-8")
    predicted.write_text("".join(pair[1] for pair in pairs), encoding="utf-8")
    result = score(gold, predicted, "--like-evaluate", "--summary", "--labels", "-o", output)
    figures = json.loads(output.read_text(encoding="utf-8"))
    # Five of ten sentences are right, with three brackets each.
    assert figures["scores"]["const_p"] == 1.0
    assert figures["scores"]["const_r"] == figures["scores"]["const_exact"] == 0.5
    assert figures["scores"]["const_errors"] == 5
    assert figures["scores"]["const_failed"] == 0.5
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["Brackets", "F1", "66.67"] in rows and ["Trees", "not", "scored", "5"] in rows
    assert ["NP", "10", "5", "50.00", "100.00", "66.67"] in rows
    places = [line.split(":")[1] for line in result.stderr.splitlines()]
    assert places == ["6", "7", "8", "9", "11"]


def test_a_faulty_gold_tree_has_no_score_like_evaluate(trees, tmp_path):
    gold = Path(trees[0])
    for text, place in ((GOLD + "(S\n" + GOLD * 2, "gold.ptb:2:"), (GOLD, "predicted.ptb:2:")):
        gold.write_text(text, encoding="utf-8")
        result = score(*trees, "--like-evaluate", status=1)
        assert place in result.output.replace("\n", "")


PRETTY = """\
(TOP
  (S
    (NP (DT the) (NN dog))
    (VP (VBZ barks))
    (. .)
  )
)
"""


@pytest.mark.parametrize("options", [[], ["--like-evaluate"]])
def test_pretty_printed_trees_are_those_of_lines(tmp_path, options):
    files = {
        "gold.ptb": GOLD * 3,
        "wrong.ptb": GOLD + WRONG + GOLD,
        "gold.mrg": (PRETTY + "\n") * 3,
        "wrong.mrg": PRETTY + WRONG + PRETTY,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    lines, pretty, mixed = (
        score(tmp_path / f"gold.{gold}", tmp_path / f"wrong.{wrong}", *options)
        for gold, wrong in (("ptb", "ptb"), ("mrg", "mrg"), ("ptb", "mrg"))
    )
    assert "66.67" in lines.stdout and not lines.stderr
    assert lines.stdout == pretty.stdout == mixed.stdout


@pytest.mark.parametrize("cut", ["(TOP (S (NP (DT the)\n", "  (TOP (S (NP\n", "(((\n"])
@pytest.mark.parametrize("indent", ["", " "])
def test_a_cut_line_takes_no_other_with_it(tmp_path, cut, indent):
    gold, predicted = tmp_path / "gold.ptb", tmp_path / "predicted.ptb"
    gold.write_text(GOLD * 4, encoding="utf-8")
    predicted.write_text(GOLD + cut + indent + GOLD + "\n", encoding="utf-8")
    result = score(gold, predicted)
    rows = [line.split()[:5] for line in result.stdout.splitlines()[3:7]]
    assert [row[4] for row in rows] == ["100.00", "0.00", "100.00", "0.00"]
    assert "predicted.ptb:2: " in result.stderr and "predicted.ptb:3: " not in result.stderr


def test_table_and_json_of_conllu(tmp_path):
    output = tmp_path / "new" / "scores.json"
    result = score(CONLLU, SYSTEM, "--output", output)
    assert result.stdout == (CONLL18 / "french-expected.txt").read_text(encoding="utf-8")
    figures = json.loads(output.read_text(encoding="utf-8"))
    las = figures["scores"]["LAS"]
    assert (las["gold"], las["system"], las["correct"], las["aligned"]) == (13, 12, 6, 10)
    assert las["f1"] == pytest.approx(12 / 25)
    assert figures["scores"]["Words"]["aligned_accuracy"] is None


def test_conllu_that_gzip_has_compressed(tmp_path):
    packed = tmp_path / "system.conllu.gz"
    packed.write_bytes(gzip.compress(SYSTEM.read_bytes()))
    assert score(CONLLU, packed).stdout == score(CONLLU, SYSTEM).stdout
    packed.write_bytes(b"1")
    assert "gzip has not compressed it" in said("score", CONLLU, packed, status=1)


def test_file_and_line_of_an_error_in_conllu(tmp_path):
    bad, output = tmp_path / "bad.conllu", tmp_path / "scores.json"
    bad.write_text(CONLLU.read_text(encoding="utf-8").replace("\t2\tnsubj", "\t99\tnsubj"))
    problem = f"{bad}:2: the head '99' is outside the sentence's 9 words"
    assert problem in said("score", CONLLU, bad, "--output", output, status=1)
    assert not output.exists()


@pytest.mark.parametrize("option", ["--labels", "--params=COLLINS"])
def test_an_option_of_trees_is_refused_for_conllu(option):
    assert option.partition("=")[0].lstrip("-") in said("score", CONLLU, SYSTEM, option, status=2)


def test_a_format_that_the_suffix_does_not_say(trees, tmp_path):
    renamed = [(tmp_path / name) for name in ("gold.txt", "system.txt")]
    for path, source in zip(renamed, (CONLLU, SYSTEM), strict=True):
        path.write_bytes(source.read_bytes())
    assert score(*renamed, "--format", "conllu").stdout == score(CONLLU, SYSTEM).stdout
    assert commands.run("conll18", *renamed).stdout == score(CONLLU, SYSTEM).stdout
    as_conllu = [Path(path).rename(f"{path}.conllu") for path in trees]
    assert "FMeasure" in score(*as_conllu, "--format", "brackets").stdout


@pytest.mark.parametrize("longer", [0, 1])
def test_a_file_that_goes_on_is_named(trees, longer):
    path = Path(trees[longer])
    path.write_text(path.read_text(encoding="utf-8") + GOLD, encoding="utf-8")
    result = score(*trees)
    assert "predicted.ptb:5:" in result.stderr and "gold.ptb" in result.stderr


def test_files_without_trees_have_no_score(trees, tmp_path):
    empty = tmp_path / "empty.ptb"
    empty.write_text("\n\n", encoding="utf-8")
    assert "empty.ptb" in said("score", trees[0], empty, status=1)


def test_trees_whose_brackets_do_not_count(tmp_path):
    for name in ("gold.ptb", "predicted.ptb"):
        (tmp_path / name).write_text("(TOP (NN dog))\n", encoding="utf-8")
    assert "100.00" in score(tmp_path / "gold.ptb", tmp_path / "predicted.ptb").stdout


def rows_of(text: str) -> str:
    """A sentence of CoNLL-U: words with spaces between them; `~` is before one without."""
    rows = []
    for number, word in enumerate(text.split(), 1):
        misc = "SpaceAfter=No" if word.endswith("~") else "_"
        rows.append(f"{number}\t{word.rstrip('~')}\t_\tX\t_\t_\t{number - 1}\tx\t_\t{misc}")
    return "\n".join(rows) + "\n\n"


def test_the_raw_text_of_a_treebank_can_be_parsed_and_scored(tmp_path, fake):
    gold, text, parsed = (tmp_path / name for name in ("gold.conllu", "text.txt", "out.conllu"))
    paragraph = "# newpar\n" + rows_of("Old dogs bark~ .") + rows_of("Stop~ !~") + rows_of("No .")
    word = "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
    gold.write_text(paragraph + "# newdoc\n" + word + rows_of("de le ."), encoding="utf8")
    commands.run("parse", "-", gold, "--gold", "--output", text)
    assert text.read_text("utf8") == "Old dogs bark. Stop!No .\ndu.\n"
    commands.run("parse", fake, text, "--output", parsed)
    assert "LAS" in commands.run("score", gold, parsed).stdout
    binary = tmp_path / "gold.spacy"
    commands.run("convert", gold, binary)
    assert commands.run("parse", "-", binary, "--gold", "-f", "text").stdout == text.read_text(
        "utf8"
    )
    # Without marks of paragraphs; words without text are said to be.
    gold.write_text(30 * rows_of("No more"), encoding="utf8")
    result = commands.run("parse", "-", gold, "--gold", "-f", "text")
    assert [len(line.split()) for line in result.stdout.splitlines()] == [40, 20]
    assert "30 documents do not say where spaces are" in " ".join(result.stderr.split())
    assert "--gold" in commands.said("parse", fake, text, "--format", "text", status=1)
