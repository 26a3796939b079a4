"""The parses of the shipped pipelines, by checksum: work on the code changes none of them.

``python tests/project/test_installed_parses.py`` writes the checksums of the installed pipelines
anew.
"""

import json
import os
import sys
from collections.abc import Iterable
from hashlib import sha256
from itertools import islice
from pathlib import Path
from unittest.mock import patch

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.nn.fast import device

sys.path.append(str(Path(__file__).parents[2]))  # for the script
from tests.helpers.paths import ROOT, SAMPLE

PARSES = Path(__file__).with_name("installed_parses.json")
PIPELINES = ("en_structparse_sm", "en_structparse_trf")
N_SENTENCES = 300
COLUMNS = {
    "tokens": "ORTH",
    "tags": "TAG",
    "pos": "POS",
    "lemmas": "LEMMA",
    "heads": "HEAD",
    "labels": "DEP",
}


def texts(conllu: Path) -> list[str]:
    """The text of each of the first sentences."""
    lines = conllu.read_text("utf8").splitlines()
    found = (line.partition("=")[2].strip() for line in lines if line.startswith("# text ="))
    return list(islice(found, N_SENTENCES))


def checksums(docs: Iterable[Doc]) -> dict[str, str]:
    hashes = {name: sha256() for name in (*COLUMNS, "brackets")}
    for doc in docs:
        for name, attribute in COLUMNS.items():
            # A head is an offset, without a sign; the others are hashes of strings.
            hashes[name].update(doc.to_array([attribute]).astype("<i8").tobytes())
        trees = " ".join(sent._.parse_string for sent in doc.sents)
        hashes["brackets"].update(trees.encode())
    return {name: value.hexdigest()[:16] for name, value in hashes.items()}


def corpus_checksums(nlp: Language, conllu: Path) -> dict[str, str]:
    # In single precision, as every processor can.
    with patch.object(device, "cpu_has_bfloat16", lambda: False):
        return checksums(nlp.pipe(texts(conllu), batch_size=64))


@pytest.fixture(scope="module", params=PIPELINES)
def nlp(request: pytest.FixtureRequest, installed: None) -> Language:
    return spacy.load(request.param)


def expected(nlp: Language) -> dict[str, dict[str, str]]:
    return json.loads(PARSES.read_text("utf8"))[f"{nlp.lang}_{nlp.meta['name']}"]


def test_parses_of_the_sample_are_those_of_the_release(nlp: Language) -> None:
    assert corpus_checksums(nlp, SAMPLE / "dev.conllu") == expected(nlp)["sample"]


@pytest.mark.parametrize("treebank", ["ewt", "gum", "craft"])
def test_parses_of_treebanks_are_those_of_the_release(
    nlp: Language, treebank: str, treebanks: Path
) -> None:
    assert corpus_checksums(nlp, treebanks / treebank / "dev.conllu") == expected(nlp)[treebank]


if __name__ == "__main__":
    treebanks_folder = Path(
        os.environ.get("STRUCTPARSE_TREEBANKS", ROOT.parent / "shared" / "treebanks")
    )
    sources = {"sample": SAMPLE} | {
        name: treebanks_folder / name for name in ("ewt", "gum", "craft")
    }
    written = {
        name: {
            source: corpus_checksums(spacy.load(name), folder / "dev.conllu")
            for source, folder in sources.items()
        }
        for name in PIPELINES
    }
    PARSES.write_text(json.dumps(written, indent=1) + "\n", "utf8")
