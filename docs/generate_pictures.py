"""Make the pictures in docs/images of what a shipped pipeline predicts, and of results.

python docs/generate_pictures.py            makes them; needs the pipelines, the treebank GUM in
                                            STRUCTPARSE_TREEBANKS, playwright and Chromium
python docs/generate_pictures.py --check    fails if one is older than its pipelines

The file pictures.json has the versions of the pipelines that each was made with. The other pictures
are of parsers that were trained on the sample.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import spacy
import srsly

from spacy_structparse import viz
from spacy_structparse.tools.figures.attention import draw_attention
from spacy_structparse.tools.figures.breakdown import draw_breakdown
from spacy_structparse.tools.figures.partial_trees import attention_map
from spacy_structparse.tools.figures.pictures import figure_bytes

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
MADE_WITH = IMAGES / "pictures.json"
RESULTS = ROOT / "benchmarks" / "results"
MODEL, LARGE = "en_structparse_sm", "en_structparse_trf"
RUN = [sys.executable, "-m", "spacy", "structparse"]
BOY = "The boy who kicked the ball ran away."
MAN = "I saw the man with a telescope."
PORT = 8599


def tree() -> bytes:
    """The tree of a sentence."""
    return (viz.render(spacy.load(MODEL)(BOY), "tree", jupyter=False) or "").encode()


def confidence() -> bytes:
    """Arcs and tree with their confidence."""
    nlp = spacy.load(MODEL)
    for name in ("spa_dep", "seq2seq_constituency"):
        nlp.get_pipe(name).confidence = True  # type: ignore[attr-defined]
    return (viz.render(nlp(MAN), "confidence", jupyter=False) or "").encode()


def attention() -> bytes:
    """The attention of the constituency parser."""
    nlp = spacy.load(MODEL)
    parser = nlp.get_pipe("seq2seq_constituency")
    [[trace]] = parser.trace([nlp(BOY)])  # type: ignore[attr-defined]
    shown = attention_map(trace, parser.linearization, "")  # type: ignore[attr-defined]
    return figure_bytes(draw_attention([shown]), "svg")


def page() -> bytes:
    """The page of the app, with confidence."""
    from playwright.sync_api import sync_playwright

    command = [*RUN, "app", MODEL, "--no-browser", "--port", str(PORT)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as app,
        sync_playwright() as started,
    ):
        try:
            assert app.stdout is not None
            next(line for line in app.stdout if str(PORT) in line)
            browser = started.chromium.launch(executable_path=shutil.which("chromium"))
            window = browser.new_page(viewport={"width": 1280, "height": 720})
            window.goto(f"http://localhost:{PORT}")
            window.get_by_text("Confidence", exact=True).click(timeout=120_000)
            window.locator(".parse text", has_text="%").first.wait_for()
            return window.screenshot()
        finally:
            app.terminate()


def brackets() -> bytes:
    """F1 of both pipelines by parts of GUM's dev part."""
    gum = Path(os.environ["STRUCTPARSE_TREEBANKS"]) / "gum"
    with TemporaryDirectory() as folder:
        data, picture = Path(folder) / "dev.spacy", Path(folder) / "f1.svg"
        files = map(str, (gum / "dev.conllu", gum / "dev.ptb", data))
        subprocess.run([*RUN, "convert", *files, "--wh-phrases"], check=True)
        models = [f"{model}={model}" for model in (MODEL, LARGE)]
        subprocess.run([*RUN, "breakdown", data, *models, "-m", "f1", "-o", picture], check=True)
        return picture.read_bytes()


PREDICTED: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "tree.svg": (tree, (MODEL,)),
    "confidence.svg": (confidence, (MODEL,)),
    "attention-deterministic.svg": (attention, (MODEL,)),
    "app.png": (page, (MODEL,)),
    "report-f1.svg": (brackets, (MODEL, LARGE)),
}
"""How each picture is made, and by which pipelines."""


def versions(models: Sequence[str]) -> list[str]:
    """The names and versions of pipelines in `assets/pipelines`."""
    folder = ROOT / "assets" / "pipelines"
    wheels = [next(folder.glob(f"{model}-*.whl")).name.split("-") for model in models]
    return [f"{model} {number}" for model, number, *_ in wheels]


def main(arguments: Sequence[str]) -> int:
    """Make the pictures, or check their age and the versions that captions name."""
    now = {name: versions(models) for name, (_, models) in PREDICTED.items()}
    if "--check" not in arguments:
        for name, (make, _) in PREDICTED.items():
            IMAGES.joinpath(name).write_bytes(make())
        srsly.write_json(MADE_WITH, now)
        for path in RESULTS.glob("breakdown-*.json"):
            picture = IMAGES / f"{path.stem}.svg"
            if picture.exists():
                figures = srsly.read_json(path)["figures"]
                figures.pop("split")
                picture.write_bytes(figure_bytes(draw_breakdown(figures, "las"), "svg"))
        return 0
    made = srsly.read_json(MADE_WITH)
    wrong = [f"{name} was made by {made.get(name)}" for name in now if made.get(name) != now[name]]
    pages = "\n".join(path.read_text(encoding="utf8") for path in IMAGES.parent.glob("*.md"))
    for name, names in now.items():
        for caption in re.findall(rf"\{{figure\}} images/{name}\n(.*?)```", pages, re.DOTALL):
            if not all(one in caption.replace("`", "") for one in names):
                wrong.append(f"the caption of {name} does not name {', '.join(names)}")
    print("\n".join(wrong))
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
