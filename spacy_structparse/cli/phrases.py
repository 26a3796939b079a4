"""`spacy structparse phrases`: the pyramid of phrases that a language model heeds."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from ..files import write_atomically
from ..pipeline.phrasal_lm import PhrasalLanguageModel
from ..scoring.surprisal import phrase_scores, phrase_weights
from ..trees.induction import best_tree
from ..trees.words import sentences_of, words_of
from ..viz.pictures import MissingMatplotlibError, render
from ..viz.pyramid import draw_pyramid
from . import app
from .loading import LoadingError, load_pipeline
from .tracing import TracingError, choose

FORMATS = (".png", ".svg")


@app.command("phrases")
def phrases_cli(
    model: Annotated[str, typer.Argument(help="Path or name of a trained pipeline")],
    text: Annotated[str, typer.Argument(help="The text to read, or - for the standard input")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="File to write, .png or .svg; pictures of several sentences are numbered",
        ),
    ],
    component: Annotated[
        str | None, typer.Option("--component", help="The component, if several are models")
    ] = None,
) -> None:
    """Read a text and draw, for each sentence, the weights of all its phrases.

    A frame is around the phrases of the binary tree that is found in them, which is printed too:
    the tree with the highest weights, each compared with what all phrases that end at the same word
    would get if they were heeded alike.
    """
    try:
        if output.suffix not in FORMATS:
            raise TracingError(f"{output} must end in {' or '.join(FORMATS)}")
        nlp = load_pipeline(model)
        fitting = [n for n, pipe in nlp.pipeline if isinstance(pipe, PhrasalLanguageModel)]
        name = choose(model, fitting, nlp.pipe_names, component, "is a language model")
        doc = nlp((sys.stdin.read() if text == "-" else text).strip())
        sentences = [sent for sent in sentences_of(doc) if phrase_weights(sent)]
        if not sentences:
            raise TracingError(
                f"The text has no words, or '{name}' has no pyramid, or keep_weights is false"
            )
        for number, sentence in enumerate(sentences, 1):
            path = output
            if len(sentences) > 1:
                path = output.with_name(f"{output.stem}-{number}{output.suffix}")
            words = [token.text for token in words_of(sentence)]
            weights = phrase_weights(sentence)
            tree = best_tree(phrase_scores(weights))
            figure = draw_pyramid(words, weights, tree, " ".join(words))
            write_atomically(path, render(figure, "svg" if path.suffix == ".svg" else "png"))
            typer.echo(_bracketed(words, tree))
            msg.good(str(path))
    except (LoadingError, TracingError, MissingMatplotlibError, OSError) as error:
        msg.fail("No phrases to show", str(error), exits=1)


def _bracketed(words: list[str], tree: list[tuple[int, int]]) -> str:
    """The words with round brackets around spans of several."""
    opening, closing = [0] * len(words), [0] * len(words)
    for start, end in tree:
        if end - start > 1:
            opening[start] += 1
            closing[end - 1] += 1
    marked = zip(opening, words, closing, strict=True)
    return " ".join(f"{'(' * before}{word}{')' * after}" for before, word, after in marked)
