"""BLEU of RNNsearch with and without phrases (Phrasal RNN, Table 4), all trained alike.

    python -m spacy structparse parallel TRAIN.de TRAIN.en corpus/multi30k/train.spacy --lang de
    (the same for dev and test)
    python -m benchmarks.translation corpus/multi30k --name multi30k --test

Lower-cased BLEU of the words of the files, by sacrebleu. The checkpoint with the best greedy
translations of dev is scored.
"""

from pathlib import Path
from typing import Annotated

import torch
import typer
from spacy.language import Language

from spacy_structparse.corpora.reader import create_corpus_reader

from .options import WORK, Corpus, GpuId, Name, OnlyRows, Overrides, ScoreTest, Work, named_values
from .record import ROOT, Figures, write_result
from .training_runs import chosen_rows, means, stop_after, train_seeds

COMPONENT = "seq2seq_translation"
ROWS = {"RNNsearch": "none", "src-pyr-last": "last", "src-pyr-all": "all"}


def bleu(nlp: Language, path: Path) -> float:
    """BLEU of a split in per cent."""
    examples = list(create_corpus_reader(path, gold_preproc=True)(nlp))
    return round(100 * nlp.evaluate(examples)["translation_bleu"], 2)


def main(
    corpus: Corpus,
    name: Name,
    config: Path = ROOT / "configs" / f"{COMPONENT}.cfg",
    work: Work = WORK,
    steps: Annotated[int, typer.Option(help="Updates of every training")] = 6000,
    pairs: Annotated[int, typer.Option(help="Training pairs; 0 for all")] = 0,
    seeds: int = 2,
    only: OnlyRows = None,
    override: Overrides = None,
    beam: Annotated[int, typer.Option(help="Beam width in evaluation, beside greedy")] = 10,
    test: ScoreTest = False,
    lang: Annotated[str, typer.Option(help="Language of the text that is read")] = "de",
    gpu_id: GpuId = -1,
) -> None:
    """Train each row and score it, greedy and with a beam."""
    torch.set_num_threads(1)
    result = f"translation-{name}"
    common = {
        "nlp.lang": lang,
        "corpora.train.limit": pairs,
        **stop_after(config, steps),
        **named_values("--override", override),
    }
    splits = ("dev", "test") if test else ("dev",)
    widths = {"greedy": 1, "beam": beam}

    def score(nlp: Language) -> Figures:
        found = {}
        for split in splits:
            for kind, width in widths.items():
                nlp.get_pipe(COMPONENT).beam_width = width  # type: ignore[attr-defined]
                found[f"{split}_{kind}"] = bleu(nlp, corpus / f"{split}.spacy")
        return found

    scores = [f"{split}_{kind}" for split in splits for kind in widths]
    rows: Figures = {}
    for label, pyramid in chosen_rows(ROWS, only).items():
        settings = {**common, f"components.{COMPONENT}.model.pyramid": f'"{pyramid}"'}
        runs = train_seeds(
            label, config, settings, corpus, work / result, range(seeds), score, gpu_id
        )
        rows[label] = {**means(runs, scores), "runs": runs}
    figures = {
        "config": config.name, "steps": steps, "pairs": pairs, "beam": beam, "rows": rows
    }  # fmt: skip
    write_result(result, 0, figures)


if __name__ == "__main__":
    typer.run(main)
