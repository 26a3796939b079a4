"""`benchmarks.prepare`: from folders of treebanks, and from downloaded repositories."""

import gzip
import hashlib
import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from benchmarks.prepare import (
    PUBLIC_TREEBANKS,
    PrepareError,
    main,
    prepare_treebank,
)

app = typer.Typer()
app.command()(main)


def command(*arguments: object, fails: bool = False) -> str:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert bool(result.exit_code) == fails, result.output
    return str(result.exception) if fails else result.output


def block(word: str) -> str:
    """A sentence of one word with everything that repositories add to it."""
    return (
        f"# newdoc id = d-{word}\n# meta::title = T\n# sent_id = {word}-1\n# s_type = frag\n"
        f"# text = {word}\n1\t{word}\t_\tX\tFW\t_\t0\troot\t0:root\tSpaceAfter=No|Entity=1\n\n"
    )


def trimmed(word: str) -> str:
    return (
        f"# newdoc id = d-{word}\n# sent_id = {word}-1\n# text = {word}\n"
        f"1\t{word}\t_\tX\tFW\t_\t0\troot\t_\tSpaceAfter=No\n\n"
    )


def write_archive(path: Path, files: dict[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"repository-0123abc/{name}")
            member.size = len(text.encode("utf-8"))
            archive.addfile(member, io.BytesIO(text.encode("utf-8")))


@pytest.fixture
def craft(tmp_path: Path) -> Path:
    files = {"README.md": "not read"}
    for split, ids in {"train": ["3", "1"], "dev": ["2"], "test": ["4"]}.items():
        files[f"articles/ids/craft-ids-{split}.txt"] = "\n".join(ids) + "\n"
        for i in ids:
            files[f"structural-annotation/treebank/penn/{i}.tree"] = f"( (X (FW w{i})) )\n\n"
            files[f"structural-annotation/dependency/conllu/{i}.conllu"] = block(f"w{i}")
    write_archive(tmp_path / "downloads" / "craft.tar.gz", files)
    return tmp_path / "downloads"


def test_craft_by_its_lists_of_articles(craft: Path, tmp_path: Path) -> None:
    output = tmp_path / "craft"
    written = prepare_treebank("craft", output, folders=[], downloads=craft, verify=False)
    assert {path.name for path in written} == {
        f"{split}{suffix}" for split in ("train", "dev", "test") for suffix in (".ptb", ".conllu")
    }
    assert (output / "train.ptb").read_text() == "( (X (FW w3)) )\n( (X (FW w1)) )\n"
    assert (output / "train.conllu").read_text() == trimmed("w3") + trimmed("w1")
    assert (output / "dev.conllu").read_text() == trimmed("w2")


def test_gum_by_its_list_of_splits(tmp_path: Path) -> None:
    files = {"splits.md": "# Splits\n\n## dev\n\n  * GUM_bio_b\n\n## test\n\n  * GUM_bio_c\n"}
    for name in ("GUM_bio_a", "GUM_bio_b", "GUM_bio_c", "GUM_reddit_d", "GENTLE_legal_e"):
        files[f"dep/{name}.conllu"] = block(name)
        files[f"const/{name}.ptb"] = f"(ROOT (X (FW {name})))\n\n"
    downloads = tmp_path / "downloads"
    write_archive(downloads / "gum.tar.gz", files)
    prepare_treebank("gum", tmp_path / "gum", folders=[], downloads=downloads, verify=False)
    for split, name in {"train": "GUM_bio_a", "dev": "GUM_bio_b", "test": "GUM_bio_c"}.items():
        assert (tmp_path / "gum" / f"{split}.conllu").read_text() == trimmed(name)
        assert (tmp_path / "gum" / f"{split}.ptb").read_text() == f"(ROOT (X (FW {name})))\n"


def test_ewt_from_single_files(tmp_path: Path) -> None:
    downloads = tmp_path / "downloads"
    (downloads / "ewt").mkdir(parents=True)
    for split in ("train", "dev", "test"):
        (downloads / "ewt" / f"en_ewt-ud-{split}.conllu").write_text(block(split))
    prepare_treebank("ewt", tmp_path / "ewt", folders=[], downloads=downloads, verify=False)
    assert (tmp_path / "ewt" / "test.conllu").read_text() == trimmed("test")


def test_checksums_are_those_of_the_local_copies(treebanks: Path) -> None:
    """Trees and columns are as distributed. EWT's training documents may be in another order."""
    for name in ("craft", "gum"):
        for filename, checksum in PUBLIC_TREEBANKS[name].checksums.items():
            data = (treebanks / name / filename).read_bytes()
            assert hashlib.md5(data, usedforsecurity=False).hexdigest() == checksum


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[:300], r"craft\.tar\.gz is no whole archive.*Delete it"),
        (lambda data: data[:-8] + bytes(8), "no whole archive"),
        (
            lambda data: gzip.compress(gzip.decompress(data).replace(b"(FW w2)", b"(FW \xff2)")),
            r"2\.tree is not UTF-8",
        ),
        (lambda data: data, r"craft: train\.ptb has the checksum"),  # another revision
    ],
)
def test_damaged_archives(
    craft: Path, tmp_path: Path, damage: Callable[[bytes], bytes], message: str
) -> None:
    archive = craft / "craft.tar.gz"
    archive.write_bytes(damage(archive.read_bytes()))
    with pytest.raises(PrepareError, match=message):
        prepare_treebank("craft", tmp_path / "o", folders=[], downloads=craft)
    assert not (tmp_path / "o").exists()
