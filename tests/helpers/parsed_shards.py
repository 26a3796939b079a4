"""Files as `parse-corpus` writes them, of Docs with gold annotation."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_structparse.corpora.convert import chunk_docs, treebank_tasks
from spacy_structparse.corpora.options import ConversionOptions, TreebankPart
from spacy_structparse.corpora.pipeline_outputs import PipelineOutputs
from spacy_structparse.corpora.report import ConversionReport
from spacy_structparse.sharding.outputs import ShardFormat, open_output
from spacy_structparse.viz.sentences import parsed_sentences
from tests.helpers.paths import SAMPLE


def sample_docs(vocab: Vocab, n_sents: int) -> list[Doc]:
    """The development part of the sample, with trees and dependencies."""
    part = TreebankPart(conllu=SAMPLE / "dev.conllu", brackets=SAMPLE / "dev.ptb")
    options = ConversionOptions(n_sents=n_sents)
    report = ConversionReport()
    tasks = treebank_tasks([part], options)
    return [doc for task in tasks for doc in chunk_docs(task, options, vocab, report)]


def write_shards(folder: Path, style: ShardFormat, docs: Sequence[Doc], per_file: int) -> Path:
    """Write Docs as shards of a corpus, so many in each, and return the folder."""
    folder.mkdir()
    gives = PipelineOutputs.of_gold()
    for number, start in enumerate(range(0, len(docs), per_file)):
        some = docs[start : start + per_file]
        path = folder / f"part-{number:06}{style.suffix}"
        with open_output(style, str(path), gives, Counter(), number) as write:
            for place, doc in enumerate(some):
                sentences = parsed_sentences(doc, trees=True)
                write(doc, sentences, f"in.txt:{number}:{place}")
    (folder / "manifest.json").write_text("{}")
    (folder / "errors.jsonl").write_text("")
    return folder
