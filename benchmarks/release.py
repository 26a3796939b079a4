"""What the card of a released pipeline says: accuracy, speed, size and memory, on one thread.

    python -m benchmarks.release training/release/sm/model-best --name sm \\
        --gold ewt=corpus/release/test/ewt.spacy --text ewt=corpus/ewt/source/test.conllu

``--gold`` scores on gold tokens and sentences, ``--text`` from raw text on; trees from raw text are
scored where there are both of a name. Speed: words/s of the processor through ``nlp.pipe`` over the
paragraphs of the first text, and the share of each component. Latency: the median time of
``nlp(text)`` for the sentences of 25 tokens in the first ``--gold``. Loading: ``spacy.load`` in a
new process, spaCy and PyTorch imported before; where ``spacy-transformers`` is installed, spaCy
imports it within that time. Memory: the peak of a process that parses the first text again and
again, as a stream, as `parse` does.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer
from spacy.language import Language
from spacy.tokens import DocBin

from spacy_structparse.cli.parse_workers import pipe
from spacy_structparse.scoring.attachment import score_dependencies
from spacy_structparse.scoring.conll18.scorer import score_conll18
from spacy_structparse.scoring.constituency import score_constituency

from .evaluation import CONSTITUENCY_PARSER, CONSTITUENCY_SCORES, in_per_cent, parsed_examples
from .options import Name, named_values
from .raw_text import paragraphs, scores_from_text, speed, tree_scores_from_text
from .record import Figures, write_result
from .timing import peak_kilobytes

LATENCY_TOKENS, LATENCY_SENTENCES = 25, 100
LOAD = """
import time, spacy, torch, spacy_structparse.cli
start = time.perf_counter()
spacy.load({path!r})
print(time.perf_counter() - start)
"""
LOADS = 5


def gold_token_scores(nlp: Language, path: Path) -> Figures:
    """Scores over a split in per cent; those of what its gold Docs lack are left out."""
    examples = parsed_examples(nlp, path)
    found = dict(score_conll18(examples))
    gold = [example.reference for example in examples]
    if any(doc.has_annotation("DEP") for doc in gold):
        nopunct = score_dependencies(examples)
        found |= {key: nopunct[key] for key in ("dep_uas_nopunct", "dep_las_nopunct")}
    figures: Figures = {
        key: round(100 * value, 2) for key, value in found.items() if value is not None
    }
    if CONSTITUENCY_PARSER in nlp.pipe_names and any("constituency" in doc.spans for doc in gold):
        trees = score_constituency(examples)
        figures |= in_per_cent(trees, CONSTITUENCY_SCORES)
        figures["const_errors"] = trees["const_errors"]
    figures["sentences"] = len(examples)
    return figures


def raw_text_scores(nlp: Language, path: str, gold: Path, docs: str | None) -> Figures:
    """Scores from raw text on in per cent; those of trees too, where the gold Docs have them."""
    texts = list(paragraphs(gold))
    figures = scores_from_text(path, gold, texts)
    if docs is not None and CONSTITUENCY_PARSER in nlp.pipe_names:
        figures |= tree_scores_from_text(nlp, Path(docs), texts)
    return figures


def component_shares(nlp: Language, texts: list[str], batch_size: int) -> Figures:
    """Percent of the time of the pipeline that each component takes; the tokenizer's too."""
    start = time.process_time()
    docs = [nlp.make_doc(text) for text in texts]
    seconds = {"tokenizer": time.process_time() - start}
    for name, component in nlp.pipeline:
        start = time.process_time()
        docs = list(component.pipe(docs, batch_size=batch_size))  # type: ignore[attr-defined]
        seconds[name] = time.process_time() - start
    total = sum(seconds.values())
    return {name: round(100 * value / total, 1) for name, value in seconds.items()}


def latency(nlp: Language, path: Path) -> Figures:
    """Milliseconds of ``nlp(text)`` for one sentence."""
    gold = DocBin().from_disk(path).get_docs(nlp.vocab)
    fitting = (sent.text for doc in gold for sent in doc.sents if len(sent) == LATENCY_TOKENS)
    texts = list(islice(fitting, LATENCY_SENTENCES))
    for text in texts:  # compiles kernels
        nlp(text)
    times = []
    for text in texts:
        start = time.perf_counter()
        nlp(text)
        times.append(1000 * (time.perf_counter() - start))
    return {
        "milliseconds": round(statistics.median(times), 1),
        "milliseconds_best": round(min(times), 1),
        "tokens": LATENCY_TOKENS,
        "sentences": len(texts),
    }


def seconds_to_load(path: str) -> float:
    """Median seconds of ``spacy.load`` in new processes."""
    code = LOAD.format(path=path)
    runs = [
        float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)
        for _ in range(LOADS)
    ]
    return round(statistics.median(runs), 2)


def stream_memory(path: str, texts: list[str], megabytes: float) -> Figures:
    """Peak resident memory in MB after a tenth of a stream and at its end, of this process."""
    nlp = spacy.load(path)
    done = 0
    peaks: list[int] = []

    def stream() -> Iterator[str]:
        nonlocal done
        while True:
            for text in texts:
                if done >= 1e6 * megabytes:
                    return
                done += len(text.encode()) + 1
                yield text

    for _ in pipe(nlp, stream(), forget_words=True):
        if not peaks and done >= 1e5 * megabytes:
            peaks.append(_peak_megabytes())
    peaks.append(_peak_megabytes())
    return {
        "text_megabytes": megabytes,
        "peak_megabytes_after_a_tenth": peaks[0],
        "peak_megabytes": peaks[-1],
    }


def _peak_megabytes() -> int:
    return round(peak_kilobytes() * 1024 / 1e6)


def main(
    pipeline: Annotated[Path, typer.Argument(help="A trained pipeline")],
    name: Name,
    gold: Annotated[list[str], typer.Option("--gold", help="NAME=FILE.spacy, repeatable")],
    text: Annotated[list[str], typer.Option("--text", help="NAME=FILE.conllu, repeatable")],
    runs: int = 5,
    stream_megabytes: Annotated[float, typer.Option(help="Size of the stream for memory")] = 10.0,
) -> None:
    """Measure everything that a model card says."""
    torch.set_num_threads(1)
    path = str(pipeline)
    golds, texts = named_values("--gold", gold), named_values("--text", text)
    first = list(paragraphs(Path(next(iter(texts.values())))))
    figures: Figures = {
        "pipeline": path,
        "memory": stream_memory(path, first, stream_megabytes),
        "seconds_to_load": seconds_to_load(path),
    }
    nlp = spacy.load(path)
    figures |= {
        "speed": speed(nlp, first, nlp.batch_size, runs),
        "percent_of_time": component_shares(nlp, first, nlp.batch_size),
        "latency": latency(nlp, Path(next(iter(golds.values())))),
        "gold_tokens": {key: gold_token_scores(nlp, Path(file)) for key, file in golds.items()},
        "raw_text": {
            key: raw_text_scores(nlp, path, Path(file), golds.get(key))
            for key, file in texts.items()
        },
    }
    print(figures)
    write_result(f"release-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)
