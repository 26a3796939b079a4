"""The Typer application that every command registers itself on, in one of its groups."""

import sys
from contextlib import redirect_stdout
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .. import __version__
from ..errors import SearchLimitError, WorkerError
from ..escaping import escape_control
from .messages import echo, msg, printable_warnings

# Earlier names of commands, which go with version 1.1.
RENAMED = {
    "conll18": "score --format conllu",
    "evalb": "score --format brackets",
    "sample": "lm sample",
    "surprisal": "lm surprisal",
    "phrases": "lm phrases",
    "nearest": "lm nearest",
    "report": "breakdown",
}
WHOLE = 1_000  # characters of the first sentence of a help text: more than any has
# Wrong arguments, whose messages have them. Typer exports none but the class below it.
UsageError: Any = typer.BadParameter.__mro__[1]

PARSE, DATA, TRAIN, SCORE = "Parse", "Data", "Train", "Score"
PIPELINES, LANGUAGE_MODELS = "Pipelines", "Language models"
# The group of what scripts call: its commands are hidden, and documented.
PLUMBING = "Plumbing"
GROUPS = (PARSE, DATA, TRAIN, SCORE, PIPELINES, LANGUAGE_MODELS, PLUMBING)

# In lower case, the packages that tokenizers of spaCy ask for.
TOKENIZER_PACKAGES = ("sudachipy", "natto-py", "pythainlp", "pyvi", "pkuseg", "jieba")
LEARNED_TOKENIZER = (
    "A learned tokenizer needs no package: train with `structparse train`, or let nlp.tokenizer be "
    '{"@tokenizers":"spacy-structparse.segmenter.v1"} in the config'
)


class Commands(TyperGroup):
    """Commands in groups; an error of a file or of a value in it is one line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group."""
        shown = {name: command for name, command in self.commands.items() if not command.hidden}
        longest = max(map(len, shown))
        for group in (*GROUPS, None):
            commands = [
                (name, command.get_short_help_str(WHOLE))
                for name, command in shown.items()
                if group_of(command) == group
            ]
            if commands:
                with formatter.section(group or "Commands"):
                    formatter.write_dl(commands, col_max=longest)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find a command, whose arguments are shown in capitals as the help texts name them."""
        command = super().get_command(ctx, cmd_name)
        for param in getattr(command, "params", ()):
            if param.param_type_name == "argument":
                param.metavar = param.metavar or param.name.upper()
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command, also by its earlier name."""
        name = args[0]
        if name not in self.commands and name in RENAMED:
            echo(f"'{name}' is now '{RENAMED[name]}'", err=True)
            args = [*RENAMED[name].split(), *args[1:]]
        _print_version(args[1:2] == ["--version"])
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            with printable_warnings():
                return super().invoke(ctx)
        except UsageError as error:
            error.message = escape_control(error.message, keep="\n")
            raise
        except BrokenPipeError:
            raise  # the reader of the output has enough, as `head` has: the command ends quietly
        except (OSError, ValueError, ImportError, SearchLimitError, WorkerError) as error:
            reason = str(error)
            if isinstance(error, OSError) and error.strerror:
                place = "" if error.filename is None else f"{error.filename}: "
                reason = f"{place}{error.strerror}"
            is_missing = any(isinstance(e, ImportError) for e in (error, error.__cause__))
            if is_missing and any(name in reason.lower() for name in TOKENIZER_PACKAGES):
                reason = f"{reason}\n{LEARNED_TOKENIZER}"
            with redirect_stdout(sys.stderr):
                msg.fail(f"'{ctx.invoked_subcommand}' failed", reason)
            raise typer.Exit(1) from error


def group_of(command: Any) -> str | None:
    """Return the group under which a command was registered."""
    return command.rich_help_panel if isinstance(command.rich_help_panel, str) else None


def typer_group(name: str, **settings: Any) -> typer.Typer:
    """Return an empty group of commands."""
    return typer.Typer(
        name=name, no_args_is_help=True, rich_markup_mode=None, cls=Commands, **settings
    )


app = typer_group("structparse", context_settings={"help_option_names": ["--help", "-h"]})


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"spacy-structparse {__version__}")
        raise typer.Exit


@app.callback()
def structparse(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version", callback=_print_version)
    ] = False,
) -> None:
    """Treebanks and trainable syntactic parsers."""
