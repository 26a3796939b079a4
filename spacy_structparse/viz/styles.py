"""What a sentence is drawn as, by style."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from spacy.tokens import Doc, Span

from ..extensions.surprisal import boundary_strengths, phrase_weights
from ..trees.induction import split_at_boundaries
from ..trees.svg import draw_tree
from ..trees.svg_document import svg_column
from .attention import draw_attention
from .attention_map import AttentionMap
from .confidence import arc_confidence, draw_arc_confidence, draw_tree_confidence, node_confidence
from .horizontal_tree import draw_horizontal_tree
from .pictures import figure_bytes
from .pyramid import draw_pyramid
from .sentence_arcs import draw_sentence_arcs
from .sentences import ParsedSentence, parsed_sentences
from .trace_map import attention_map

Style = Literal[
    "tree", "tree-horizontal", "arcs", "confidence", "attention", "pyramid", "brackets", "terminal"
]


class MissingConfidenceError(ValueError):
    """A parse that is to be coloured by the parser's confidence, and has none."""


@dataclass(frozen=True)
class Drawer:
    """Draws sentences in a style.

    Attributes:
        style: The style.
        spans_key: The span group with the trees.
        maps: Of the style "attention", the attention over the sentences, by Doc and first token.
    """

    style: Style
    spans_key: str
    maps: dict[tuple[int, int], AttentionMap] = field(default_factory=dict)

    def attention(self, sentence: ParsedSentence) -> AttentionMap | None:
        """The attention over a sentence; None if there is none."""
        return self.maps.get((id(sentence.span.doc), sentence.span.start))

    def can_draw(self, sentence: ParsedSentence) -> bool:
        """Whether a sentence has what the style draws."""
        if self.style == "arcs":
            return sentence.has_dependencies
        if self.style == "confidence":
            known = node_confidence(sentence, self.spans_key)
            return bool(known) or any(one is not None for one in arc_confidence(sentence))
        if self.style == "attention":
            return self.attention(sentence) is not None
        if self.style == "pyramid":
            return bool(phrase_weights(sentence.span))
        return self.style == "terminal" or sentence.tree is not None

    def drawings(self, sentence: ParsedSentence, background: str | None = "white") -> list[str]:
        """Draw the sentence as SVG documents. Confidence is one, with the arcs above the tree.

        Raises:
            ValueError: The style is text: "brackets" and "terminal".
        """
        if self.style in ("brackets", "terminal"):
            raise ValueError(f"the style {self.style!r} is text and has no drawings")
        tree = sentence.tree
        if self.style == "arcs":
            return [draw_sentence_arcs(sentence, background=background)]
        if self.style == "confidence":
            found = []
            if any(one is not None for one in arc_confidence(sentence)):
                found.append(draw_arc_confidence(sentence, background=background))
            known = node_confidence(sentence, self.spans_key)
            if tree is not None and known:
                found.append(draw_tree_confidence(tree, known, background=background))
            if len(found) > 1:  # a file has one drawing
                return [svg_column(found, background, sentence.text)]
            return found
        if self.style == "attention":
            shown = self.attention(sentence)
            return [] if shown is None else [_svg(draw_attention([shown]))]
        if self.style == "pyramid":
            weights = phrase_weights(sentence.span)
            phrases = split_at_boundaries(boundary_strengths(weights))
            return [_svg(draw_pyramid([token.text for token in sentence.words], weights, phrases))]
        draw: Callable[..., str] = draw_tree if self.style == "tree" else draw_horizontal_tree
        return [] if tree is None else [draw(tree, background=background)]

    def nothing(self) -> str:
        """What to say where no sentence can be drawn."""
        lacks = {
            "arcs": "no sentence has dependencies. Parse with a component such as spa_dep",
            "attention": "the parser found no sentences in it",
            "pyramid": "no sentence has weights of phrases. Read it with phrasal_lm, with a "
            "pyramid and with keep_weights = true",
            "terminal": "no sentence has a tree or dependencies",
        }
        lack = lacks.get(
            self.style,
            f"no sentence has a tree in doc.spans[{self.spans_key!r}]. Parse with a component such "
            "as seq2seq_constituency. For dependencies take style='arcs' or style='terminal'",
        )
        return f"there is nothing to draw: {lack}"


def make_drawer(
    style: Style, views: Sequence[Doc | Span], spans_key: str, parser: Any = None
) -> Drawer:
    """Prepare to draw sentences of some Docs.

    Args:
        style: The style.
        views: Docs and Spans.
        spans_key: The span group with the trees.
        parser: For the style "attention", the component that tells how it parses.

    Raises:
        ValueError: The style "attention" is asked for without a parser that can tell.
    """
    if style != "attention":
        return Drawer(style, spans_key)
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
    return Drawer(style, spans_key, maps)


def _svg(figure: Any) -> str:
    """A figure as an SVG element, without what stands before it in a file of its own."""
    text = figure_bytes(figure, "svg").decode()
    return text[text.index("<svg") :]
