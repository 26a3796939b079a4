"""Files as `parse-corpus` writes them, of Docs with gold annotation."""

from collections.abc import Sequence
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_structparse.corpora.convert import TreebankReader
from spacy_structparse.corpora.document_ids import DOCUMENT
from spacy_structparse.corpora.options import ConversionOptions, TreebankPart
from spacy_structparse.corpora.pipeline_outputs import PipelineOutputs
from spacy_structparse.corpora.report import ConversionReport
from spacy_structparse.corpora.writers import BINARY, Format, open_writer
from tests.helpers.paths import SAMPLE


def sample_docs(vocab: Vocab, n_sents: int, name: str = "dev") -> list[Doc]:
    """A part of the sample, with trees and dependencies."""
    part = TreebankPart(conllu=SAMPLE / f"{name}.conllu", brackets=SAMPLE / f"{name}.ptb")
    options = ConversionOptions(n_sents=n_sents)
    report = ConversionReport()
    return [doc for _, doc in TreebankReader(options, report).docs([part], vocab)]


def write_shards(folder: Path, style: Format, docs: Sequence[Doc], per_file: int) -> Path:
    """Write Docs as shards of a corpus, so many in each, and return the folder."""
    folder.mkdir()
    gives = PipelineOutputs.of_gold()
    for number, start in enumerate(range(0, len(docs), per_file)):
        some = docs[start : start + per_file]
        suffix = style.value if style in BINARY else f"{style.value}.gz"
        with open_writer(style, folder / f"part-{number:06}.{suffix}", gives) as writer:
            for place, doc in enumerate(some):
                doc.user_data[DOCUMENT] = f"in.txt:{number}:{place}"
                writer.write(doc)
    (folder / "errors.jsonl").write_text("")
    return folder
