"""What multiword tokens cost from raw text on: three ways of training on one treebank.

    python -m benchmarks.multiword_tokens assets/french --lang fr --name french

The treebank is a folder with ``train.conllu`` and ``test.conllu``. A parser is trained on its words
with spaCy's tokenizer, on its words with the splitter of multiword tokens, and on merged tokens.
Each trains for a fixed number of updates, and its last weights parse the text of the test part, a
line for each sentence. Nothing is selected.
"""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import torch
import typer

from .options import WORK, Name, Work
from .raw_text import TEXT, scores_from_text
from .record import Figures, write_result
from .training_runs import train

SPLITTER = '{"@tokenizers":"spacy-structparse.mwt_splitter.v1"}'
ROWS: dict[str, tuple[list[str], dict[str, object]]] = {
    "words, spaCy's tokenizer": (["structparse", "convert"], {}),
    "words, mwt_splitter": (["structparse", "convert"], {"nlp.tokenizer": SPLITTER}),
    "merged tokens, spaCy's tokenizer": (["convert", "--merge-subtokens"], {}),
}
"""Commands that convert the treebank, and settings of the training."""


def main(
    treebank: Annotated[Path, typer.Argument(help="Folder of train.conllu and test.conllu")],
    name: Name,
    lang: Annotated[str, typer.Option(help="Language of the treebank")],
    work: Work = WORK,
    config: Path = Path("configs/stack_lstm_dep.cfg"),
    updates: Annotated[int, typer.Option(help="Updates of each training")] = 300,
    seed: int = 0,
) -> None:
    """Train, and score from raw text on."""
    torch.set_num_threads(1)
    result = f"multiword_tokens-{name}"
    gold = treebank / "test.conllu"
    lines = gold.read_text(encoding="utf8").splitlines()
    texts = [line.removeprefix(TEXT) for line in lines if line.startswith(TEXT)]
    common = {
        "nlp.lang": lang,
        "training.max_steps": updates,
        "training.eval_frequency": updates,
        "training.optimizer.learn_rate.total_steps": updates,
        "training.optimizer.learn_rate.warmup_steps": 20,
        "training.batcher.size.start": 100,
        "training.batcher.size.stop": 200,
    }
    figures: Figures = {}
    for number, (label, (command, settings)) in enumerate(ROWS.items()):
        folder = work / result / str(number)
        corpus = folder / "corpus"
        corpus.mkdir(parents=True, exist_ok=True)
        for part in ("train", "test"):
            convert = [*command, str(treebank / f"{part}.conllu"), str(corpus)]
            subprocess.run([sys.executable, "-m", "spacy", *convert], check=True)
        settings = {**common, "paths.dev": corpus / "test.spacy", **settings}
        trained = train(config, corpus, folder / "run", seed, settings)
        scores = scores_from_text(str(folder / "run" / "model-last"), gold, texts)
        figures[label] = {**trained, "scores": scores}
        print(label, scores, flush=True)
    write_result(result, seed, figures)


if __name__ == "__main__":
    typer.run(main)
