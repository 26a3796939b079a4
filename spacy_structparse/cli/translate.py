"""`spacy structparse translate`: a text file to its translation, line by line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from ..corpora.text_lines import name_of, numbered_lines
from ..corpora.text_readers import too_long
from ..corpora.writers import open_text
from ..errors import ReadError, WeightsError
from ..pipeline.seq2seq_translation import Seq2SeqTranslator
from .app import LANGUAGE_MODELS, app
from .loading import load_pipeline
from .messages import Messages
from .output_checks import STANDARD_OUTPUT, check_outputs, is_terminal
from .progress import progress_bar
from .shared_options import GpuId, Model, NoClobber, count


@app.command("translate", rich_help_panel=LANGUAGE_MODELS)
def translate_cli(
    model: Model,
    source: Annotated[
        Path, typer.Argument(help="Text file, a sentence a line; - for the standard input")
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Text file; - for the standard output", dir_okay=False),
    ] = Path(STANDARD_OUTPUT),
    beam_width: Annotated[
        int | None, count("Hypotheses kept; overrides the pipeline's setting")
    ] = None,
    batch_size: Annotated[
        int | None, count("Lines a batch", "--batch-size", "-b", most=100_000)
    ] = None,
    gpu_id: GpuId = -1,
    no_clobber: NoClobber = False,
) -> None:
    """Translate a text line by line.

    Line i of the output translates line i of the text, and is empty where that is. The output is
    written whole or not at all.
    """
    check_outputs(no_clobber, output, inputs=[source], standard=True)
    msg = Messages(no_print=str(output) == STANDARD_OUTPUT)
    nlp = load_pipeline(model, gpu_id=gpu_id)
    translators = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, Seq2SeqTranslator)]
    if not translators:
        names = ", ".join(nlp.pipe_names) or "none"
        raise WeightsError(f"{model} has no seq2seq_translation; its components: {names}")
    for translator in translators:
        if beam_width is not None:
            translator.beam_width = beam_width
    lines = _short_lines(source, nlp.max_length)
    n = 0
    with open_text(output) as file, progress_bar("lines", hidden=is_terminal(output)) as bar:
        for doc in nlp.pipe(lines, batch_size=batch_size):
            file.write(f"{doc._.translation}\n")
            n += 1
            bar.update()
    msg.good(f"{output}: {n} lines")


def _short_lines(source: Path, most: int) -> Iterator[str]:
    """The lines of a text. Raises ReadError for one with more characters than a pipeline takes:
    its parts would have translations of their own, on lines of their own."""
    for number, line in numbered_lines(source):
        if len(line) > most:
            reason = too_long(len(line), most, "lines")
            raise ReadError(f"{name_of(source)}, line {number}: {reason}")
        yield line
