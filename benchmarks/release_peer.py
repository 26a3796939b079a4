"""The dependency parser of a released pipeline beside spaCy's, trained on the same data.

    python -m benchmarks.release_peer training/release/sm/model-small --name sm \\
        --peer spacy_parser=benchmarks/configs/spacy_parser.cfg \\
        --train corpus/release/train-trees/ewt.spacy --train corpus/release/train-trees/gum.spacy \\
        --dev corpus/release/dev/ewt.spacy --dev corpus/release/dev/gum.spacy \\
        --gold ewt=corpus/release/test/ewt.spacy --gold gum=corpus/release/test/gum.spacy

Scores: on gold tokens and sentences, everything else predicted. Speed: words/s of the dependency
parser and what it listens to, through ``nlp.pipe`` over the sentences of the first ``--gold``, as
Docs that are there before; the pipelines take turns. The peer ``blank`` is in the timings alone:
``nlp.add_pipe("parser")`` as spaCy sets it up, after a few updates on the same data.
"""

from itertools import islice
from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.training import Corpus as SpacyCorpus
from spacy.util import fix_random_seed, minibatch

from .evaluation import CONSTITUENCY_PARSER
from .options import WORK, Name, Overrides, Work, named_values
from .record import Figures, write_result
from .release import gold_token_scores
from .timing import count_words, parsing_times
from .training_runs import train

BLANK_UPDATES, BLANK_BATCH = 200, 64


def merge(files: list[Path], output: Path, *, sentences: bool = False) -> None:
    """Write the docs of several ``.spacy`` files into one, each as it is or as its sentences."""
    nlp = spacy.blank("en")
    merged = DocBin(store_user_data=True)
    for file in files:
        for example in SpacyCorpus(file, gold_preproc=sentences)(nlp):
            merged.add(example.reference)
    output.parent.mkdir(parents=True, exist_ok=True)
    merged.to_disk(output)


def blank_parser(corpus: Path) -> Language:
    """spaCy's parser as ``nlp.add_pipe("parser")`` sets it up, trained for a moment."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("parser")
    examples = list(
        islice(SpacyCorpus(corpus, gold_preproc=True)(nlp), BLANK_UPDATES * BLANK_BATCH)
    )
    optimizer = nlp.initialize(lambda: examples)
    for batch in minibatch(examples, BLANK_BATCH):
        nlp.update(batch, sgd=optimizer)
    return nlp


def main(
    pipeline: Annotated[Path, typer.Argument(help="The released pipeline")],
    name: Name,
    peer: Annotated[list[str], typer.Option("--peer", help="NAME=CONFIG, repeatable")],
    train_files: Annotated[list[Path], typer.Option("--train", help="FILE.spacy, repeatable")],
    dev_files: Annotated[list[Path], typer.Option("--dev", help="FILE.spacy, repeatable")],
    gold: Annotated[list[str], typer.Option("--gold", help="NAME=FILE.spacy, repeatable")],
    override: Overrides = None,
    batch_size: int = 256,
    runs: int = 5,
    work: Work = WORK,
) -> None:
    """Train the peers, and score and time all."""
    torch.set_num_threads(1)
    result = f"release_peer-{name}"
    corpus = work / result / "corpus"
    if not (corpus / "dev.spacy").exists():
        merge(train_files, corpus / "train.spacy")
        merge(dev_files, corpus / "dev.spacy")
    golds = {key: Path(file) for key, file in named_values("--gold", gold).items()}
    merge([next(iter(golds.values()))], corpus / "timed.spacy", sentences=True)
    # Trees are no part of the comparison.
    pipelines = {"released": spacy.load(pipeline, exclude=[CONSTITUENCY_PARSER])}
    figures: Figures = {"released": {"pipeline": str(pipeline)}}
    for label, config in named_values("--peer", peer).items():
        output = work / result / label
        settings = named_values("--override", override)
        figures[label] = train(Path(config), corpus, output, 0, settings)
        pipelines[label] = spacy.load(output / "model-best")
    for label, nlp in pipelines.items():
        figures[label]["gold_tokens"] = {
            key: gold_token_scores(nlp, file) for key, file in golds.items()
        }
        print(label, figures[label], flush=True)
    pipelines["blank"] = blank_parser(corpus / "train.spacy")
    times = parsing_times(pipelines, corpus / "timed.spacy", batch_size, runs)
    words = count_words(corpus / "timed.spacy")
    for label, time in times.items():
        figures.setdefault(label, {})["speed"] = {
            "words_per_second": round(words / time.median),
            "words_per_second_best": round(words / time.best),
            "speed_over_released": round(time.speed_over_first, 3),
        }
        print(label, figures[label]["speed"], flush=True)
    write_result(result, 0, figures)


if __name__ == "__main__":
    typer.run(main)
