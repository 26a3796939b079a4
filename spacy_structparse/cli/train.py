"""`spacy structparse train`: from a treebank's folder to a pipeline for its language."""

import time
from pathlib import Path
from shlex import join
from typing import Annotated

import typer
from spacy.training.initialize import init_nlp
from spacy.training.loop import train as train_nlp
from spacy.util import load_config
from typer.main import get_command

from ..files import write_atomically
from .app import TRAIN, app
from .compose_config import ordered
from .language_config import language_config, set_updates, updates_in
from .language_scores import language_card, print_scores, score_part
from .loading import choose_device, load_pipeline
from .messages import echo, msg
from .output_checks import save_json
from .shared_options import GpuId, Seed, finite

PARTS = ("train", "dev", "test")
DONE = "done"
SHARE_OF_TRAINING = 0.9
"""Of the time that is left when training begins; the rest is for calibration and scores."""
Encoder = typer.Option(
    "--encoder",
    "-e",
    help="A pretrained transformer: multilingual, a folder, or a name of the Hugging Face hub",
)
Minutes = typer.Option(
    "--minutes", "-m", help="Time for everything, about", min=1.0, max=100_000.0, callback=finite
)
Lang = typer.Option("--lang", "-l", help="Code of the language; spaCy need not know it")


@app.command("train", rich_help_panel=TRAIN)
def train_cli(
    treebank: Annotated[
        Path,
        typer.Argument(
            help="Folder with train, dev and perhaps test files", exists=True, file_okay=False
        ),
    ],
    output: Annotated[Path, typer.Argument(help="Folder for all that is made", file_okay=False)],
    lang: Annotated[str, Lang],
    encoder: Annotated[str, Encoder] = "none",
    minutes: Annotated[float, Minutes] = 30.0,
    seed: Seed = 0,
    use_gpu: GpuId = -1,
) -> None:
    """Train a pipeline for a language: from raw text to words, sentences, tags and parses.

    The treebank is converted, the tokenizer learns its words, the components are those that it has
    annotation for, and the training fits the time. OUTPUT/pipeline is the trained pipeline; its
    confidence is calibrated. OUTPUT/config.cfg is its config, for `spacy train`. The same command
    goes on where it was interrupted, at the step that was not finished.
    """
    start = time.monotonic()
    choose_device(use_gpu)
    parts = _converted(treebank, output)
    config_path, pipeline = output / "config.cfg", output / "pipeline"
    if not pipeline.exists():
        vocabulary = output / "vocabulary.json"
        if not vocabulary.exists():
            _run("vocabulary", parts["train"], vocabulary)
        config = language_config(parts["train"], lang, seed, encoder)
        if config_path.exists():
            config = load_config(config_path, interpolate=False)
        else:
            paths = {name: str(parts[name].resolve()) for name in ("train", "dev")}
            config["paths"].update(paths, vocabulary=str(vocabulary.resolve()))
        nlp = init_nlp(config, use_gpu=use_gpu)
        nlp.meta["language"] = lang  # also that of a pipeline for "xx"
        if not config_path.exists():
            left = 60 * minutes - (time.monotonic() - start)
            set_updates(config, updates_in(nlp, SHARE_OF_TRAINING * left))
            write_atomically(config_path, ordered(config).encode("utf8"))
            set_updates(nlp.config, config["training"]["max_steps"])
        echo(f"$ python -m spacy train {config_path} --output {output}")
        train_nlp(nlp, output, use_gpu=use_gpu)
        _run("calibrate", output / "model-best", parts["dev"], "--output", pipeline)
    nlp = load_pipeline(str(pipeline), gpu_id=use_gpu)
    scores = {part: score_part(nlp, path) for part, path in parts.items() if part != "train"}
    print_scores(scores)
    save_json(output / "scores.json", scores)
    write_atomically(pipeline / "README.md", language_card(nlp, treebank, scores).encode("utf8"))
    msg.good(f"{pipeline}: load it with spacy.load, or parse with `structparse parse {pipeline}`")


def _converted(treebank: Path, output: Path) -> dict[str, Path]:
    """Convert a treebank, unless that is done, and return the file of each part.

    Raises ValueError without a train or a dev part, and if a part has several files.
    """
    corpus = output / "corpus"
    if not (corpus / DONE).exists():
        _run("convert", treebank, corpus, "--quiet")
        write_atomically(corpus / DONE, b"")
    parts = {}
    for part in PARTS:
        paths = sorted(corpus.glob(f"*{part}*.spacy"))
        if len(paths) > 1 or (not paths and part != "test"):
            names = ", ".join(path.stem for path in paths) or "none"
            raise ValueError(f"{treebank} must have one file with '{part}' in its name: {names}")
        if paths:
            parts[part] = paths[0]
    return parts


def _run(*arguments: object) -> None:
    """Say a command of this package, and run it."""
    words = [str(argument) for argument in arguments]
    echo(f"$ python -m spacy structparse {join(words)}")
    get_command(app).main(words, standalone_mode=False)
