"""Public treebanks from their downloads to one layout: `{train,dev,test}.{ptb,conllu}`.

Of the CoNLL-U only what a parser is trained on is kept: the comments `newdoc`, `newpar`, `sent_id`
and `text`, the first eight columns and `SpaceAfter=No`. The trees stay as they are distributed.

    python -m benchmarks.prepare craft corpus/craft/source --downloads assets/downloads
"""

import gzip
import hashlib
import os
import tarfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, BinaryIO, cast

import typer

from spacy_structparse.files import write_atomically

TREEBANKS_VARIABLE = "STRUCTPARSE_TREEBANKS"
SPLITS = ("train", "dev", "test")
SUFFIXES = (".conllu", ".conll", ".conllx", ".ptb", ".mrg")
KEPT_COMMENTS = ("newdoc", "newdoc id", "newpar", "newpar id", "sent_id", "text")

Files = Mapping[str, bytes]


class PrepareError(ValueError):
    """A treebank that was not found, or whose files are not the expected ones."""


@dataclass(frozen=True, slots=True)
class PublicTreebank:
    """Where the parts of a public treebank are in its repository.

    download: the archive of the repository, or a folder of single files, in the downloads folder.
    folders: what is read of it, as beginnings of paths below the archive's own top folder.
    build: makes the prepared files, by name, out of the files read, by path.
    checksums: MD5 of each prepared file at the revision that `project.yml` names.
    """

    download: str
    folders: tuple[str, ...]
    build: Callable[[Files], dict[str, bytes]]
    checksums: Mapping[str, str] = field(default_factory=dict)


def prepare_treebank(
    name: str,
    output: Path,
    *,
    folders: Sequence[Path],
    downloads: Path,
    verify: bool = True,
    force: bool = False,
) -> list[Path]:
    """Put a treebank's train, dev and test files into the folder `output`, and return their paths.

    It is copied from the first of `folders` that has a folder of its name, or else built from what
    `spacy project assets` has put into `downloads`. Other files of such names in the folder are an
    error, unless `force` says that they are replaced or removed. With `verify`, built files must be
    those of the pinned revision. Raises `PrepareError`.
    """
    source = next((path / name for path in folders if (path / name).is_dir()), None)
    if source is not None:
        files = _split_files(source)
    elif name in PUBLIC_TREEBANKS and (downloads / PUBLIC_TREEBANKS[name].download).exists():
        treebank = PUBLIC_TREEBANKS[name]
        files = treebank.build(_read_download(downloads / treebank.download, treebank.folders))
        if verify:
            _verify(name, files, treebank.checksums)
    else:
        raise PrepareError(_not_found(name, folders, downloads))
    others = [
        path
        for path in sorted(output.glob("*"))
        if path.stem in SPLITS and path.suffix in SUFFIXES
        if files.get(path.name) != path.read_bytes()
    ]
    if others and not force:
        raise PrepareError(
            f"{output} has another {', '.join(path.name for path in others)}: name another folder, "
            "or replace it with --force"
        )
    for path in others:
        path.unlink()
    for filename, data in files.items():
        write_atomically(output / filename, data)
    return [output / filename for filename in files]


def _split_files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in sorted(folder.iterdir()) if path.suffix in SUFFIXES]
    files = {path.name: path.read_bytes() for path in paths if path.stem in SPLITS}
    if not any(Path(filename).stem == "train" for filename in files):
        found = ", ".join(path.name for path in paths) or "no treebank file"
        raise PrepareError(
            f"{folder} has no train{' or train'.join(SUFFIXES)}, but {found}. A treebank's files "
            "are named train, dev and test."
        )
    return files


def _not_found(name: str, folders: Sequence[Path], downloads: Path) -> str:
    places = [str(folder / name) for folder in folders]
    if name in PUBLIC_TREEBANKS:
        places.append(str(downloads / PUBLIC_TREEBANKS[name].download))
        advice = (
            "Download it with `python -m spacy project assets`, or name the folder that has a "
            f"folder {name!r} with --from or in {TREEBANKS_VARIABLE}"
        )
    else:
        advice = (
            f"Only {', '.join(PUBLIC_TREEBANKS)} can be downloaded. Put the files of another one, "
            f"such as {name}/train.ptb and {name}/dev.ptb, into a folder of its name, and name "
            f"the folder around that with --from or in {TREEBANKS_VARIABLE}"
        )
    looked = f"looked for {' and '.join(places)}" if places else "no folder to look in was given"
    return f"No treebank '{name}': {looked}. {advice}."


def _read_download(path: Path, folders: tuple[str, ...]) -> dict[str, bytes]:
    """The files of a download, by their path without the archive's top folder."""
    if path.is_dir():
        return {file.name: file.read_bytes() for file in sorted(path.iterdir()) if file.is_file()}
    files = {}
    try:
        with gzip.open(path) as unpacked:
            # In order and to the end, where the checksum of all is.
            with tarfile.open(fileobj=cast(BinaryIO, unpacked), mode="r|") as archive:
                for member in archive:
                    inner = member.name.partition("/")[2]
                    if member.isreg() and not member.issparse() and inner.startswith(folders):
                        stream = archive.extractfile(member)
                        files[inner] = stream.read() if stream is not None else b""
            while unpacked.read(2**20):
                pass
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise PrepareError(
            f"{path} is no whole archive ({error}). Delete it and download it again with "
            "`python -m spacy project assets`."
        ) from error
    return files


def _verify(name: str, files: Mapping[str, bytes], checksums: Mapping[str, str]) -> None:
    for filename, expected in checksums.items():
        found = hashlib.md5(files.get(filename, b""), usedforsecurity=False).hexdigest()
        if found != expected:
            raise PrepareError(
                f"{name}: {filename} has the checksum {found}, that of the pinned revision is "
                f"{expected}. Download it again, or give --any-revision to use another revision."
            )


def _need(files: Files, path: str) -> str:
    if path not in files:
        raise PrepareError(f"The download has no file {path}: is it of another revision?")
    try:
        return files[path].decode("utf-8")
    except UnicodeDecodeError as error:
        raise PrepareError(f"The download's file {path} is not UTF-8 ({error})") from error


def trim_conllu(text: str) -> str:
    """CoNLL-U without the columns and comments that no parser here reads."""
    return "\n".join(line for line in map(_trim_line, text.split("\n")) if line is not None)


def _trim_line(line: str) -> str | None:
    if line.startswith("#"):
        return line if line[1:].partition("=")[0].strip() in KEPT_COMMENTS else None
    columns = line.split("\t")
    if len(columns) == 10:
        columns[8] = "_"
        columns[9] = "SpaceAfter=No" if "SpaceAfter=No" in columns[9].split("|") else "_"
    return "\t".join(columns)


def _joined_conllu(files: Files, paths: Iterable[str]) -> bytes:
    text = "".join(_need(files, path).rstrip("\n") + "\n\n" for path in paths)
    return trim_conllu(text).encode("utf-8")


def _joined_trees(files: Files, paths: Iterable[str], between: str) -> bytes:
    texts = [_need(files, path).strip("\n") for path in paths]
    return (between.join(texts) + "\n").encode("utf-8")


def build_craft(files: Files) -> dict[str, bytes]:
    """CRAFT by its official split of articles; one tree a line."""
    prepared = {}
    for split in SPLITS:
        ids = _need(files, f"articles/ids/craft-ids-{split}.txt").split()
        trees = [f"structural-annotation/treebank/penn/{i}.tree" for i in ids]
        heads = [f"structural-annotation/dependency/conllu/{i}.conllu" for i in ids]
        prepared[f"{split}.ptb"] = _joined_trees(files, trees, "\n")
        prepared[f"{split}.conllu"] = _joined_conllu(files, heads)
    return prepared


def build_gum(files: Files) -> dict[str, bytes]:
    """GUM by its official split; without reddit, whose words are not distributed, and GENTLE.

    `splits.md` lists the documents of dev and test; all others are for training.
    """
    split_of, split = {}, ""
    for line in _need(files, "splits.md").splitlines():
        if line.startswith("## "):
            split = line[3:].strip()
        elif line.strip().startswith("* "):
            split_of[line.strip()[2:]] = split
    names = sorted(Path(path).stem for path in files if path.startswith("dep/GUM_"))
    names = [name for name in names if not name.startswith("GUM_reddit_")]
    prepared = {}
    for split in SPLITS:
        chosen = [name for name in names if split_of.get(name, "train") == split]
        if not chosen:
            raise PrepareError(f"The download has no document of {split} in its folder dep/")
        prepared[f"{split}.ptb"] = _joined_trees(
            files, [f"const/{name}.ptb" for name in chosen], "\n\n"
        )
        prepared[f"{split}.conllu"] = _joined_conllu(
            files, [f"dep/{name}.conllu" for name in chosen]
        )
    return prepared


def build_ewt(files: Files) -> dict[str, bytes]:
    """UD_English-EWT, which has one file a split and no trees."""
    return {
        f"{split}.conllu": _joined_conllu(files, [f"en_ewt-ud-{split}.conllu"]) for split in SPLITS
    }


PUBLIC_TREEBANKS: Mapping[str, PublicTreebank] = {
    "craft": PublicTreebank(
        download="craft.tar.gz",
        folders=(
            "articles/ids/",
            "structural-annotation/treebank/penn/",
            "structural-annotation/dependency/conllu/",
        ),
        build=build_craft,
        checksums={
            "train.ptb": "ae8fd19171832e4bb3a969e886631fed",
            "train.conllu": "bfbccb6143715fc5d2eb63c17f6bcea0",
            "dev.ptb": "cc197d1349c80ef5bd4e9b284b45fd48",
            "dev.conllu": "495313886bdd73b3ad204422e60736ce",
            "test.ptb": "17e75379695da95765117b5eccab66a6",
            "test.conllu": "f30afe37f64491193ec49f231e6b7acc",
        },
    ),
    "gum": PublicTreebank(
        download="gum.tar.gz",
        folders=("splits.md", "dep/", "const/"),
        build=build_gum,
        checksums={
            "train.ptb": "b902784104dea157f8aff6447a9cad24",
            "train.conllu": "fe6e189bc02331361b52bebb4703ad08",
            "dev.ptb": "b0574071a0ac3722c46da6e81c57bfa3",
            "dev.conllu": "138a1f5c46dcf9bdfd31751a8e83e2dc",
            "test.ptb": "54b71582ca87d9379cc43d0e94dbb7e2",
            "test.conllu": "cbd2241263ee4696cc92e62d437c9cfc",
        },
    ),
    "ewt": PublicTreebank(
        download="ewt",
        folders=(),
        build=build_ewt,
        checksums={
            "train.conllu": "ca3e091be6459719a0ffcf3ad999d217",
            "dev.conllu": "3045f97eb81a9b801d195e5c04cd2ef0",
            "test.conllu": "ca5c2657133840eceb63baca32627c90",
        },
    ),
}


def main(
    name: Annotated[
        str,
        typer.Argument(help=f"Name of a treebank: a folder's, or {', '.join(PUBLIC_TREEBANKS)}"),
    ],
    output: Annotated[Path, typer.Argument(help="The folder to fill", file_okay=False)],
    folders: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            help="Folder with a folder NAME in it; several are tried in turn, empty ones ignored. "
            f"Without any, the folder that the environment variable {TREEBANKS_VARIABLE} names",
        ),
    ] = None,
    downloads: Annotated[
        Path, typer.Option(help="Where `spacy project assets` has put archives")
    ] = Path("assets/downloads"),
    any_revision: Annotated[
        bool, typer.Option("--any-revision", help="Accept other revisions than the pinned one")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace other train, dev and test files")
    ] = False,
) -> None:
    """Put a treebank's train, dev and test files into one folder."""
    given = [folder for folder in folders or [] if folder]
    if not given and os.environ.get(TREEBANKS_VARIABLE):
        given = [os.environ[TREEBANKS_VARIABLE]]
    try:
        paths = prepare_treebank(
            name,
            output,
            folders=[Path(folder).expanduser() for folder in given],
            downloads=downloads,
            verify=not any_revision,
            force=force,
        )
    except PrepareError as error:
        raise SystemExit(str(error)) from error
    print(f"{output}: {', '.join(path.name for path in paths)}")


if __name__ == "__main__":
    typer.run(main)
