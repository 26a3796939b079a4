"""Trees of treebanks with other notations are read right, or refused with the remedy."""

import gzip
from pathlib import Path

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_structparse.corpora.convert import convert_treebank
from spacy_structparse.corpora.input_files import is_treebank
from spacy_structparse.corpora.options import ConversionOptions, Labels, TreebankPart
from spacy_structparse.corpora.report import ConversionReport
from spacy_structparse.errors import ReadError
from spacy_structparse.trees import base_label, get_tree

CHINESE = """\
<DOC>
<DOCID> CHTB_001 </DOCID>
<HEADLINE>
<S ID=12>
( (IP-HLN (NP-SBJ (NP-PN (NR 上海)
\t\t\t (NR 浦东)))
\t  (VP (VV 同步))) )
</S>
</HEADLINE>
<S ID=13>
( (NP (NN 联通)) )
</S>
</DOC>
"""
AS_READ = ["(IP (NP (NP (NR 上海) (NR 浦东))) (VP (VV 同步)))", "(NP (NN 联通))"]


def converted(
    folder: Path, trees: str | bytes, conllu: str = "", labels: Labels = "bare"
) -> tuple[list[Doc], ConversionReport]:
    path, dependencies, output = folder / "in.ptb", folder / "in.conllu", folder / "out.spacy"
    path.write_bytes(trees if isinstance(trees, bytes) else trees.encode())
    dependencies.write_text(conllu)
    part = TreebankPart(dependencies if conllu else None, path)
    report = convert_treebank([part], output, ConversionOptions(labels=labels))
    return list(DocBin().from_disk(output).get_docs(Vocab())), report


def trees_of(docs: list[Doc]) -> list[str]:
    return [str(get_tree(doc[:])) for doc in docs]


def conllu_of(*words: str) -> str:
    rows = (f"{i}\t{word}\t_\tX\t_\t_\t{i - 1}\tdep\t_\t_" for i, word in enumerate(words, 1))
    return "\n".join(rows) + "\n\n"


SPMRL = (
    "(NP##head=2## (ART##lem=das|case=nom|number=sg## Das) (NN##lem=Haus|x## Haus) (PU##_## -LRB-)"
    " (# #) (X##y z))"
)


def test_features_of_spmrl_are_no_part_of_the_tag(tmp_path: Path) -> None:
    (doc,), report = converted(tmp_path, SPMRL)
    assert trees_of([doc]) == ["(NP (ART Das) (NN Haus) (PU -LRB-) (# #) (X##y z))"]
    assert [token.tag_ for token in doc] == ["ART", "NN", "PU", "#", "X##y"]
    assert [token.lemma_ for token in doc] == ["das", "Haus", "", "", ""]
    assert [str(token.morph) for token in doc] == ["Case=Nom|Number=Sg".lower(), "", "", "", ""]
    assert report.counts["tokens_with_foreign_feats"] == 1
    (doc,), _ = converted(tmp_path, SPMRL, conllu_of("Das", "Haus", "(", "#", "z"))
    assert [token.tag_ for token in doc][:2] == ["ART", "NN"] and doc[0].lemma_ == ""


TUEBA = (
    "(VROOT:-- (SIMPX:-- (VF:- (NX=PER:ON-MOD (ART:- Die) (NN:HD Frau)))"
    " (R-SIMPX:OA-MOD (VVFIN liest))) ($.:-- .))"
)


def test_functions_of_tueba_stand_after_a_colon(tmp_path: Path) -> None:
    docs, _ = converted(tmp_path, TUEBA)
    bare = "(SIMPX (VF (NX (ART Die) (NN Frau))) (R-SIMPX (VVFIN liest))) ($. .)"
    assert trees_of(docs) == [f"(TOP {bare})"]
    docs, _ = converted(tmp_path, TUEBA, labels="functions")
    assert trees_of(docs)[0] == f"(TOP {bare})".replace("NX", "NX=PER:ON-MOD").replace(
        "R-SIMPX", "R-SIMPX:OA-MOD"
    )
    # Other tagsets have a colon too, such as TreeTagger's.
    docs, _ = converted(tmp_path, "(S (VER:pres va) (: :))")
    assert [token.tag_ for token in docs[0]] == ["VER:pres", ":"]
    labels = ["NX:ON", "NP-SBJ-1=2", "NP*T1*", "NP*", ":", "-LRB-", "R-SIMPX:OA"]
    assert [base_label(label) for label in labels] == [
        *("NX", "NP", "NP", "NP*", ":", "-LRB-", "R-SIMPX")
    ]


NEGRA = (
    "(S (NP-SB*T1* (ART Der) (NN Mann)) (VP-*T2*-OC (*T1*-SB --) (NP-OA (-NONE- *T2*))"
    " (NP-DA *T3*) (VVFIN*T3*-HD kommt)))"
)


@pytest.mark.parametrize(
    ("labels", "tree"),
    [
        ("bare", "(S (NP (ART Der) (NN Mann)) (VP (VVFIN-HD kommt)))"),
        ("functions", "(S (NP-SB (ART Der) (NN Mann)) (VP-OC (VVFIN-HD kommt)))"),
        ("full", "(S (NP-SB*T1* (ART Der) (NN Mann)) (VP-*T2*-OC (VVFIN-HD kommt)))"),
    ],
)
def test_traces_of_negra_are_no_words(tmp_path: Path, labels: Labels, tree: str) -> None:
    docs, _ = converted(tmp_path, NEGRA, labels=labels)
    assert trees_of(docs) == [tree]
    docs, report = converted(tmp_path, NEGRA, conllu_of("Der", "Mann", "kommt"), labels)
    assert trees_of(docs) == [tree] and docs[0][2].tag_ == "VVFIN-HD" and not report.problems


IN_ORDER = "(S (NP (NN 0=a=b)) (VP (VB 1=-LRB-)))\n(UH 0=ja)\n"


def test_places_of_words_are_no_part_of_them(tmp_path: Path) -> None:
    docs, _ = converted(tmp_path, IN_ORDER)
    assert [[token.text for token in doc] for doc in docs] == [["a=b", "("], ["ja"]]
    docs, report = converted(tmp_path, IN_ORDER, conllu_of("a=b", "(") + conllu_of("ja"))
    assert report.counts["trees"] == 2 and not report.problems
    sums = "(S (NP (CD 1=1)) (VP (VB 2=ist) (JJ so)))\n(CD 7=7)\n"
    docs, report = converted(tmp_path, sums)
    assert [doc[0].text for doc in docs] == ["1=1", "7=7"] and not report.problems


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        ("(S (VP (VB 0=is) (JJ 2=rich)) (NP 1=John))", "leaf 1 is '2=rich'"),
        ("(S (VP (VB 1=is) (JJ 2=rich)))", "leaf 0 is '1=is'"),
        ("(S (VB 0=is) (JJ 1=))", "leaf 1 is '1='"),
    ],
)
def test_discontinuous_trees_are_refused(tmp_path: Path, tree: str, reason: str) -> None:
    docs, report = converted(tmp_path, f"{tree}\n{IN_ORDER}")
    (problem,) = report.problems
    assert len(docs) == 2 and problem.line == 1 and len(problem.reason) <= 160
    assert f"discontinuous: {reason}" in problem.reason
    assert "discodop treetransforms" in problem.reason
    conllu = conllu_of("is", "John", "rich") + conllu_of("a=b", "(") + conllu_of("ja")
    docs, report = converted(tmp_path, f"{tree}\n{IN_ORDER}", conllu)
    assert report.counts["trees"] == 2 and report.counts["trees_left_out"] == 1


def test_sgml_lines_of_chinese_treebanks_are_no_trees(tmp_path: Path) -> None:
    docs, report = converted(tmp_path, CHINESE)
    assert trees_of(docs) == AS_READ and not report.problems
    docs, report = converted(
        tmp_path, CHINESE, conllu_of("上海", "浦东", "同步") + conllu_of("联通")
    )
    assert report.counts["trees"] == 2 and not report.problems
    # Mark-up costs no tree, and a tree that is not closed is named.
    docs, report = converted(tmp_path, CHINESE.replace("同步))) )", "同步)))"))
    (problem,) = report.problems
    assert trees_of(docs) == AS_READ[1:] and "before line 8" in problem.reason
    with pytest.raises(ReadError, match=r"text outside a tree: '<.xml'"):
        converted(tmp_path, '<?xml version="1.0"?>\n<corpus>\n<s id="1">\n</s>\n</corpus>\n')


@pytest.mark.parametrize("suffix", ["fid", "nw", "mz", "bn", "bc", "wb", "df", "sc", "cs", "NW.gz"])
def test_files_of_chinese_treebanks_have_names_of_their_own(suffix: str) -> None:
    assert is_treebank(Path(f"chtb_0001.{suffix}"))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_trees_in_utf16_are_read(tmp_path: Path, encoding: str) -> None:
    data = f"\ufeff{CHINESE}".replace("浦东", "\u0a0a\u010a").encode(encoding)
    for packed in (data, gzip.compress(data)):
        docs, report = converted(tmp_path, packed)
        assert trees_of(docs) == [AS_READ[0].replace("浦东", "\u0a0a\u010a"), AS_READ[1]]
        assert not report.problems
    for part in (data[2:], data[:-1], f"\ufeff{CHINESE}".encode("utf-32")):
        with pytest.raises(ReadError, match=r"in\.ptb.*UTF-16.*iconv -f UTF-16"):
            converted(tmp_path, part)


@pytest.mark.parametrize("text", [CHINESE, "( (NP (NN 模)))\n( (NP (NN 上海)))\n"])
def test_chinese_in_another_encoding_is_refused_as_a_whole(tmp_path: Path, text: str) -> None:
    """Some of its words look like UTF-8: 模 would be read as ģ."""
    with pytest.raises(ReadError, match=r"iconv -f ENCODING -t UTF-8 .GB18030") as caught:
        converted(tmp_path, text.encode("gb18030"))
    assert len(str(caught.value).replace(str(tmp_path), "")) <= 160


def test_a_line_in_another_encoding_costs_its_tree(tmp_path: Path) -> None:
    docs, report = converted(tmp_path, "(S (NN f\u00fcr))\n(S (NN a))\n".encode("latin-1"))
    (problem,) = report.problems
    assert trees_of(docs) == ["(S (NN a))"] and "iconv -f ENCODING -t UTF-8" in problem.reason
