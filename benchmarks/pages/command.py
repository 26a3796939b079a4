"""The command that makes a result today, from the one that was recorded.

Benchmarks have become modules, and results, tables and configs have been renamed since some were
recorded. A file of results keeps the command as it was given.
"""

import re
import shlex
from functools import cache
from pathlib import Path

from ..record import RESULTS, Result, read_result
from ..training_runs import folder_name

MODULES = {
    "rescan": "second_pass",
    "speed": "dependency_speed",
    "tree_details": "constituency_details",
    "tree_speed": "constituency_speed",
}
ABLATIONS = {"trees": "constituency"}


def shown_command(result: Result) -> str:
    """A result's command as it is given today."""
    module, arguments = _module_and_arguments(result.command)
    if module == "ablations":
        # The first ablations were recorded before there were several tables.
        if arguments[1].startswith("--"):
            arguments.insert(1, "stack_lstm")
        arguments[1] = ABLATIONS.get(arguments[1], arguments[1])
        if "--vectors" in arguments:
            at = arguments.index("--vectors")
            vectors = f"paths.vectors={arguments[at + 1]}"
            arguments[at : at + 2] = ["--override", vectors]
    arguments = [_moved(argument) for argument in arguments]
    if "--name" in arguments:
        arguments[arguments.index("--name") + 1] = result.name.removeprefix(f"{module}-")
    return shlex.join(["python", "-m", f"benchmarks.{module}", *arguments])


def _module_and_arguments(command: str) -> tuple[str, list[str]]:
    _, script, *words = shlex.split(command)
    if script == "-m":
        script = words.pop(0).removeprefix("benchmarks.")
    module = Path(script).stem
    arguments: list[str] = []
    for word in words:
        # Values of several words were once recorded without quotes.
        continues = [one.startswith("--") for one in (*arguments[-2:], word)] == [
            True,
            False,
            False,
        ]
        if continues:
            arguments[-1] += f" {word}"
        else:
            arguments.append(word)
    return MODULES.get(module, module), arguments


def _moved(argument: str) -> str:
    """An argument in which names of configs and of folders of trained pipelines are today's."""
    return re.sub(r'training/bench/([^/,"]+)((?:/[^/,"]+)*)', _moved_folder, argument)


def _moved_folder(match: re.Match[str]) -> str:
    folder, rest = match.groups()
    parts = [folder_name(part) for part in rest.split("/")]
    return f"training/bench/{_folders().get(folder, folder)}" + "/".join(parts)


@cache
def _folders() -> dict[str, str]:
    """The name of each result, which is that of its folder, by the folder's former name."""
    found = {}
    for path in RESULTS.glob("*.json"):
        former = read_result(path.stem).recorded_name
        # Folders of accuracy had no prefix; those of language models had another.
        found[former] = found[former.removeprefix("accuracy-")] = path.stem
        found[former.replace("language_models-", "language-models-")] = path.stem
    return found
