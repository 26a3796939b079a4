"""The table of pipelines in the README and on the first pages."""

from ..record import ROOT, read_result
from .markdown import Cell, fixed, table
from .pipelines import PEERS, PIPELINES

FILES = ("README.md", "docs/index.md", "docs/pipelines.md")
BEGIN = "<!-- Table by `python -m benchmarks.make_results`; do not edit. -->\n\n"
PUBLISHED: dict[str, tuple[str | None, ...]] = {
    "UDPipe 2, multilingual BERT": ("92.36", "92.14", "89.91", "91.54"),
    "Stanza 1.5.1, no transformer": (None, None, "86.77", "88.24"),
    "Trankit, XLM-R base": (None, None, "87.96", "88.43"),
}
"""LAS of CoNLL 2018 as their authors publish it, in the order of the table."""


def with_table(text: str) -> str:
    """A page with the table of today after the comment ``BEGIN``, up to the next blank line."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition("\n\n")[2]
    return f"{before}{BEGIN}{front_table()}\n\n{after}"


def front_table() -> str:
    """The scores, speed and size of the pipelines, beside other parsers."""
    rows: list[list[Cell]] = []
    for kind, name in PIPELINES.items():
        figures = read_result(name).figures
        gold, raw = figures["gold_tokens"], figures["raw_text"]
        [wheel] = (ROOT / "assets" / "pipelines").glob(f"en_structparse_{kind}-*.whl")
        rows.append(
            [
                f"**`en_structparse_{kind}`**",
                *(fixed(gold[treebank]["conll18_las"]) for treebank in ("ewt", "gum")),
                *(fixed(raw[treebank]["LAS"]) for treebank in ("ewt", "gum")),
                fixed(gold["craft"]["const_f"]),
                figures["speed"]["words_per_second"],
                round(wheel.stat().st_size / 1e6),
            ]
        )
    spacy = read_result(PEERS).figures["spacy_parser"]["gold_tokens"]
    scores = [fixed(spacy[treebank]["conll18_las"]) for treebank in ("ewt", "gum")]
    rows.append(["spaCy's `parser`, trained on the same data", *scores, *[None] * 5])
    for name, published in PUBLISHED.items():
        rows.append([f"{name} (published)", *published, *[None] * 3])
    header = [
        "", "LAS, EWT", "LAS, GUM", "from raw text, EWT", "from raw text, GUM", "F1 of trees",
        "words/s", "MB",
    ]  # fmt: skip
    return table(header, rows)
