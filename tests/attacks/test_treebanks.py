"""Damaged treebank files: the package's own errors, every sentence counted, legal Docs."""

import random
import warnings
from pathlib import Path

import numpy as np
import spacy
from spacy.tokens import DocBin

from spacy_structparse.brackets import Bracket
from spacy_structparse.corpora.convert import convert_treebank
from spacy_structparse.corpora.options import ConversionOptions, TreebankPart
from spacy_structparse.corpora.report import ConversionReport
from spacy_structparse.errors import ReadError, TreeReadError
from spacy_structparse.transitions.constituency.interface import check_brackets
from spacy_structparse.trees.span_group import get_brackets
from tests.helpers.attacks import bounded
from tests.helpers.paths import SAMPLE

N_SENTENCES = 6
SEEDS = range(bounded(60, 2500))
OWN_ERRORS = (ReadError, TreeReadError)
NO_LABEL = "X"  # a bracket may have none; parsers do not learn from its tree
VOCAB = spacy.blank("en").vocab


HOSTILE = [
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\x1b[2J", b"\xe2\x80\xa8",
    b"\xc2\xa0", b"\xe2\x80\xae", b"\xf0\x9f\x91\xbb", b"9" * 5000, b"1-\xc2\xb2", b"\xc2\xb2.1",
    b"-1", b"1.1", b"0", b"1-1", b"3-1", b"_", b"\t", b"\t\t\t", b"\n", b"\n\n", b" ", b"#", b"(",
    b")", b"((((", b"))))", b"()", b"(-NONE- *)", b"(NP )", b"=", b"|", b"A=B|", b"SpaceAfter=No",
    b"# text = ", b"# newdoc", b"-LRB-", b"-U+D800-", b"\\/", b"e\xcc\x81" * 50,
]  # fmt: skip


def mutated(data: bytes, rng: random.Random) -> bytes:
    """A copy with one to eight random faults: bytes changed, lines and columns lost or moved."""
    for _ in range(rng.randint(1, 8)):
        data = rng.choice([_bytes, _lines])(data, rng)
    return data


def _bytes(data: bytes, rng: random.Random) -> bytes:
    """Bytes that are inserted, overwritten, cut out or repeated, or an end that is cut off."""
    start = rng.randint(0, len(data))
    end = start + rng.randint(0, 60)
    if rng.random() < 0.1:
        return data[:start]
    new = [b"", rng.choice(HOSTILE), rng.randbytes(end - start), data[start:end] * 3]
    kept = data[end:] if rng.random() < 0.5 else data[start:]
    return data[:start] + rng.choice(new) + kept


def _lines(data: bytes, rng: random.Random) -> bytes:
    """A line or a column lost, or with the content of another one or a hostile one."""
    lines = data.split(b"\n")
    i, j = (rng.randrange(len(lines)) for _ in "12")
    if rng.random() < 0.2:
        lines[i], lines[j] = lines[j], lines[i]
    elif rng.random() < 0.2:
        del lines[i]
    else:
        cells = lines[i].split(b"\t")
        others = lines[j].split(b"\t")
        cells[rng.randrange(len(cells))] = rng.choice([*others, rng.choice(HOSTILE)])
        lines[i] = b"\t".join(cells)
    return b"\n".join(lines)


def sample(kind: str) -> bytes:
    """The first sentences of the sample's part for tests."""
    end = b"\n\n" if kind == "conllu" else b"\n"
    blocks = (SAMPLE / f"dev.{kind}").read_bytes().split(end)
    return b"".join(block + end for block in blocks[:N_SENTENCES])


def check(report: ConversionReport, path: Path) -> None:
    """No sentence is lost without a word, and every Doc is legal."""
    counts = report.counts
    assert counts["sentences_read"] == counts["sentences_written"] + counts["sentences_skipped"]
    docs = list(DocBin().from_disk(path).get_docs(VOCAB))
    assert len(docs) == counts["docs"]
    assert sum(len(doc) for doc in docs) == counts["tokens"]
    for doc in docs:
        heads = np.array([token.head.i for token in doc])
        for _ in range(len(doc).bit_length()):
            heads = heads[heads]
        assert all(doc[int(i)].head.i == i for i in heads)
        doc.text.encode("utf-8")
        brackets = get_brackets(doc) or []
        for sentence in doc.sents if doc.has_annotation("SENT_START") else [doc[:]]:
            of_one = [
                Bracket(b.label or NO_LABEL, b.start - sentence.start, b.end - sentence.start)
                for b in brackets
                if sentence.start <= b.start < sentence.end
            ]
            if of_one:
                check_brackets(of_one, len(sentence))


def convert(paths: dict[str, Path], options: ConversionOptions, output: Path) -> bool:
    """Convert, or end in an error of the package. Without output there is an error."""
    part = TreebankPart(conllu=paths.get("conllu"), brackets=paths.get("ptb"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            report = convert_treebank([part], output, options)
    except OWN_ERRORS as error:
        assert str(error)
        assert not output.exists()
        return False
    check(report, output)
    output.unlink()
    return True


def test_together(tmp_path: Path) -> None:
    paths = {kind: tmp_path / f"x.{kind}" for kind in ("conllu", "ptb")}
    whole, converted = {kind: sample(kind) for kind in paths}, 0
    for seed in SEEDS:
        rng = random.Random(seed)
        for kind, path in paths.items():
            path.write_bytes(mutated(whole[kind], rng) if rng.random() < 0.7 else whole[kind])
        options = ConversionOptions(mismatch=rng.choice(["dependencies", "skip"]))
        try:
            converted += convert(paths, options, tmp_path / "x.spacy")
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
    assert converted > len(SEEDS) / 4
