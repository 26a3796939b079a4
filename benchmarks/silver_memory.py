"""Peak memory of ``spacy structparse silver``, beside that of its pipelines alone.

    python -m benchmarks.silver_memory corpus/sentences.txt --name stack-lstm \\
        --pipeline first=training/stack_lstm/model-best

Three processes, one after the other, each on one thread:

- ``loaded``: the pipelines are loaded;
- ``parsing``: they also parse the first tenth of the text, chunk by chunk as ``silver`` does, and
  nothing is kept;
- ``silver``: they make silver data of the whole text, in which new words keep coming. The output is
  a folder, as a single file is held in memory.

The text is that of the file again and again, until there are enough sentences. What agrees is
written: one pipeline, or the same one twice, writes every sentence.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import spacy
import srsly
import typer
from spacy.util import minibatch

from spacy_structparse.corpora.word_zones import word_zone
from spacy_structparse.pipeline.sentence_splitter import set_sentence_splitter
from spacy_structparse.tools.agreement.parsers import Parser, choose_rule
from spacy_structparse.tools.agreement.selection import CHUNK, Source, make_silver

from .corpus_texts import growing_text, shuffled_lines
from .options import Name, Pipelines, named_values
from .record import Figures, write_result
from .timing import peak_memory

REPORT, OUTPUT = "report.json", "silver"


def load(paths: Sequence[str]) -> list[Parser]:
    """The pipelines, of which the first makes sentences."""
    parsers = [Parser.of(path, spacy.load(path)) for path in paths]
    set_sentence_splitter(parsers[0].nlp, None)
    return parsers


def sources(lines: Sequence[str], sentences: int) -> Iterator[Source]:
    """Lines until there are enough sentences: each has one or more."""
    for number, line in enumerate(islice(growing_text(lines), sentences)):
        yield Source(line, "text", f"line {number}")


def parse(paths: Sequence[str], lines: Sequence[str], sentences: int) -> None:
    """Parse the text, and keep nothing."""
    parsers = load(paths)
    for chunk in minibatch(sources(lines, sentences), CHUNK):
        texts = [str(source.text) for source in chunk]
        for parser in parsers:
            with word_zone(parser.nlp):
                for _ in parser.nlp.pipe(texts):
                    pass


def make(paths: Sequence[str], lines: Sequence[str], sentences: int, folder: Path) -> None:
    """Make silver data of the text, and write the report beside it."""
    parsers = load(paths)
    rule = choose_rule(parsers, None, None, None)
    report = make_silver(sources(lines, sentences), parsers, rule, folder / OUTPUT)
    srsly.write_json(folder / REPORT, report.to_dict())


def main(
    text: Annotated[Path, typer.Argument(help="Text file, a document a line")],
    name: Name,
    pipelines: Pipelines,
    sentences: Annotated[int, typer.Option(help="Sentences of the text, at least")] = 100_000,
) -> None:
    """Measure the memory."""
    lines = shuffled_lines(text)
    labelled = named_values("--pipeline", pipelines)
    paths = list(labelled.values())
    loaded = peak_memory(load, paths)
    parsing = peak_memory(parse, paths, lines, sentences // 10)
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        silver = peak_memory(make, paths, lines, sentences, folder)
        counts = srsly.read_json(folder / REPORT)["sentences"]
    figures: Figures = {
        "pipelines": labelled,
        "sentences": counts["read"],
        "written": counts["written"],
        "peak_megabytes": {
            key: round(1000 * gigabytes)
            for key, gigabytes in (("loaded", loaded), ("parsing", parsing), ("silver", silver))
        },
        "beside_pipelines_megabytes": round(1000 * (silver - parsing)),
    }
    print(figures)
    write_result(f"silver_memory-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)
