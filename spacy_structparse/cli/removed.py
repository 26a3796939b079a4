"""Commands and options of earlier releases: each ends in an error that says what to use instead."""

from collections.abc import Mapping
from typing import Any

import typer
from typer.core import TyperCommand

from .app import UsageError, app
from .messages import msg

COMMANDS = {
    "prepare": "in a copy of the repository, run python -m benchmarks.prepare",
    "unpack-encoder": "in a copy of the repository, run python assets/encoder.py",
    "fit-config": "use init-config CONFIG OUTPUT --data TRAIN",
    "sweep": "train in a loop over settings and seeds, or with Optuna, as docs/sweeps.md shows",
}
"""The names of removed commands, and what to do instead: the end of a sentence."""


def removed_options(remedies: Mapping[str, str]) -> type[TyperCommand]:
    """Make the class (``cls``) of a command some options of which were removed.

    Args:
        remedies: What to do instead of each: an imperative, by the full name such as ``--part``.
    """

    class WithoutOptions(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            for name in (argument.partition("=")[0] for argument in args):
                if name in remedies:
                    raise UsageError(f"{name} was removed: {remedies[name]}", ctx=ctx)
            return super().parse_args(ctx, args)

    return WithoutOptions


def _add_removed(name: str, instead: str) -> None:
    """Add a hidden command that takes any arguments and fails."""

    # Every option is an argument here, so that `sweep --help` has the answer too.
    @app.command(
        name,
        hidden=True,
        add_help_option=False,
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )
    def fail(ctx: typer.Context) -> None:
        msg.fail(f"'{name}' was removed: {instead}", exits=1)


for _name, _instead in COMMANDS.items():
    _add_removed(_name, _instead)
