"""`spacy structparse attention`: the attention of a parser or a translator, step by step."""

from ....cli.app import app
from ....cli.messages import msg
from ....cli.output_checks import check_outputs
from ....cli.parse_inputs import docs_of_text
from ....cli.shared_options import Component, Model, NoClobber
from ..partial_trees import attention_map
from .pictures import PagesOutput, Text, numbered_pictures
from .tracing import load_tracer, write_maps


@app.command("attention", rich_help_panel="Score")
def attention_cli(
    model: Model,
    text: Text,
    output: PagesOutput,
    component: Component = None,
    no_clobber: NoClobber = False,
) -> None:
    """Parse or translate a text and show the attention of every step as a heat map.

    Written as .png, .svg or .html. Pictures have a row for each word and a column for each action,
    or for each word written. The page (.html) also lists the probability of each and, of a parser,
    the tree as it grows. Attention to phrases is not shown.
    """
    check_outputs(no_clobber, *numbered_pictures(output))
    tracer = load_tracer(model, component)
    docs = docs_of_text(text, tracer.nlp)
    traces = tracer.trace(tracer.prepare(doc) for doc in docs)
    if all(trace.kind == "none" for trace in traces):
        msg.warn("This parser has no attention: what is written shows its actions alone")
    maps = [[attention_map(trace, tracer.linearization, " ".join(trace.words))] for trace in traces]
    write_maps(maps, output, f"Attention of {model}")
