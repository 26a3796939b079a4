"""F1 of pipelines that learn a language from a small treebank, and of spaCy's for the same time.

    python -m benchmarks.languages ../shared/treebanks/languages/de --lang de

`spacy structparse train` gets `--minutes` on one thread of the CPU for all its steps; spaCy gets as
much time of the processor for `spacy train` alone, with the config that `spacy init config` writes,
on the words and sentences of the treebank (`gold_preproc`), as ours: its tokenizers find others, in
Japanese and Chinese most of all. All are scored on the development part with gold tokens and
sentences. A pipeline that is there is not trained again. With `--encoder` only the first is
trained, on that transformer.

`corpus/tr` has the development part of `languages/tr` as `train.conllu`, and the first 490
sentences of its test part as `dev.conllu`: in its training part numbers stand for the words.
"""

import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated

import spacy
import srsly
import torch
import typer
from spacy.cli.init_config import init_config

from spacy_structparse.cli.compose_config import language_of_spacy
from spacy_structparse.cli.language_scores import GOLD, score_part

from .options import WORK, Work
from .record import Figures, write_result
from .training_runs import one_thread, train

PEERS = {
    "spaCy's parser": ["parser"],
    "spaCy's tagger, morphologizer and parser": ["tagger", "morphologizer", "parser"],
}


def own_run(treebank: Path, lang: str, minutes: float, encoder: str, output: Path) -> Figures:
    """Train a pipeline by the command, unless it is there, and return its scores and minutes."""
    done = output / "benchmark.json"
    if not done.exists():
        command = [
            sys.executable, "-m", "spacy", "structparse", "train", str(treebank), str(output),
            "--lang", lang, "--minutes", str(minutes), "--encoder", encoder,
        ]  # fmt: skip
        shutil.rmtree(output, ignore_errors=True)  # `train` would go on, in less time than it took
        output.mkdir(parents=True)
        start = time.monotonic()
        with (output / "train.log").open("w", encoding="utf8") as log:
            subprocess.run(command, stdout=log, stderr=log, env=one_thread(), check=True)
        seconds = time.monotonic() - start
        size = sum(path.stat().st_size for path in (output / "pipeline").rglob("*"))
        scores = srsly.read_json(output / "scores.json")["dev"]
        facts = {"minutes": round(seconds / 60, 1), "megabytes": round(size / 1e6)}
        srsly.write_json(done, {**facts, **scores})
    return srsly.read_json(done)


def peer_run(corpus: Path, lang: str, pipes: list[str], minutes: float, output: Path) -> Figures:
    """Train a pipeline of spaCy's components, and return its scores and minutes."""
    lang = language_of_spacy(lang)
    try:
        spacy.blank(lang)
    except ImportError:  # its tokenizer is not installed; tokens are given
        lang = "xx"
    config = output / "init.cfg"
    output.mkdir(parents=True, exist_ok=True)
    init_config(lang=lang, pipeline=pipes, silent=True).to_disk(config)
    settings = {f"corpora.{part}.gold_preproc": "true" for part in ("train", "dev")}
    if "tagger" in pipes:  # a tag may begin with "!", as in Vietnamese
        settings["components.tagger.neg_prefix"] = '""'
    facts = train(config, corpus, output, 0, settings, minutes)
    scores = score_part(spacy.load(output / "model-best"), corpus / "dev.spacy")[GOLD]
    return {"minutes": facts["processor_minutes"], "stopped": facts["stopped"], GOLD: scores}


def main(
    treebank: Annotated[Path, typer.Argument(help="Folder with train and dev files")],
    lang: Annotated[str, typer.Option(help="Code of the language")],
    minutes: Annotated[float, typer.Option(help="Time for each pipeline")] = 10,
    encoder: Annotated[str, typer.Option(help="As that of `train`")] = "none",
    work: Work = WORK,
) -> None:
    """Train the pipelines for one language, and score them on its development part."""
    torch.set_num_threads(1)
    name = f"languages-{lang}" if encoder == "none" else f"languages-{lang}-encoder"
    folder = work / name
    figures = {"structparse": own_run(treebank, lang, minutes, encoder, folder / "structparse")}
    if encoder == "none":
        corpus = folder / "structparse" / "corpus"
        for label, pipes in PEERS.items():
            figures[label] = peer_run(corpus, lang, pipes, minutes, folder / "-".join(pipes))
    write_result(name, 0, figures)


if __name__ == "__main__":
    typer.run(main)
