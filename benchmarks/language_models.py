"""Perplexity of the phrasal language models and of their baseline (Phrasal RNN, Table 2), each
trained alike for some epochs, with several seeds.

    python benchmarks/language_models.py corpus/craft --name craft --epochs 12 --test

Words are those of the treebank, gold tokens and sentences; the 10,000 most frequent of the training
part, the rest one unknown word; the ends of sentences count. Every row is trained by ``spacy
train``; finished ones are not repeated. The checkpoint with the lowest perplexity on dev is scored.

Two treebanks make one (``corpus/ewt-gum``) if each of a folder's train, dev and test ``.conllu``
files is theirs one after the other, and ``spacy project run convert`` is given that folder.
"""

from pathlib import Path
from typing import Annotated, Any

import spacy
import torch
import typer
from accuracy import changed_settings
from record import ROOT, write_results
from rows import chosen_rows, means, seed_folder, train_seeds
from spacy.language import Language
from spacy.tokens import DocBin
from timing import training_speed

from spacy_structparse.corpora.reader import create_corpus_reader

MODEL = "components.phrasal_lm.model"
ROWS: dict[str, dict[str, str]] = {
    "LSTM": {"pyramid": "none"},
    "pRNN": {"pyramid": "lstm", "cell": "gru"},
    "pRNNv, update": {"pyramid": "lstm", "cell": "update"},
    "pRNNv, minimal": {"pyramid": "lstm", "cell": "minimal"},
    "pRNN over words": {"pyramid": "words", "cell": "gru"},
    "pRNNv over words": {"pyramid": "words", "cell": "update"},
    "pRNN, not fed": {"pyramid": "lstm", "cell": "gru", "feed": "false"},
}


def perplexity(nlp: Language, path: Path) -> float:
    """Of a split, gold tokens and sentences."""
    nlp.get_pipe("phrasal_lm").keep_weights = False  # type: ignore[attr-defined]
    examples = list(create_corpus_reader(path, gold_preproc=True)(nlp))
    return round(nlp.evaluate(examples)["lm_perplexity"], 2)


def parameters(nlp: Language) -> int:
    """How many numbers a model learns."""
    model = nlp.get_pipe("phrasal_lm").model  # type: ignore[attr-defined]
    shims = [shim for node in model.walk() for shim in node.shims]
    return sum(p.numel() for shim in shims for p in shim.module.parameters())


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder of train, dev and test .spacy files")],
    name: Annotated[str, typer.Option(help="Name of the result")],
    config: Path = ROOT / "configs" / "phrasal_lm.cfg",
    work: Path = Path("training/bench"),
    epochs: Annotated[int, typer.Option(help="Epochs of every training")] = 12,
    batch: Annotated[int, typer.Option(help="Sentences in a batch")] = 32,
    seeds: int = 2,
    only: Annotated[list[str] | None, typer.Option(help="Rows to train, by default all")] = None,
    override: Annotated[list[str] | None, typer.Option(help="KEY=VALUE for every config")] = None,
    test: Annotated[bool, typer.Option(help="Score the test split too")] = False,
    train_seconds: Annotated[float, typer.Option(help="Of the measured training speed")] = 30.0,
) -> None:
    """Train and compare."""
    torch.set_num_threads(1)
    docs = DocBin().from_disk(corpus / "train.spacy").get_docs(spacy.blank("en").vocab)
    lengths = [len(doc) for doc in docs]
    steps = -(-len(lengths) // batch)
    common: dict[str, object] = {
        "training.batcher.size": batch,
        "training.max_steps": epochs * steps,
        "training.patience": 0,
        "training.eval_frequency": steps,
    }
    if "warmup_linear" in config.read_text(encoding="utf8"):
        common["training.optimizer.learn_rate.total_steps"] = epochs * steps
    common |= changed_settings(override)
    splits = ("dev", "test") if test else ("dev",)

    def score(nlp: Language) -> dict[str, float]:
        return {split: perplexity(nlp, corpus / f"{split}.spacy") for split in splits}

    rows: dict[str, Any] = {}
    for label, row in chosen_rows(ROWS, only).items():
        kind = {
            f"{MODEL}.{key}": value if value == "false" else f'"{value}"'
            for key, value in row.items()
        }
        folder = work / f"language-models-{name}" / label.replace(", ", "-")
        runs = train_seeds(label, config, {**common, **kind}, corpus, folder, seeds, score)
        nlp = spacy.load(seed_folder(folder, seeds - 1) / "model-best")
        rows[label] = {
            "parameters": parameters(nlp),
            **means(runs, splits),
            "training": training_speed(nlp, corpus / "train.spacy", 800, train_seconds),
            "runs": runs,
        }
    figures = {
        "config": config.name, "epochs": epochs, "batch": batch, "words": sum(lengths), "rows": rows
    }  # fmt: skip
    print(write_results(f"language_models-{name}", 0, figures))


if __name__ == "__main__":
    typer.run(main)
