"""Perplexity of the phrasal language models and of an LSTM (Phrasal RNN, Table 2), trained alike.

    python -m benchmarks.language_models corpus/craft --name craft --epochs 6 --test

Words are those of the treebank, gold tokens and sentences; the 10,000 most frequent of the training
part, the rest one unknown word; the ends of sentences count. The checkpoint with the lowest
perplexity on dev is scored.

To measure on two treebanks together (``corpus/ewt-gum``), join their ``.conllu`` files part by part
in a folder, and give ``spacy project run convert`` that folder.
"""

from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer
from spacy.language import Language
from spacy.tokens import DocBin

from spacy_structparse.corpora.reader import create_corpus_reader

from .options import (
    WORK,
    Corpus,
    GpuId,
    Name,
    OnlyRows,
    Overrides,
    ScoreTest,
    Work,
    named_values,
)
from .record import ROOT, Figures, write_result
from .timing import training_speed
from .training_runs import chosen_rows, means, run_folder, stop_after, train_seeds

COMPONENT = "phrasal_lm"
MODEL = f"components.{COMPONENT}.model"
ROWS: dict[str, dict[str, str]] = {
    "LSTM": {"pyramid": '"none"'},
    "pRNN": {"pyramid": '"lstm"', "cell": '"gru"'},
    "pRNNv, update": {"pyramid": '"lstm"', "cell": '"update"'},
    "pRNNv, minimal": {"pyramid": '"lstm"', "cell": '"minimal"'},
    "pRNN over words": {"pyramid": '"words"', "cell": '"gru"'},
    "pRNNv over words": {"pyramid": '"words"', "cell": '"update"'},
    "pRNN, not fed": {"pyramid": '"lstm"', "cell": '"gru"', "feed": "false"},
}


def perplexity(nlp: Language, path: Path) -> float:
    """Perplexity of a split, gold tokens and sentences."""
    nlp.get_pipe(COMPONENT).keep_weights = False  # type: ignore[attr-defined]
    examples = list(create_corpus_reader(path, gold_preproc=True)(nlp))
    return round(nlp.evaluate(examples)["lm_perplexity"], 2)


def count_parameters(nlp: Language) -> int:
    """The number of weights of a model."""
    model = nlp.get_pipe(COMPONENT).model  # type: ignore[attr-defined]
    shims = [shim for node in model.walk() for shim in node.shims]
    return sum(p.numel() for shim in shims for p in shim.module.parameters())


def main(
    corpus: Corpus,
    name: Name,
    config: Path = ROOT / "configs" / f"{COMPONENT}.cfg",
    work: Work = WORK,
    epochs: Annotated[int, typer.Option(help="Epochs of every training")] = 12,
    batch: Annotated[int, typer.Option(help="Sentences in a batch")] = 32,
    seeds: int = 2,
    only: OnlyRows = None,
    override: Overrides = None,
    test: ScoreTest = False,
    train_seconds: Annotated[float, typer.Option(help="Time for measuring training speed")] = 30.0,
    gpu_id: GpuId = -1,
) -> None:
    """Train each row, measure its perplexity and its speed of training, the speed on a CPU."""
    torch.set_num_threads(1)
    result = f"language_models-{name}"
    train = corpus / "train.spacy"
    docs = DocBin().from_disk(train).get_docs(spacy.blank("en").vocab)
    lengths = [len(doc) for doc in docs]
    steps = -(-len(lengths) // batch)
    common: dict[str, object] = {
        "training.batcher.size": batch,
        "training.eval_frequency": steps,
        **stop_after(config, epochs * steps),
        **named_values("--override", override),
    }
    splits = ("dev", "test") if test else ("dev",)

    def score(nlp: Language) -> Figures:
        return {split: perplexity(nlp, corpus / f"{split}.spacy") for split in splits}

    rows: Figures = {}
    for label, row in chosen_rows(ROWS, only).items():
        settings = {**common, **{f"{MODEL}.{key}": value for key, value in row.items()}}
        runs = train_seeds(
            label, config, settings, corpus, work / result, range(seeds), score, gpu_id
        )
        nlp = spacy.load(run_folder(work / result, label, seeds - 1) / "model-best")
        rows[label] = {
            "parameters": count_parameters(nlp),
            **means(runs, splits),
            "training": training_speed(nlp, train, 800, train_seconds),
            "runs": runs,
        }
    figures = {
        "config": config.name, "epochs": epochs, "batch": batch, "words": sum(lengths), "rows": rows
    }  # fmt: skip
    write_result(result, 0, figures)


if __name__ == "__main__":
    typer.run(main)
