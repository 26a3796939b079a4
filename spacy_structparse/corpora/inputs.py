"""Which files make which output: stems, layers and folders."""

from collections.abc import Sequence
from pathlib import Path

from ..input_limits import GZIP_SUFFIX
from .options import ConversionError, TreebankPart

CONLLU_SUFFIXES = (".conllu", ".conll", ".conllx")
BRACKET_SUFFIXES = (".ptb", ".mrg", ".psd")


def is_treebank(path: Path) -> bool:
    """Whether a file is named as a treebank, which gzip may have compressed."""
    name = path.name.lower().removesuffix(GZIP_SUFFIX)
    return name.endswith((*CONLLU_SUFFIXES, *BRACKET_SUFFIXES))


def plan_outputs(inputs: Sequence[Path], output: Path) -> dict[Path, list[TreebankPart]]:
    """The outputs to write and the parts of each, in the order given.

    An output named `*.spacy` takes all input files; two files of one stem, or the only two files
    given, are joined if one holds trees and the other dependencies. Any other output is a folder
    that gets one `STEM.spacy` per stem; an input folder stands for the treebank files in it, but
    not for hidden ones and those in folders in it.
    Raises `ConversionError` for inputs that are absent, of an unknown kind or ambiguous.
    """
    one_file = output.suffix == ".spacy"
    files = [file for path in inputs for file in _treebank_files(path, one_file)]
    if one_file:
        if len(files) == 2 and sum(file.suffix in CONLLU_SUFFIXES for file in files) == 1:
            return {output: [_part(files)]}
        return {output: [_part(group) for group in _by_stem(files).values()]}
    outputs: dict[Path, list[TreebankPart]] = {}
    for stem, group in _by_stem(files).items():
        target = output / f"{stem.name}.spacy"
        if target in outputs:
            raise ConversionError(
                f"{group[0]} and {outputs[target][0].paths[0]} would both become {target}. "
                "Convert them to folders of their own."
            )
        outputs[target] = [_part(group)]
    return outputs


def _treebank_files(path: Path, one_file: bool) -> list[Path]:
    known = CONLLU_SUFFIXES + BRACKET_SUFFIXES
    if path.is_dir():
        if one_file:
            raise ConversionError(
                f"{path} is a folder, of which every part becomes a file of its own: "
                "give a folder as output, or the files one by one."
            )
        found = sorted(
            file
            for file in path.iterdir()
            if file.suffix in known and file.is_file() and not file.name.startswith(".")
        )
        if not found:
            raise ConversionError(f"The folder {path} holds no file named {_any_of(known)}")
        return found
    if not path.is_file():
        raise ConversionError(f"There is no file or folder {path}")
    if path.suffix not in known:
        raise ConversionError(f"{path}: files must be named {_any_of(known)}")
    return [path]


def _any_of(suffixes: Sequence[str]) -> str:
    return ", ".join(f"*{suffix}" for suffix in suffixes)


def _by_stem(files: Sequence[Path]) -> dict[Path, list[Path]]:
    groups: dict[Path, list[Path]] = {}
    for file in files:
        groups.setdefault(file.with_suffix(""), []).append(file)
    return groups


def _part(files: Sequence[Path]) -> TreebankPart:
    conllu = [file for file in files if file.suffix in CONLLU_SUFFIXES]
    brackets = [file for file in files if file.suffix in BRACKET_SUFFIXES]
    for layer in (conllu, brackets):
        if len(layer) > 1:
            raise ConversionError(
                f"{layer[0]} and {layer[1]} hold the same layer of one stem: give one of them"
            )
    return TreebankPart(
        conllu=conllu[0] if conllu else None, brackets=brackets[0] if brackets else None
    )
