"""`spacy structparse train`: from a treebank's folder to a pipeline for its language."""

import re
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from shlex import join
from shutil import rmtree
from typing import Annotated

import spacy
import typer
from spacy.tokens import DocBin
from spacy.training.loop import train as train_nlp
from spacy.util import load_config
from typer.main import get_command

from ..corpora.convert import DOCBIN_ATTRS
from ..corpora.docbins import read_docs
from ..corpora.input_files import is_treebank
from ..files import write_atomically
from ..pipeline.sentences import SeveralSentencesWarning
from .app import TRAIN, app
from .compose_config import ordered
from .language_config import (
    FEW_EPOCHS,
    OF_SPACY,
    initialized,
    language_config,
    read_by_convolutions,
    say_language,
    set_updates,
    updates_in,
)
from .language_scores import language_card, print_scores, score_part
from .loading import choose_device, load_pipeline
from .messages import echo, msg, plain_in_pipes
from .output_checks import save_json
from .shared_options import GpuId, Seed, finite

PARTS = ("train", "dev", "test")
SHARE_OF_TRAINING = 0.9
"""Of the time that is left when training begins; the rest is for calibration and scores."""
LEAST_EPOCHS = 5  # with fewer, a parser is of little use
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
            help="Folder of a treebank: train, dev and test files",
            exists=True,
            file_okay=False,
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
    annotation for, and the training fits the time. OUTPUT/pipeline is the trained pipeline,
    calibrated and in half precision. OUTPUT/config.cfg is its config, for `spacy train`. The same
    command goes on where it was interrupted, at the step that was not finished.
    """
    start = time.monotonic()
    # Each Doc is a sentence of the treebank, whatever marks it has inside.
    warnings.simplefilter("ignore", SeveralSentencesWarning)
    choose_device(use_gpu)
    echo(f"On {'the CPU' if use_gpu < 0 else f'GPU {use_gpu}'}, for about {minutes:g} minutes")
    parts = _converted(treebank, output)
    config_path, pipeline = output / "config.cfg", output / "pipeline"
    if not pipeline.exists():
        vocabulary = output / "vocabulary.json"
        if not vocabulary.exists():
            _run("vocabulary", parts["train"], vocabulary)
        is_new = not config_path.exists()
        if is_new:
            config = language_config(parts["train"], lang, seed, encoder)
            paths = {name: str(parts[name].resolve()) for name in ("train", "dev")}
            config["paths"].update(paths, vocabulary=str(vocabulary.resolve()))
        else:
            msg.info(f"{config_path} is there: its settings are used, not those of the options")
            config = load_config(config_path, interpolate=False)
        say_language(lang)
        if config["nlp"].get("tokenizer") == OF_SPACY:
            msg.warn(
                "The treebank does not say where spaces are (no `# text`, no SpaceAfter=No), so no "
                "tokenizer can be learned: the pipeline has spaCy's, and is not scored on raw text"
            )
        tokenizer = output / "tokenizer"
        nlp = initialized(config, tokenizer, use_gpu)
        if is_new:
            fit = updates_in(nlp, SHARE_OF_TRAINING * _left(minutes, start))
            if encoder == "none" and fit.epochs < FEW_EPOCHS:
                msg.info(f"Time for {fit.epochs:.1f} epochs of LSTMs: convolutions read more")
                read_by_convolutions(config)
                nlp = initialized(config, tokenizer, use_gpu)
                fit = updates_in(nlp, SHARE_OF_TRAINING * _left(minutes, start))
            msg.info(
                f"{fit.updates} updates fit into the {_left(minutes, start) / 60:.1f} minutes "
                f"left: {fit.epochs:.1f} epochs"
            )
            if fit.epochs < LEAST_EPOCHS:
                msg.warn(
                    f"Fewer than {LEAST_EPOCHS} epochs are too few to learn: give more --minutes"
                )
            for either in (config, nlp.config):
                set_updates(either, fit.updates, fit.scores)
            write_atomically(config_path, ordered(config).encode("utf8"))
        nlp.meta["language"] = lang  # also that of a pipeline for "xx"
        echo(f"$ python -m spacy train {config_path} --output {output}")
        with plain_in_pipes():
            train_nlp(nlp, output, use_gpu=use_gpu)
        calibrated = output / "calibrated"
        _run("calibrate", output / "model-best", parts["dev"], "--output", calibrated)
        _run("compress", calibrated, pipeline)
        rmtree(calibrated)
    else:
        msg.info(f"{pipeline} is trained: it is only scored. To train another, name a new folder")
    nlp = load_pipeline(str(pipeline), gpu_id=use_gpu)
    scores = {part: score_part(nlp, path) for part, path in parts.items() if part != "train"}
    print_scores(scores)
    save_json(output / "scores.json", scores)
    write_atomically(pipeline / "README.md", language_card(nlp, treebank, scores).encode("utf8"))
    msg.good(f"{pipeline}: load it with spacy.load, or parse with `structparse parse {pipeline}`")


def _left(minutes: float, start: float) -> float:
    """The seconds that are left of the time for everything."""
    return max(60 * minutes - (time.monotonic() - start), 0.0)


def _converted(treebank: Path, output: Path) -> dict[str, Path]:
    """Convert the parts of a treebank, unless that is done, and return the file of each.

    Raises ValueError without a train part, or if a part has changed since it was converted.
    """
    names = [path for path in sorted(treebank.glob("[!.]*")) if is_treebank(path)]
    sources = {  # at the beginning of a word: "latest-train.conllu" is no test part
        part: [path for path in names if re.search(rf"(?<![a-z]){part}", path.name.lower())]
        for part in PARTS
    }
    if not sources["train"]:
        listed = ", ".join(path.name for path in names) or "none"
        raise ValueError(
            f"{treebank} has no treebank file with 'train' in its name; its files: {listed}. "
            "Name one so"
        )
    parts = {part: output / "corpus" / f"{part}.spacy" for part in PARTS if sources[part]}
    converted = dict(parts)
    if "dev" not in parts:
        parts["dev"] = output / "corpus" / "dev.spacy"
        converted["train"] = output / "corpus" / "train-and-dev.spacy"
    for part, path in converted.items():
        if not path.exists():
            _run("convert", *sources[part], path)
        for source in sources[part]:
            if source.stat().st_mtime > path.stat().st_mtime:
                raise ValueError(f"{source} has changed since it was converted: name a new folder")
    if not all(path.exists() for path in parts.values()):
        _hold_out(converted["train"], parts)
    return parts


def _hold_out(whole: Path, parts: Mapping[str, Path]) -> None:
    """Make the last tenth of a training part the dev part.

    Raises ValueError for a single sentence.
    """
    docs = list(read_docs(whole, spacy.blank("xx").vocab))
    n_train = len(docs) - max(1, len(docs) // 10)
    if not n_train:
        raise ValueError(f"{whole} has one sentence: a pipeline needs others to be chosen by")
    msg.info(f"No file has 'dev' in its name: the last {len(docs) - n_train} of {len(docs)} are it")
    for part, some in {"dev": docs[n_train:], "train": docs[:n_train]}.items():
        docbin = DocBin(attrs=DOCBIN_ATTRS, store_user_data=True, docs=some)
        write_atomically(parts[part], docbin.to_bytes())


def _run(*arguments: object) -> None:
    """Say a command of this package, and run it. If it fails, so does this one."""
    words = [str(argument) for argument in arguments]
    echo(f"$ python -m spacy structparse {join(words)}")
    if status := get_command(app).main(words, standalone_mode=False):
        raise typer.Exit(status)
