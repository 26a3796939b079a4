"""Pages of parses for `spacy structparse evaluate --displacy-path`."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from spacy import displacy
from spacy.language import Language
from spacy.tokens import Doc

from ..corpora.pipeline_outputs import PipelineOutputs
from ..files import write_atomically
from ..printable import printable
from .drawings import PageWriter


class NothingToDrawError(ValueError):
    """A pipeline without a component whose annotation can be drawn."""


def drawn_annotation(nlp: Language) -> set[str]:
    """Name the annotation of a pipeline that pages are drawn of: "heads", "trees", "ents".

    Raises:
        NothingToDrawError: There is none.
    """
    gives = PipelineOutputs.of(nlp)
    assigned = {name for pipe in nlp.pipe_names for name in nlp.get_pipe_meta(pipe).assigns}
    has = {"heads": gives.heads, "trees": gives.trees, "ents": "doc.ents" in assigned}
    found = {name for name, present in has.items() if present}
    if not found:
        raise NothingToDrawError(
            "there is nothing to draw for --displacy-path: the pipeline has no parser and no named "
            f"entities; its components are {', '.join(nlp.pipe_names) or 'none'}"
        )
    return found


def write_pages(nlp: Language, docs: Sequence[Doc], folder: Path, title: str) -> list[Path]:
    """Draw the annotation of parsed Docs, each kind on a page of its own.

    Args:
        nlp: The pipeline that parsed them.
        docs: The Docs, at least one.
        folder: Where `parses.html` (dependencies), `trees.html` and `entities.html` go; it is made
            where it is missing.
        title: The heading of the pages that displaCy draws.

    Returns:
        The files written.

    Raises:
        OSError: They cannot be written.
    """
    kinds = drawn_annotation(nlp)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    if "heads" in kinds:
        # A sentence a drawing: arcs over several would only be wide.
        sentences = list(_sentences(docs))
        page = _page(sentences, "dep", title, compact=True)
        written.append(_write(folder / "parses.html", page))
    if "ents" in kinds:
        written.append(_write(folder / "entities.html", _page(docs, "ent", title)))
    if "trees" in kinds:
        path, gives = folder / "trees.html", PipelineOutputs.of(nlp)
        with PageWriter.open(path, gives) as writer:
            for doc in docs:
                writer.write(doc)
        written.append(path)
    return written


def _sentences(docs: Iterable[Doc]) -> Iterator[Doc]:
    for doc in docs:
        yield from (sentence.as_doc() for sentence in doc.sents)


def _page(docs: Sequence[Doc], style: str, title: str, **options: bool) -> str:
    docs[0].user_data["title"] = title
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"\[W006\]")  # a Doc without entities
        page = displacy.render(docs, style=style, page=True, jupyter=False, options=options)
    return printable(page, keep="\n\t")


def _write(path: Path, page: str) -> Path:
    write_atomically(path, page.encode("utf8"))
    return path
