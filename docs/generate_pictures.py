"""Make the pictures in docs/images of what a shipped pipeline predicts, and of results.

python docs/generate_pictures.py            makes them; needs the pipeline, and playwright and
                                            Chromium for the page of the app
python docs/generate_pictures.py --check    fails if one is older than the pipeline

The file pictures.json has the version of the pipeline that each was made with. The other pictures
are of parsers that were trained on the sample.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

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
MODEL = "en_structparse_sm"
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

    command = [sys.executable, "-m", "spacy", "structparse", "app", MODEL, "--no-browser"]
    with (
        subprocess.Popen([*command, "--port", str(PORT)], stdout=subprocess.PIPE, text=True) as app,
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


PREDICTED: dict[str, Callable[[], bytes]] = {
    "tree.svg": tree,
    "confidence.svg": confidence,
    "attention-deterministic.svg": attention,
    "app.png": page,
}


def version() -> str:
    """The version of the pipeline in `assets/pipelines`."""
    [wheel] = (ROOT / "assets" / "pipelines").glob(f"{MODEL}-*.whl")
    return f"{MODEL} {wheel.name.split('-')[1]}"


def main(arguments: Sequence[str]) -> int:
    """Make the pictures, or check their age and the versions that captions name."""
    now = version()
    if "--check" not in arguments:
        for name, make in PREDICTED.items():
            IMAGES.joinpath(name).write_bytes(make())
        srsly.write_json(MADE_WITH, dict.fromkeys(PREDICTED, now))
        for path in RESULTS.glob("breakdown-*.json"):
            picture = IMAGES / f"{path.stem}.svg"
            if picture.exists():
                figures = srsly.read_json(path)["figures"]
                figures.pop("split")
                picture.write_bytes(figure_bytes(draw_breakdown(figures, "las"), "svg"))
        return 0
    old = [f"{name}: {made}" for name, made in srsly.read_json(MADE_WITH).items() if made != now]
    captions = "\n".join(path.read_text(encoding="utf8") for path in IMAGES.parent.glob("*.md"))
    for name in PREDICTED:
        for caption in re.findall(rf"\{{figure\}} images/{name}\n(.*?)```", captions, re.DOTALL):
            if now not in caption.replace("`", ""):
                old.append(f"{name}: its caption does not name {now}")
    print("\n".join(old))
    return len(old)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
