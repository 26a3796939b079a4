"""`spacy structparse init-config`: write a training config."""

import re
from pathlib import Path
from typing import Annotated

import srsly
import typer
from spacy.util import get_lang_class, load_config

from ..files import write_atomically
from .app import app
from .compose_config import (
    Aim,
    ComposeError,
    Encoder,
    Parser,
    base_name,
    compose_tok2vec,
    compose_transformer,
    ordered,
)
from .fine_tune_config import FineTuneError, fine_tune_config
from .loading import LoadingError, load_pipeline
from .messages import msg
from .shipped_configs import shipped_configs

OPTIONAL_PATHS = ("vectors", "init_tok2vec", "transformer", "base")


@app.command("init-config")
def init_config_cli(
    name: Annotated[
        str | None,
        typer.Argument(help="A config that --list names; with --parser it is left out"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Argument(
            help="The file to write, or - for the standard output; by default NAME.cfg in the "
            "current folder",
            allow_dash=True,
            dir_okay=False,
        ),
    ] = None,
    parser: Annotated[
        Parser | None, typer.Option("--parser", "-p", help="Make a config for this parser")
    ] = None,
    encoder: Annotated[
        Encoder | None,
        typer.Option(
            "--encoder",
            "-e",
            help="With --parser: an embedding of its own, spaCy's tok2vec, or a transformer; "
            "others can share these two  [default: own]",
        ),
    ] = None,
    aim: Annotated[
        Aim | None,
        typer.Option(
            "--optimize", "-o", help="With --parser: what it is made for  [default: speed]"
        ),
    ] = None,
    lang: Annotated[
        str | None, typer.Option("--lang", "-l", help="Language code, in place of en")
    ] = None,
    base: Annotated[
        str | None,
        typer.Option("--from", help="Make a config that goes on from this trained pipeline"),
    ] = None,
    add: Annotated[
        str,
        typer.Option("--add", help="With --from: components to add, such as ner,textcat"),
    ] = "",
    train: Annotated[
        str,
        typer.Option(
            "--train",
            help="With --from: components to train further, such as parser,tagger  [default: the "
            "parsers, or none with --add]",
        ),
    ] = "",
    force: Annotated[bool, typer.Option("--force", "-F", help="Overwrite the file")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the configs and stop")] = False,
) -> None:
    """Write a training config with all settings.

    With NAME it is one of the configs that come with the package. With --parser it is made of
    these: for speed, or for accuracy with a larger parser. For accuracy and an embedding of its
    own the parser reads the tags of a trained tagger, which its file says how to make.

    With --from it fine-tunes a trained pipeline, or trains new components beside its own. All other
    components, the tokenizer and the vocabulary stay as they are.
    """
    configs = shipped_configs()
    if list_:
        for known, path in configs.items():
            typer.echo(f"{known:<{max(map(len, configs)) + 2}}{_summary(path)}")
        return
    if (add or train) and base is None:
        msg.fail("--add and --train go with --from", "Name a trained pipeline", exits=1)
    if parser is not None and base is not None:
        msg.fail("--parser makes a new pipeline, --from a trained one", "Leave one out", exits=1)
    if parser is not None or base is not None:
        if output is not None:
            problem = f"There is one file to write, not {name} and {output}"
            msg.fail(problem, "Leave the name of a config out", exits=1)
        output = None if name is None else Path(name)
        name = parser.value if parser is not None else "fine_tune"
    elif encoder is not None or aim is not None:
        names = ", ".join(one.value for one in Parser)
        msg.fail("--encoder and --optimize go with --parser", f"One of {names}", exits=1)
    elif name not in configs:
        problem = "A name is missing" if name is None else f"There is no config '{name}'"
        msg.fail(problem, f"Choose one of {', '.join(configs)}", exits=1)
    if output is not None and output.is_dir():
        msg.fail(f"{output} is a folder", "Name the file to write", exits=1)
    try:
        if base is not None:
            text = _going_on(base, _names_in(add), _names_in(train))
        elif parser is None:
            text = _shipped(name, lang)
        else:
            text = _made(parser, encoder or Encoder.own, aim or Aim.speed, lang)
    except ImportError as error:
        msg.fail(f"There is no language '{lang}' in spaCy", str(error), exits=1)
    except (ComposeError, FineTuneError, LoadingError) as error:
        msg.fail("The config was not written", str(error), exits=1)
    if str(output) == "-":
        typer.echo(text, nl=False)
        return
    output = output or Path(f"{name}.cfg")
    if output.exists() and not force:
        msg.fail(f"{output} exists", "Overwrite it with --force, or name another file", exits=1)
    write_atomically(output, text.encode("utf8"))
    msg.good(f"Wrote {output}")
    paths = load_config(output, interpolate=False)["paths"]
    needed = " ".join(f"--paths.{path} …" for path in paths if path not in OPTIONAL_PATHS)
    on_gpu = " --gpu-id 0" if encoder is Encoder.trf else ""
    typer.echo(f"Train with: python -m spacy train {output} --output … {needed}{on_gpu}")


def _made(parser: Parser, encoder: Encoder, aim: Aim, lang: str | None) -> str:
    """The config of a parser.

    Raises:
        ComposeError: spacy-transformers is needed and not installed.
        ImportError: spaCy has no such language.
    """
    aimed = _shipped(base_name(parser, aim), lang)
    if encoder is Encoder.own:
        return aimed
    if encoder is Encoder.trf:
        return compose_transformer(_shipped(f"{parser.value}_trf", lang), parser, aim)
    return compose_tok2vec(_shipped(parser.value, lang), aimed, parser, aim)


def _going_on(base: str, add: list[str], train: list[str]) -> str:
    """The config that goes on from a trained pipeline.

    Raises:
        FineTuneError: The pipeline does not allow the training.
        LoadingError: The pipeline cannot be loaded.
    """
    config, learning = fine_tune_config(load_pipeline(base), base, add, train)
    header = f"# Trains {', '.join(learning)} of {base} and keeps the rest as it is.\n\n"
    return header + ordered(config.to_str(interpolate=False))


def _names_in(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _shipped(name: str | None, lang: str | None) -> str:
    text = shipped_configs()[str(name)].read_text(encoding="utf8")
    return text if lang is None else _in_language(text, lang)


def _summary(path: Path) -> str:
    """The first line of a config, which is a comment."""
    with path.open(encoding="utf8") as file:
        return file.readline().removeprefix("# ").strip()


def _in_language(text: str, lang: str) -> str:
    """A config for another language, with that language's tokenizer.

    Raises:
        ImportError: spaCy has no such language.
    """
    defaults = get_lang_class(lang).Defaults.config.get("nlp", {})
    text = re.sub('^lang = "en"$', f'lang = "{lang}"', text, flags=re.MULTILINE)
    if "tokenizer" in defaults:
        tokenizer = f"tokenizer = {srsly.json_dumps(defaults['tokenizer'])}"
        text = re.sub("^tokenizer = .*$", lambda _: tokenizer, text, flags=re.MULTILINE)
    return text
