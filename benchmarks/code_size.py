"""Print how large the package and its tests are, beside the budgets.

python -m benchmarks.code_size                    prints a table
python -m benchmarks.code_size --json sizes.json  writes the figures
"""

import argparse
import ast
import io
import json
import re
import runpy
import subprocess
import tokenize
from collections import Counter
from pathlib import Path
from typing import Any

from typer.main import get_command

from spacy_structparse.cli import app

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "spacy_structparse"
BUDGETS = {"core code": 20_000, "tools code": 5_000, "test lines": 31_000}
LAYOUT = "COMMENT NL NEWLINE INDENT DEDENT ENDMARKER".split()


def code_lines(source: str) -> int:
    """Count the lines of a module without blank lines, comments and docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if tokenize.tok_name[token.type] not in LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        # Docstrings, those of attributes too (PEP 257): a string that is a statement of its own.
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                lines.difference_update(range(node.lineno, (node.end_lineno or 0) + 1))
    return len(lines)


def measure() -> dict[str, Any]:
    """Count code lines and files by room, lines of tests, visible commands and settings."""
    code: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for path in _tracked(PACKAGE):
        room = "/".join(path.relative_to(ROOT / PACKAGE).parts[:-1]) or "."
        files[room] += 1
        code[room] += code_lines(path.read_text(encoding="utf8"))
    tools = [room for room in code if room.split("/")[0] == "tools"]
    group: Any = get_command(app)
    settings_page = runpy.run_path(str(ROOT / "docs" / "generate_settings.py"))["settings_page"]()
    return {
        "rooms": {room: {"code": code[room], "files": files[room]} for room in sorted(code)},
        "core code": code.total() - sum(code[room] for room in tools),
        "tools code": sum(code[room] for room in tools),
        "package code": code.total(),
        "package files": files.total(),
        "test lines": sum(len(path.read_bytes().splitlines()) for path in _tracked("tests")),
        "visible commands": sum(not command.hidden for command in group.commands.values()),
        "settings": len(re.findall(r"^\| \*\*", settings_page, re.MULTILINE)),
    }


def _tracked(folder: str) -> list[Path]:
    """The Python files that git knows, or would add, and that are there."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", f"{folder}/*.py"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [ROOT / name for name in listing.stdout.splitlines()]
    return [path for path in paths if path.exists()]


def main() -> None:
    """Print the table, or write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    target, sizes = parser.parse_args().json, measure()
    if target:
        target.write_text(json.dumps(sizes, indent=2) + "\n", encoding="utf8")
    print("  code  files  room")
    for room, size in sizes["rooms"].items():
        print(f"{size['code']:6,} {size['files']:6}  {room}")
    print()
    for name, value in sizes.items():
        if name != "rooms":
            budget = f"   budget {BUDGETS[name]:,}" if name in BUDGETS else ""
            print(f"{name:17} {value:7,}{budget}")


if __name__ == "__main__":
    main()
