"""Make the picture of README and of the first page: the arcs and the tree of a sentence.

python docs/generate_parse.py          makes it; needs the shipped pipeline
python docs/generate_parse.py --check  fails if it was made by another version of the pipeline
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import spacy

from spacy_structparse.trees import Tree
from spacy_structparse.trees.svg import draw_tree
from spacy_structparse.viz.arcs import draw_arcs

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "parse.svg"  # for README
INLINE = ROOT / "docs" / "_static" / "parse.html"  # in the colours of the page around it
MODEL, SENTENCE = "en_structparse_sm", "The boy who kicked the ball ran away."
GAP = 40
STYLE = """<style>
svg { color: #1f2328; }
@media (prefers-color-scheme: dark) { svg { color: #f0f6fc; } }
</style>"""


def main(arguments: Sequence[str]) -> int:
    """Make the picture, or check which version of the pipeline made it."""
    [wheel] = (ROOT / "assets" / "pipelines").glob(f"{MODEL}-*.whl")
    label = f"{SENTENCE} Parsed by {MODEL} {wheel.name.split('-')[1]}."
    if "--check" in arguments:
        return int(label not in PICTURE.read_text(encoding="utf8"))
    doc = spacy.load(MODEL)(SENTENCE)
    words, deps, tags = zip(*((t.text, t.dep_, t.tag_) for t in doc), strict=True)
    drawings = [
        draw_arcs(words, [token.head.i for token in doc], deps, tags, background=None),
        draw_tree(Tree.from_string(next(doc.sents)._.parse_string), background=None),
    ]
    sizes = [tuple(map(float, re.findall(r'(?:width|height)="(\d+)"', x)[:2])) for x in drawings]
    width, height = sum(w for w, _ in sizes) + GAP, max(h for _, h in sizes)
    parts, left = [], 0.0
    for drawing, (w, h) in zip(drawings, sizes, strict=True):
        inside = drawing.partition(">")[2].rpartition("</svg>")[0]
        parts.append(f'<g transform="translate({left:.0f} {(height - h) / 2:.0f})">{inside}</g>')
        left += w + GAP
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
    size = f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{label}">'
    PICTURE.write_text("\n".join([f"{head} {size}", STYLE, *parts, "</svg>", ""]), encoding="utf8")
    INLINE.write_text("\n".join(['<div class="parse">', *drawings, "</div>", ""]), encoding="utf8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
