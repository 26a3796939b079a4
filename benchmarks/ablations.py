"""The switches of the paper's Tables 1 and 2, on a part of a treebank, several seeds each.

    python benchmarks/ablations.py corpus/craft --name craft --vectors vectors/craft

Every row is trained by ``spacy train`` with one setting changed; finished rows are not repeated.
"""

import statistics
from pathlib import Path
from typing import Annotated, Any

import spacy
import torch
import typer
from accuracy import evaluate, train
from record import ROOT, write_results

MODEL = "components.stack_lstm_dep.model"
ROWS: dict[str, dict[str, str]] = {
    "full": {},
    "-POS": {f"{MODEL}.tok2vec.use_pos": "false"},
    "-pretraining": {f"{MODEL}.tok2vec.use_vectors": "false"},
    "-composition": {f"{MODEL}.composition": "false"},
    "S-RNN": {f"{MODEL}.cell": '"rnn"'},
}


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder of train and dev .spacy files")],
    name: Annotated[str, typer.Option(help="Name of the result")],
    vectors: Annotated[Path, typer.Option(help="Pipeline with the vectors to use")],
    config: Path = ROOT / "configs" / "stack_lstm_dep_ablation.cfg",
    work: Path = Path("training/bench"),
    sentences: Annotated[int, typer.Option(help="Training sentences used")] = 5000,
    seeds: int = 3,
    only: Annotated[list[str] | None, typer.Option(help="Rows to train, by default all")] = None,
) -> None:
    """Train all rows and compare them on dev."""
    torch.set_num_threads(1)
    common = {
        "corpora.train.limit": str(sentences),
        "paths.vectors": str(vectors),
    }
    figures: dict[str, Any] = {}
    for row, settings in ROWS.items():
        if only and row not in only:
            continue
        runs = []
        for seed in range(seeds):
            overrides = [x for k, v in {**common, **settings}.items() for x in (f"--{k}", v)]
            output = work / f"ablations-{name}" / f"{row}-{seed}"
            trained = train(config, corpus, output, seed, None, overrides)
            nlp = spacy.load(output / "model-best")
            scores = evaluate(nlp, corpus / "dev.spacy", gold_tags=True)
            runs.append({"seed": seed, "minutes": trained["train_minutes"], **scores})
            print(row, runs[-1], flush=True)
        summary = {}
        for key in ("dep_uas_nopunct", "dep_las_nopunct"):
            values = [run[key] for run in runs]
            summary[key] = round(statistics.mean(values), 2)
            summary[f"{key}_spread"] = round(max(values) - min(values), 2)
        figures[row] = {**summary, "runs": runs}
    print(write_results(f"ablations-{name}", 0, {"sentences": sentences, "rows": figures}))


if __name__ == "__main__":
    typer.run(main)
