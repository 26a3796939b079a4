"""The styles "attention" and "pyramid" of `viz.render`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spacy.tokens import Doc, Span

from ...extensions.surprisal import boundary_strengths, phrase_weights
from ...trees.induction import split_at_boundaries
from ...viz.sentences import ParsedSentence, parsed_sentences
from ...viz.styles import Drawer, Style
from .attention import AttentionMap, draw_attention
from .attention_page import attention_page
from .partial_trees import attention_map
from .pictures import figure_bytes
from .pyramid import draw_pyramid


@dataclass(frozen=True)
class AttentionDrawer(Drawer):
    """Draws what a parser attended to.

    Attributes:
        maps: The attention over the sentences, by Doc and first token.
    """

    maps: dict[tuple[int, int], AttentionMap]

    def attention(self, sentence: ParsedSentence) -> AttentionMap | None:
        """Return the attention over a sentence; None if there is none."""
        return self.maps.get((id(sentence.span.doc), sentence.span.start))

    def can_draw(self, sentence: ParsedSentence) -> bool:
        return self.attention(sentence) is not None

    def drawings(self, sentence: ParsedSentence, background: str | None = "white") -> list[str]:
        shown = self.attention(sentence)
        return [] if shown is None else [_svg(draw_attention([shown]))]

    def page(self, sentences: Sequence[ParsedSentence]) -> str | None:
        maps = [shown for sentence in sentences if (shown := self.attention(sentence))]
        return attention_page(maps, "Attention")

    def lack(self) -> str:
        return "the parser found no sentences in it"


class PyramidDrawer(Drawer):
    """Draws the weights that a language model gave to phrases."""

    def can_draw(self, sentence: ParsedSentence) -> bool:
        return bool(phrase_weights(sentence.span))

    def drawings(self, sentence: ParsedSentence, background: str | None = "white") -> list[str]:
        weights = phrase_weights(sentence.span)
        phrases = split_at_boundaries(boundary_strengths(weights))
        return [_svg(draw_pyramid([token.text for token in sentence.words], weights, phrases))]

    def lack(self) -> str:
        return (
            "no sentence has weights of phrases. Read it with phrasal_lm, with a pyramid and with "
            "keep_weights = true"
        )


def make_drawer(
    style: Style, views: Sequence[Doc | Span], spans_key: str, parser: Any = None
) -> Drawer:
    """Prepare to draw sentences of some Docs; see `viz.styles.make_drawer`."""
    if style == "pyramid":
        return PyramidDrawer(style, spans_key)
    if not callable(getattr(parser, "trace", None)):
        raise ValueError(
            "the style 'attention' follows a parser step by step: "
            "render(doc, 'attention', parser=nlp.get_pipe('seq2seq_constituency'))"
        )
    docs = list({id(view.doc): view.doc for view in views}.values())
    maps = {}
    for doc, traces in zip(docs, parser.trace(docs), strict=True):
        sentences = parsed_sentences(doc, trees=False)
        for sentence, trace in zip(sentences, traces, strict=True):
            maps[id(doc), sentence.span.start] = attention_map(
                trace, getattr(parser, "linearization", None), " ".join(trace.words)
            )
    return AttentionDrawer(style, spans_key, maps)


def _svg(figure: Any) -> str:
    """Return a figure as an SVG element, without what stands before it in a file of its own."""
    text = figure_bytes(figure, "svg").decode()
    return text[text.index("<svg") :]
