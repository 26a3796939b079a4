"""`spacy structparse init-config`: write a training config."""

from pathlib import Path
from typing import Annotated

import typer
from spacy import blank
from spacy.util import load_config_from_str
from spacy.vocab import Vocab

from ..corpora.docbins import read_docs
from ..files import write_atomically
from .app import LEARNED_TOKENIZER, TRAIN, app
from .compose_config import (
    Aim,
    Encoder,
    Parser,
    compose,
    ordered,
    read_config,
    shipped_list,
    training_command,
)
from .fine_tune_config import fine_tune_text
from .language_config import drop_unlearned, say_language
from .loading import load_pipeline
from .messages import messages_beside, msg
from .output_checks import STANDARD_OUTPUT
from .treebank_size import fit_config

Name = typer.Argument(
    help="A config that --list names, or a config file; left out with --parser and --from"
)
Output = typer.Argument(
    help="The file to write, or - for the standard output; by default NAME.cfg",
    allow_dash=True,
    dir_okay=False,
)
ForParser = typer.Option("--parser", "-p", help="Make a config for this parser")
WithEncoder = typer.Option(
    "--encoder", "-e", help="With --parser: the parser's own, spaCy's or a transformer"
)
Optimize = typer.Option("--optimize", "-o", help="With --parser: its aim  [default: speed]")
Lang = typer.Option("--lang", "-l", help="Language code, in place of en")
From = typer.Option("--from", help="Make a config that goes on from this trained pipeline")
Add = typer.Option(help="With --from: components to add, such as ner,textcat")
Train = typer.Option(
    help="With --from: components to train further, such as parser,tagger  [default: the parsers, "
    "or none with --add]"
)
Data = typer.Option(help="The training data: fit the training to its size", exists=True)


@app.command("init-config", rich_help_panel=TRAIN)
def init_config_cli(
    name: Annotated[str | None, Name] = None,
    output: Annotated[Path | None, Output] = None,
    parser: Annotated[Parser | None, ForParser] = None,
    encoder: Annotated[Encoder | None, WithEncoder] = None,
    aim: Annotated[Aim | None, Optimize] = None,
    lang: Annotated[str | None, Lang] = None,
    base: Annotated[str | None, From] = None,
    add: Annotated[str, Add] = "",
    train: Annotated[str, Train] = "",
    data: Annotated[Path | None, Data] = None,
    force: Annotated[bool, typer.Option("--force", "-F", help="Overwrite the file")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the configs and stop")] = False,
) -> None:
    """Write a training config with all settings.

    With NAME it is one of the configs that come with the package, or a file of yours. With --parser
    it is made of these: for speed, or for accuracy with a larger parser. For accuracy and an
    embedding of its own the parser reads the tags of a trained tagger, which its file says how to
    make.

    With --from it fine-tunes a trained pipeline, or trains new components beside its own. All other
    components, the tokenizer and the vocabulary stay as they are.

    The shipped configs suit treebanks of 100,000 words and more. With --data a smaller treebank is
    trained on for a shorter time, in smaller batches if it has less than twelve, and components
    whose annotation it does not have are left out.
    """
    if list_:
        typer.echo(shipped_list())
        return
    _refuse(base is not None, "does not go with --from", {"--parser": parser, "--lang": lang})
    _refuse(parser is None, "goes with --parser", {"--encoder": encoder, "--optimize": aim})
    _refuse(base is None, "goes with --from", {"--add": add, "--train": train})
    if parser is not None or base is not None:
        if output is not None:
            raise ValueError(f"there is one file to write, not {name} and {output}: leave one out")
        output = None if name is None else Path(name)
        name = parser or "fine_tune"
    output = output or Path(f"{Path(name or '').stem}.cfg")
    if output.exists() and not force and str(output) != STANDARD_OUTPUT:
        raise ValueError(f"{output} exists: overwrite it with --force, or name another file")
    if base is not None:
        text = fine_tune_text(load_pipeline(base), base, add, train)
    elif parser is not None:
        text = compose(parser, encoder or "own", aim or "speed", lang)
    else:
        text = read_config(name or "", lang)
    if data is not None:
        config = load_config_from_str(text, interpolate=False)
        missing = [] if base else drop_unlearned(config, list(read_docs(data, Vocab())), data)
        words, changes = fit_config(config, data)
        text = ordered(config)
    with messages_beside(output):
        if lang is not None:
            say_language(lang)
            if f'"spacy.{lang}.' in text:
                _check_tokenizer(lang)
    if str(output) == STANDARD_OUTPUT:
        typer.echo(text, nl=False)
        return
    write_atomically(output, text.encode("utf8"))
    msg.good(f"Wrote {output}")
    if data is not None:
        listed = ", ".join(f"{key} = {value}" for key, value in changes.items())
        msg.good(f"Fitted to {words:,} words: {listed or 'unchanged'}")
        if missing:
            msg.info(f"Left out, since {data} has no annotation for them: {', '.join(missing)}")
    typer.echo(f"Train with: {training_command(output, on_gpu=encoder == 'trf')}")


def _check_tokenizer(lang: str) -> None:
    """Warn if the package for spaCy's tokenizer of a language is missing."""
    try:
        blank(lang)
    except ImportError as error:
        msg.warn(str(error), LEARNED_TOKENIZER)


def _refuse(wrong: bool, reason: str, options: dict[str, str | None]) -> None:
    """Raise a ValueError that names the first option that was given, if that is wrong."""
    given = [name for name, value in options.items() if value]
    if wrong and given:
        raise ValueError(f"{given[0]} {reason}")
