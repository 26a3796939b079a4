"""Damaged treebank files: the package's own errors, every sentence counted, legal Docs."""

import random
import warnings
from pathlib import Path

import numpy as np
import spacy
from spacy.tokens import DocBin

from spacy_structparse.brackets import Bracket
from spacy_structparse.corpora.conllu import ConlluReadError
from spacy_structparse.corpora.convert import convert_treebank
from spacy_structparse.corpora.options import ConversionError, ConversionOptions, TreebankPart
from spacy_structparse.corpora.report import ConversionReport
from spacy_structparse.transitions.constituency.interface import check_brackets
from spacy_structparse.trees import TreeReadError
from spacy_structparse.trees.span_group import get_brackets
from tests.helpers.attacks import bounded
from tests.helpers.mutations import mutated
from tests.helpers.paths import SAMPLE

N_SENTENCES = 6
SEEDS = range(bounded(60, 2500))
OWN_ERRORS = (ConversionError, ConlluReadError, TreeReadError)
NO_LABEL = "X"  # a bracket may have none; parsers do not learn from its tree
VOCAB = spacy.blank("en").vocab


def sample(kind: str) -> bytes:
    """The first sentences of the sample's part for tests."""
    data = (SAMPLE / f"dev.{kind}").read_bytes()
    return b"".join(_blocks(data, kind)[:N_SENTENCES])


def _blocks(data: bytes, kind: str) -> list[bytes]:
    if kind == "conllu":
        return [block + b"\n\n" for block in data.strip().split(b"\n\n")]
    return data.splitlines(keepends=True)


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
