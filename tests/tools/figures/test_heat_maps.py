"""Heat maps and pages of attention."""

import sys
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest

from spacy_structparse.tools.figures.attention import AttentionMap, draw_attention
from spacy_structparse.tools.figures.attention_page import attention_page
from spacy_structparse.tools.figures.pictures import figure_bytes

HARD_WORDS = ["<b>", "$x$", "&", "猫", "🙂", "</s>"]


def a_map(n_steps=4, positions=("old", "dogs", "</s>"), kind="probabilistic", **more):
    weights = np.zeros((n_steps, len(positions)))
    weights[np.arange(n_steps), np.arange(n_steps) % len(positions)] = 0.75
    weights[:, -1] += 0.25
    return AttentionMap(positions, [f"act-{i}" for i in range(n_steps)], weights, kind, **more)


def texts_of(svg: bytes) -> list[str]:
    root = ElementTree.fromstring(svg)
    return ["".join(node.itertext()).strip() for node in root.iter() if node.tag.endswith("}text")]


def test_svg_has_words_and_actions_as_text():
    svg = figure_bytes(draw_attention([a_map(positions=HARD_WORDS, title="$ and $")]), "svg")
    root, texts = ElementTree.fromstring(svg), texts_of(svg)
    assert root.attrib["role"] == "img" and root.attrib["aria-label"].startswith("$ and $")
    assert {*HARD_WORDS, "act-0", "act-3"} <= set(texts)
    assert any(text.startswith("$ and $") for text in texts)


@pytest.mark.parametrize(
    ("weights", "kind", "darkest"),
    [([0.75, 0.25], "deterministic", 0.75), ([0.75, 0.25], "probabilistic", 1.0)],
)
def test_darkness_shows_the_weight(weights, kind, darkest):
    shown = AttentionMap(["a", "</s>"], ["sh"], np.array([weights]), kind)
    [cells] = draw_attention([shown]).axes[0].images
    assert cells.get_clim() == (0.0, darkest)
    assert cells.get_array().tolist() == [[0.75], [0.25]]  # a row for each word


def test_a_step_is_marked():
    pair = [a_map(title="A", marked=2), a_map(title="B")]
    first, second, *_ = draw_attention(pair).axes
    assert first.get_xticklabels()[2].get_color() != first.get_xticklabels()[1].get_color()
    assert (len(first.patches), len(second.patches)) == (1, 0)


def test_without_matplotlib_pages_are_left(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"spacy-structparse\[viz\]"):
        draw_attention([a_map()])
    assert "<table>" in attention_page([a_map()], "Attention")


def test_page():
    shown = a_map(
        positions=HARD_WORDS,
        title="a <i> title",
        marked=1,
        probabilities=np.array([1.0, 0.5, 0.95, 1.0]),
        stacks=[["a"], ["a", "<b>"], ["[a <b>]"], ["(S a <b>)"]],
        tree="(S a <b>)",
    )
    page = attention_page([shown, a_map()], "Attention & more")
    for text in ("a &lt;i&gt; title", "act-3", "<bdi>[a &lt;b&gt;]</bdi>", ">(S a &lt;b&gt;)</p>"):
        assert text in page
    assert (page.count("<table>"), page.count("<tr")) == (2, 2 * 5)
    assert '<td class="p low">0.500</td>' in page and page.count(" low") == 1
    assert '<tr class="m"><td class="n">1</td>' in page
    assert '<td style="--a:0.75" title="&lt;b&gt; 0.750">' in page
    assert page.count("<td>") + page.count("<td style") == 4 * (len(HARD_WORDS) + 3)
    # Self-contained.
    assert not any(one in page for one in ("<script", "<link", "<img", "<i>", "src=", "href="))


def test_a_letter_that_no_font_has_is_told_of():
    for title, told in (("a", 0), ("\U00010ffe", 1)):
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            figure_bytes(draw_attention([a_map(title=title)]), "png")
        assert len(raised) == told


def test_words_from_right_to_left_stand_apart_on_a_page():
    words = ["قرأ", "الولد"]
    shown = a_map(1, words, stacks=[words], title=" ".join(words), tree="(S قرأ الولد)")
    page = attention_page([shown], "Attention")
    assert "".join(f"<bdi>{word}</bdi>" for word in words) in page
    assert '<h2 dir="auto">قرأ' in page and '<p dir="auto">(S قرأ' in page
