"""The README and the documentation name files, headings, commands and options that exist."""

import re
from collections import Counter
from pathlib import Path

import pytest
import spacy
import srsly
import typer
from spacy.cli.train import train
from spacy.util import load_config
from thinc.api import Config
from typer.main import get_command

from spacy_structparse.cli import app
from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT

FIXED = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES = [path for path in [*FIXED, *sorted((ROOT / "docs").rglob("*.md"))] if path.exists()]
FOLDERS = ("assets", "benchmarks", "configs", "docs", "spacy_structparse", "tests")
TEXTS = {path: path.read_text(encoding="utf8") for path in PAGES}


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_commands() -> None:
    install = "python -m pip install -c constraints.txt -e"
    wheel = "assets/pipelines/en_structparse_sm-0.3.2-py3-none-any.whl"
    assert (ROOT / wheel).is_file()
    parse = "python -m spacy structparse parse en_structparse_sm assets/sample_text.txt"
    for command in (
        f"{install} . {wheel} && {parse}",
        "python -m spacy project run all",
        f'{install} ".[test]" && python -m pytest',
    ):
        assert command in TEXTS[ROOT / "README.md"].splitlines()


def test_components_on_one_embedding_train(tmp_path: Path, corpus_paths: dict[str, str]) -> None:
    """The sections of a config that a page shows, in the place of those of a shipped config."""
    blocks = [
        block
        for text in TEXTS.values()
        for block in re.findall(r"```ini\n(\[nlp\].*?)```", text, re.DOTALL)
        if "[components.tok2vec]" in block and 'factory = "tagger"' in block
    ]
    assert blocks
    for number, block in enumerate(dict.fromkeys(blocks)):
        new = Config().from_str(f"[training]\n\n{block}", interpolate=False)
        config = load_config(ROOT / "configs" / "seq2seq_constituency.cfg", interpolate=False)
        config["nlp"] = new["nlp"]
        config["components"] = new["components"]
        config["training"]["score_weights"] = new["training"]["score_weights"]
        folder = tmp_path / str(number)
        folder.mkdir()
        config.to_disk(folder / "joint.cfg")
        train(folder / "joint.cfg", folder, overrides={**FEW_STEPS, **corpus_paths})
        doc = spacy.load(folder / "model-last")("The cook stirs the soup.")
        assert all(token.tag_ and token.dep_ for token in doc)
        assert doc.spans["constituency"][0].text == doc.text
        scores = srsly.read_json(folder / "model-last" / "meta.json")["performance"]
        assert {"tag_acc", "dep_las", "const_f"} <= set(scores)


# The change log names what earlier releases had.
@pytest.mark.parametrize("path", [p for p in PAGES if p.name != "CHANGELOG.md"], ids=_name)
def test_commands_and_options_exist(path: Path) -> None:
    group = get_command(app)
    context = typer.Context(group)
    joined = TEXTS[path].replace("\\\n", " ")
    for name, rest in re.findall(r"spacy structparse ([a-z0-9-]+)([^\n]*)", joined):
        command = group.get_command(context, name)  # type: ignore[attr-defined]
        assert command is not None, name
        params = command.params
        options = {option for param in params for option in (*param.opts, *param.secondary_opts)}
        line = rest.partition("`")[0]
        used = re.findall(r"(?<= )--[a-z-]+(?![\w.-])", line)
        assert set(used) <= options | {"--help"}, name
        if re.search(r" --\w+\.", line):  # a setting of a config
            assert command.context_settings["ignore_unknown_options"], name


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_links_lead_somewhere(path: Path) -> None:
    """Every link inside the repository is to a file, and to a heading if it names one."""
    prose = _without_code(TEXTS[path])
    for link in re.findall(r"\]\(<?([^)\s>]+)>?\)", prose) + re.findall(r'src="([^"]+)"', prose):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), link
        assert not anchor or anchor in _anchors(target), link


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_named_files_exist(path: Path) -> None:
    named = re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w./*-]*)`", TEXTS[path])
    missing = [name for name in named if not list(ROOT.glob(name.rstrip("/")))]
    assert [name for name in missing if not name.startswith("assets/downloads")] == []


def _without_code(text: str) -> str:
    text = re.sub(r"^ *(`{3,})[^{`\n]*\n.*?^ *\1 *$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MyST make them."""
    text = page.read_text(encoding="utf8")
    text = re.sub(r"^ *(`{3,}).*?^ *\1 *$", "", text, flags=re.DOTALL | re.MULTILINE)
    anchors: Counter[str] = Counter()
    found = set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))
    for heading in re.findall(r"^#+ (.*?) *$", text, re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("*", "")
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found.add(f"{slug}-{anchors[slug]}" if anchors[slug] else slug)
        anchors[slug] += 1
    return found
