"""`spacy structparse init-config`: write a shipped training config."""

import re
from pathlib import Path
from typing import Annotated

import srsly
import typer
from spacy.util import get_lang_class, load_config
from wasabi import msg

from ..files import write_atomically
from .app import app
from .shipped_configs import shipped_configs

OPTIONAL_PATHS = ("vectors", "init_tok2vec")


@app.command("init-config")
def init_config_cli(
    name: Annotated[str | None, typer.Argument(help="A config that --list names")] = None,
    output: Annotated[
        Path | None,
        typer.Argument(
            help="The file to write, or - for the standard output; by default NAME.cfg in the "
            "current folder",
            allow_dash=True,
            dir_okay=False,
        ),
    ] = None,
    lang: Annotated[
        str | None, typer.Option("--lang", "-l", help="Language code, in place of en")
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-F", help="Overwrite the file")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the configs and stop")] = False,
) -> None:
    """Write one of the configs that come with the package, with all settings."""
    configs = shipped_configs()
    if list_:
        for known, path in configs.items():
            typer.echo(f"{known:<{max(map(len, configs)) + 2}}{_summary(path)}")
        return
    if name not in configs:
        problem = "A name is missing" if name is None else f"There is no config '{name}'"
        msg.fail(problem, f"Choose one of {', '.join(configs)}", exits=1)
    text = configs[name].read_text(encoding="utf8")
    if lang is not None:
        try:
            text = _in_language(text, lang)
        except ImportError as error:
            msg.fail(f"There is no language '{lang}' in spaCy", str(error), exits=1)
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
    typer.echo(f"Train with: python -m spacy train {output} --output … {needed}")


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
