"""CoNLL-18 scores and words/s of pipelines from raw text on, on one thread.

    python -m benchmarks.raw_text corpus/ewt/source/test.conllu --name ewt-test \\
        --pipeline joint_trf=training/joint/model-best

The text is that of the gold file's sentences, a line for each paragraph. ``spacy structparse
parse`` parses it. Speed: words/s of the processor through ``nlp.pipe`` over the paragraphs, and the
share of that time that the pipeline spends in its transformer.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import spacy
import torch
import typer
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_structparse.scoring.conll18.reader import score_files
from spacy_structparse.scoring.constituency import score_constituency
from spacy_structparse.trees.span_group import SPANS_KEY

from .evaluation import CONSTITUENCY_SCORES, in_per_cent
from .options import Name, Pipelines, named_values
from .record import Figures, write_result

TEXT, BEGINNINGS = "# text = ", ("# newdoc", "# newpar")
WARM_UP = 20
"""Paragraphs that are parsed before the clock starts."""


def paragraphs(gold: Path) -> Iterator[str]:
    """The paragraphs of a CoNLL-U file, each the texts of its sentences with spaces between."""
    sentences: list[str] = []
    for line in gold.read_text(encoding="utf8").splitlines():
        if line.startswith(BEGINNINGS) and sentences:
            yield " ".join(sentences)
            sentences = []
        elif line.startswith(TEXT):
            sentences.append(line.removeprefix(TEXT))
    yield " ".join(sentences)


def scores_from_text(pipeline: str, gold: Path, texts: list[str]) -> Figures:
    """F1 of each CoNLL-18 metric in per cent."""
    with TemporaryDirectory() as folder:
        text, system = Path(folder) / "text.txt", Path(folder) / "system.conllu"
        text.write_text("\n".join(texts) + "\n", encoding="utf8")
        command = ["structparse", "parse", pipeline, text, "--output", system]
        options = ["--paragraphs", "line"]
        subprocess.run([sys.executable, "-m", "spacy", *map(str, command), *options], check=True)
        return {name: round(100 * score.f1, 2) for name, score in score_files(gold, system).items()}


def tree_scores_from_text(nlp: Language, gold: Path, texts: list[str]) -> Figures:
    """Bracket scores in per cent, of trees over the words and sentences that the pipeline finds.

    A bracket counts where the pipeline found its words, and no others. Nothing where the gold Docs
    have no trees, or other characters than the texts, as CRAFT's trees have in quotation marks.

    Args:
        nlp: A pipeline with a constituency parser.
        gold: A .spacy file with the sentences of the texts.
        texts: Paragraphs.
    """
    gold_docs = list(DocBin().from_disk(gold).get_docs(nlp.vocab))
    reference = Doc.from_docs(gold_docs, exclude=["user_data"])  # type: ignore[call-arg]
    if reference is None or not reference.spans.get(SPANS_KEY):
        return {}
    if characters(reference.text) != characters("".join(texts)):
        print(f"{gold} has other characters than the text: no scores of trees from raw text")
        return {}
    predicted = Doc.from_docs(list(nlp.pipe(texts)), exclude=["user_data"])  # type: ignore[call-arg]
    assert predicted is not None
    scores = score_constituency([Example(predicted, reference)])
    return in_per_cent(scores, CONSTITUENCY_SCORES)


def characters(text: str) -> str:
    """All but white space."""
    return "".join(text.split())


def speed(nlp: Language, texts: list[str], batch_size: int, runs: int) -> Figures:
    """Words/s, and the share of time in the transformer."""
    inside: list[float] = []
    if "transformer" in nlp.pipe_names:
        _note_seconds(nlp.get_pipe("transformer"), inside)
    for _ in nlp.pipe(texts[:WARM_UP], batch_size=batch_size):
        pass
    seconds, shares, words = [], [], 0
    for _ in range(runs):
        inside.clear()
        start = time.process_time()
        words = sum(len(doc) for doc in nlp.pipe(texts, batch_size=batch_size))
        seconds.append(time.process_time() - start)
        shares.append(sum(inside) / seconds[-1])
    return {
        "words": words,
        "words_per_second": round(words / median(seconds)),
        "words_per_second_best": round(words / min(seconds)),
        "percent_in_transformer": round(100 * median(shares), 1),
        "batch_size": batch_size,
    }


def _note_seconds(pipe: Any, inside: list[float]) -> None:
    predict = pipe.predict

    def timed(docs: Any) -> Any:
        start = time.process_time()
        try:
            return predict(docs)
        finally:
            inside.append(time.process_time() - start)

    pipe.predict = timed


def main(
    gold: Annotated[Path, typer.Argument(help="Gold CoNLL-U file")],
    name: Name,
    pipelines: Pipelines,
    batch_size: int = 128,
    runs: int = 5,
) -> None:
    """Parse and score raw text, and measure the speed."""
    torch.set_num_threads(1)
    texts = list(paragraphs(gold))
    figures: Figures = {}
    for label, path in named_values("--pipeline", pipelines).items():
        figures[label] = {
            "scores": scores_from_text(path, gold, texts),
            "speed": speed(spacy.load(path), texts, batch_size, runs),
        }
        print(label, figures[label], flush=True)
    write_result(f"raw_text-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)
