"""The files that arguments stand for, and the outputs that treebanks become."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..errors import ReadError
from ..input_limits import GZIP_SUFFIX, files_under
from .options import TreebankPart
from .readers import (
    BRACKETS,
    DEPENDENCIES,
    SHOWN_KINDS,
    SHOWN_TREEBANKS,
    TEXTS,
    InputFormat,
    kind_of,
)
from .text_lines import STANDARD_INPUT

InputFile = tuple[Path, InputFormat]
ERRORS = "errors.jsonl"
"""The file in a folder of parses that lists what was not parsed, which is no input."""


def find_files(
    sources: Iterable[Path],
    kind: InputFormat | None,
    warn: Callable[[str], object] = lambda message: None,
) -> list[InputFile]:
    """Find the files to read, each with its kind: the one given, or that of its suffix.

    The standard input and pipes are text where no kind is given. A folder stands for the files of
    the kind given that `files_under` finds in it. Without a kind those are its `.spacy` files, or
    if there are none its files with annotation, which must be of one kind.

    Args:
        sources: Files, folders, and `-` for the standard input.
        kind: The kind of all of them.
        warn: Called with a message on the texts of a folder that are left out.

    Raises:
        ReadError: A file does not exist.
        ReadError: A folder has no files of the kind, or of several, or the kind of a file is
            not known.
    """
    files: list[InputFile] = []
    for source in sources:
        is_standard = str(source) == STANDARD_INPUT
        if not is_standard and not source.exists():
            raise ReadError(f"{source} does not exist")
        if not is_standard and source.is_dir():
            files += _files_in(source, kind, warn)
            continue
        is_stream = is_standard or not source.is_file()  # a pipe
        its_kind = kind or (InputFormat.text if is_stream else kind_of(source.name))
        if its_kind is None:
            raise ReadError(
                f"the kind of {source} is not known by its suffix: name it with --input-format. "
                f"The kinds: {SHOWN_KINDS}"
            )
        files.append((source, its_kind))
    return files


def _files_in(
    folder: Path, kind: InputFormat | None, warn: Callable[[str], object]
) -> list[InputFile]:
    """The files of a folder; see `find_files`."""
    by_kind: dict[InputFormat, list[Path]] = {}
    for file in files_under(folder):
        its_kind = kind_of(file.name)
        if its_kind is not None and file.name != ERRORS:
            by_kind.setdefault(its_kind, []).append(file)
    if kind is None:
        kinds = [InputFormat.spacy] if InputFormat.spacy in by_kind else [*by_kind.keys() - TEXTS]
        if len(kinds) > 1:
            names = " and ".join(sorted(name.value for name in kinds))
            raise ReadError(
                f"the folder {folder} has files of several kinds, {names}: give a file of it, or "
                "--input-format to a command that has it"
            )
        if not kinds:
            raise ReadError(
                f"the folder {folder} has no files with annotation: name the kind of its texts "
                f"with --input-format. The kinds: {SHOWN_KINDS}"
            )
        (kind,) = kinds
        texts = sorted(file for its_kind in TEXTS for file in by_kind.get(its_kind, ()))
        if texts:
            warn(
                f"{folder}: its {kind.value} files are read, and {len(texts)} files with text are "
                f"not, the first {texts[0]}: --input-format text reads them instead"
            )
    if kind not in by_kind:
        raise ReadError(f"the folder {folder} has no {kind.value} files ({SHOWN_KINDS})")
    return [(file, kind) for file in by_kind[kind]]


def is_treebank(path: Path) -> bool:
    """Return True for the name of a treebank, which gzip may have compressed."""
    return kind_of(path.name) in (*DEPENDENCIES, *BRACKETS)


def plan_outputs(inputs: Sequence[Path], output: Path) -> dict[Path, list[TreebankPart]]:
    """The outputs to write and the parts of each, in the order given.

    An output named `*.spacy` takes all input files; two files of one stem, or the only two files
    given, are joined if one holds trees and the other dependencies. Any other output is a folder
    that gets one `STEM.spacy` per stem; an input folder stands for the treebank files in it, but
    not for hidden ones and those in folders in it.
    Raises `ReadError` for inputs that are absent, of an unknown kind or ambiguous.
    """
    one_file = output.suffix == ".spacy"
    files = [file for path in inputs for file in _treebank_files(path, one_file)]
    if one_file and len(files) == 2 and len({kind_of(f.name) in BRACKETS for f in files}) == 2:
        return {output: [_part(files)]}
    by_stem: dict[Path, list[Path]] = {}
    for file in files:
        plain = file.with_suffix("") if file.suffix.lower() == GZIP_SUFFIX else file
        by_stem.setdefault(plain.with_suffix(""), []).append(file)
    outputs: dict[Path, list[TreebankPart]] = {}
    for stem, group in by_stem.items():
        target = output if one_file else output / f"{stem.name}.spacy"
        parts = outputs.setdefault(target, [])
        if parts and not one_file:
            raise ReadError(
                f"{group[0]} and {parts[0].paths[0]} would both become {target}. "
                "Convert them to folders of their own."
            )
        parts.append(_part(group))
    return outputs


def _treebank_files(path: Path, one_file: bool) -> list[Path]:
    if path.is_dir():
        if one_file:
            raise ReadError(
                f"{path} is a folder, of which every part becomes a file of its own: "
                "give a folder as output, or the files one by one."
            )
        visible = (file for file in path.iterdir() if not file.name.startswith("."))
        treebanks = sorted(file for file in visible if is_treebank(file) and file.is_file())
        if not treebanks:
            raise ReadError(f"The folder {path} holds no treebank. The kinds: {SHOWN_TREEBANKS}")
        return treebanks
    if not path.is_file():
        raise ReadError(f"There is no file or folder {path}")
    if not is_treebank(path):
        raise ReadError(f"{path} is not named as a treebank. The kinds: {SHOWN_TREEBANKS}")
    return [path]


def _part(files: Sequence[Path]) -> TreebankPart:
    layers: dict[str, Path] = {}
    for file in files:
        layer = "brackets" if kind_of(file.name) in BRACKETS else "conllu"
        if layer in layers:
            raise ReadError(
                f"{layers[layer]} and {file} hold the same layer of one stem: give one of them"
            )
        layers[layer] = file
    return TreebankPart(**layers)
