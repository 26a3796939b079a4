"""The rooms of the package: who may import whom, and no circle of imports."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = "spacy_structparse"
ROOT = Path(__file__).parents[1] / PACKAGE
# What each room may import of the package beside itself. `nn` has a room for each parser.
GROUND = {
    "brackets", "constraints", "cycles", "errors", "files", "input_limits", "learn", "escaping",
    "processes", "removed_settings", "search_results",
}  # fmt: skip
FAST, LAYERS = {"nn.fast"}, {"nn.fast", "nn.layers"}
PARSERS = {"nn.stack_lstm", "nn.seq2seq", "nn.spa", "nn.phrasal_lm"}
MAY_IMPORT: dict[str, set[str]] = {
    **{module: {"errors"} for module in GROUND},
    "trees": GROUND,
    "transitions": GROUND,
    "nn.fast": set(),
    "nn.layers": {*FAST, "constraints", "search_results", "transitions"},
    **{parser: {*GROUND, *LAYERS, "transitions"} for parser in PARSERS},
    "nn.segmenter": set(),
    "models": {*GROUND, *LAYERS, *PARSERS, "transitions"},
    "extensions": {*GROUND, "trees"},
    "tokenization": {*GROUND, "nn.segmenter", "extensions", "scoring"},
    "corpora": {*GROUND, "trees", "extensions", "tokenization", "viz"},
    "scoring": {*GROUND, "trees", "extensions"},
    "viz": {*GROUND, "trees", "transitions", "extensions", "scoring"},
    "training": {*GROUND, "trees", "corpora", "models"},
    "pipeline": {
        *GROUND, *PARSERS, "trees", "transitions", "models", "extensions", "scoring",
    },
}  # fmt: skip
# Commands import the rest of the core, and tools import the core and figures, but no other tool.
IMPORTS_THE_CORE = {"cli", "__main__", "tools"}
# These run, and can be reused, without these libraries.
WITHOUT = {
    "trees": {"thinc", "torch"},
    "transitions": {"spacy", "thinc"},
    "nn": {"spacy", "thinc"},
}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for path in sorted(ROOT.rglob("*.py"))}


def imports(module: str) -> Iterator[str]:
    """The modules that a module names anywhere in its file: in functions and under TYPE_CHECKING
    too."""
    path = FILES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield full if full in FILES else base


GRAPH = {module: {one for one in imports(module) if one != module} for module in FILES}


def room(module: str) -> str:
    """A folder of the package (of `nn`, one of its folders), or a file that lies beside them."""
    _, _, inside = module.partition(".")
    first, _, rest = inside.partition(".")
    return f"nn.{rest.partition('.')[0]}" if first == "nn" and rest else first


def test_no_circle_of_imports() -> None:
    own = {module: {one for one in read if one in FILES} for module, read in GRAPH.items()}
    try:
        TopologicalSorter(own).prepare()
    except CycleError as error:
        pytest.fail("a circle of imports: " + " imports ".join(reversed(error.args[1])))


def test_rooms_import_the_rooms_below_them() -> None:
    wrong = []
    for module, read in GRAPH.items():
        if room(module) in IMPORTS_THE_CORE | {""}:
            continue
        allowed = {room(module), *MAY_IMPORT.get(room(module), set())}
        wrong += [
            f"{module} imports {one}" for one in read & set(FILES) if room(one) not in allowed
        ]
    assert not wrong


def tool(module: str) -> str | None:
    """The tool that a module belongs to; None of the core."""
    parts = module.split(".")
    return parts[2] if parts[1:2] == ["tools"] and len(parts) > 2 else None


def test_the_core_imports_no_tool_and_tools_no_tool_but_figures() -> None:
    wrong = [
        f"{module} imports {one}"
        for module, read in GRAPH.items()
        for one in read & set(FILES)
        if tool(one) not in (None, tool(module))
        and not (tool(module) is not None and tool(one) == "figures")
    ]
    assert not wrong


def test_rooms_do_without_libraries_that_they_need_not() -> None:
    wrong = [
        f"{module} imports {one}"
        for module, read in GRAPH.items()
        for one in read
        if one.partition(".")[0] in WITHOUT.get(room(module).partition(".")[0], set())
    ]
    assert not wrong


def test_every_room_has_its_rule() -> None:
    rooms = {room(module) for module in FILES} - {"", "nn"} - IMPORTS_THE_CORE
    assert rooms == set(MAY_IMPORT)


NO_BEGINNING = ("What ", "Whether ", "That ", "How ", "Where ")


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    wrong = [
        f"{module}: {text.splitlines()[0]}"
        for module, path in FILES.items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, documented) and (text := ast.get_docstring(node) or "")
        if text.startswith(NO_BEGINNING)
    ]
    assert not wrong


def test_files_of_nn_lie_in_rooms() -> None:
    assert len(list((ROOT / "nn").glob("*.py"))) <= 3


# What a writer gives to `files`, in a temporary folder of its own. A tokenizer and a component
# write their parts of a pipeline into the folder that spaCy gives them.
WRITE_INTO_TEMPORARY = {
    "files", "cli.drawings", "cli.language_config", "corpora.jackknife",
    "training.atomic_to_disk", "models.transformer_files", "tokenization.wrapped_tokenizer",
}  # fmt: skip
WRITERS = {"write_text", "write_bytes", "write_json", "write_jsonl", "to_disk", "copytree", "move"}


def writes(node: ast.AST) -> bool:
    """Whether a call writes a file, by its name or by the mode that it opens a file with."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    modes = [one.value for one in values if isinstance(one, ast.Constant)]
    opens = name == "open" and any(
        isinstance(mode, str) and len(mode) <= 3 and set(mode) & set("wax+") for mode in modes
    )
    return opens or name in WRITERS


def test_every_output_is_written_by_one_function() -> None:
    found = {
        module.partition(".")[2]
        for module, path in FILES.items()
        if any(map(writes, ast.walk(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert found == WRITE_INTO_TEMPORARY
