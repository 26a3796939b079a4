"""BLEU of RNNsearch without phrases and with them (Phrasal RNN, Table 4), each trained alike.

    python -m spacy structparse parallel TRAIN.de TRAIN.en corpus/multi30k/train.spacy --lang de
    (the same for dev and test)
    python benchmarks/translation.py corpus/multi30k --name multi30k --test

Lower-cased BLEU of words as they stand in the files, by sacrebleu. Every row is trained by ``spacy
train``; finished ones are not repeated. The checkpoint that is best on dev, greedy, is scored.
"""

from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from accuracy import changed_settings
from record import ROOT, write_results
from rows import chosen_rows, means, train_seeds
from spacy.language import Language

from spacy_structparse.corpora.reader import create_corpus_reader

NAME = "seq2seq_translation"
ROWS = {"RNNsearch": "none", "src-pyr-last": "last", "src-pyr-all": "all"}


def bleu(nlp: Language, path: Path) -> float:
    """Of a split, in per cent."""
    examples = list(create_corpus_reader(path, gold_preproc=True)(nlp))
    return round(100 * nlp.evaluate(examples)["translation_bleu"], 2)


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder of train, dev and test .spacy files")],
    name: Annotated[str, typer.Option(help="Name of the result")],
    config: Path = ROOT / "configs" / "seq2seq_translation.cfg",
    work: Path = Path("training/bench"),
    steps: Annotated[int, typer.Option(help="Updates of every training")] = 6000,
    pairs: Annotated[int, typer.Option(help="Training pairs; 0 for all")] = 0,
    seeds: int = 2,
    only: Annotated[list[str] | None, typer.Option(help="Rows to train, by default all")] = None,
    override: Annotated[list[str] | None, typer.Option(help="KEY=VALUE for every config")] = None,
    beam: Annotated[int, typer.Option(help="Beam width in evaluation, beside greedy")] = 10,
    test: Annotated[bool, typer.Option(help="Score the test split too")] = False,
    lang: Annotated[str, typer.Option(help="The language that is read")] = "de",
) -> None:
    """Train and compare."""
    torch.set_num_threads(1)
    common: dict[str, object] = {
        "nlp.lang": lang,
        "corpora.train.limit": pairs,
        "training.max_steps": steps,
        "training.patience": 0,
    }
    if "warmup_linear" in config.read_text(encoding="utf8"):
        common["training.optimizer.learn_rate.total_steps"] = steps
    common |= changed_settings(override)
    splits = ("dev", "test") if test else ("dev",)
    widths = {"greedy": 1, "beam": beam}

    def score(nlp: Language) -> dict[str, float]:
        found = {}
        for split in splits:
            for kind, width in widths.items():
                nlp.get_pipe(NAME).beam_width = width  # type: ignore[attr-defined]
                found[f"{split}_{kind}"] = bleu(nlp, corpus / f"{split}.spacy")
        return found

    scored = [f"{split}_{kind}" for split in splits for kind in widths]
    rows: dict[str, Any] = {}
    for label, pyramid in chosen_rows(ROWS, only).items():
        settings = {**common, f"components.{NAME}.model.pyramid": f'"{pyramid}"'}
        folder = work / f"translation-{name}" / label
        runs = train_seeds(label, config, settings, corpus, folder, seeds, score)
        rows[label] = {**means(runs, scored), "runs": runs}
    figures = {
        "config": config.name, "steps": steps, "pairs": pairs, "beam": beam, "rows": rows
    }  # fmt: skip
    print(write_results(f"translation-{name}", 0, figures))


if __name__ == "__main__":
    typer.run(main)
