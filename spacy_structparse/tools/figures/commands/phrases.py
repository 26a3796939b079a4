"""`spacy structparse phrases`: the pyramid of phrases that a language model attends to."""

from typing import TYPE_CHECKING

from spacy.tokens import Span

from ....cli.lm import lm
from ....cli.loading import choose, load_pipeline
from ....cli.messages import echo
from ....cli.output_checks import check_outputs
from ....cli.parse_inputs import docs_of_text
from ....cli.shared_options import Component, Model, NoClobber
from ....extensions.surprisal import boundary_strengths, phrase_weights
from ....pipeline.phrasal_lm import PhrasalLanguageModel
from ....trees.words import sentences_of, words_of
from ..induction import split_at_boundaries
from ..pyramid import draw_pyramid
from .pictures import PicturesOutput, Text, numbered_pictures, write_pictures

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@lm.command("phrases")
def phrases_cli(
    model: Model,
    text: Text,
    output: PicturesOutput,
    component: Component = None,
    no_clobber: NoClobber = False,
) -> None:
    """Read a text and draw, for each sentence, the weights of all its phrases, as .png or .svg.

    A frame is around the phrases of the binary tree that is found in them, which is printed too:
    split, from the whole sentence down, after the word that is most attended to alone.
    """
    check_outputs(no_clobber, *numbered_pictures(output))
    nlp = load_pipeline(model)
    fitting = [n for n, pipe in nlp.pipeline if isinstance(pipe, PhrasalLanguageModel)]
    name = choose(model, fitting, nlp.pipe_names, component, "is a language model")
    docs = [nlp(doc) for doc in docs_of_text(text, nlp)]
    sentences = [sent for doc in docs for sent in sentences_of(doc) if phrase_weights(sent)]
    if not sentences:
        raise ValueError(
            f"The text has no words, or '{name}' has no pyramid, or keep_weights is false"
        )
    write_pictures(sentences, _draw, output)


def _draw(sentence: Span) -> "Figure":
    """The pyramid of a sentence, whose tree is printed."""
    words = [token.text for token in words_of(sentence)]
    weights = phrase_weights(sentence)
    tree = split_at_boundaries(boundary_strengths(weights))
    echo(_bracketed(words, tree))
    return draw_pyramid(words, weights, tree, " ".join(words))


def _bracketed(words: list[str], tree: list[tuple[int, int]]) -> str:
    """The words with round brackets around spans of several."""
    opening, closing = [0] * len(words), [0] * len(words)
    for start, end in tree:
        if end - start > 1:
            opening[start] += 1
            closing[end - 1] += 1
    marked = zip(opening, words, closing, strict=True)
    return " ".join(f"{'(' * before}{word}{')' * after}" for before, word, after in marked)
