"""The inputs of `spacy structparse parse`: files of every kind, folders, and texts."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path

from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from ..corpora.conllu_columns import REPLACED
from ..corpora.conllu_writer import LOST
from ..corpora.docbins import UNSTORED
from ..corpora.document_ids import DOCUMENT
from ..corpora.input_files import find_files as find_input_files
from ..corpora.options import ReadOptions
from ..corpora.penn_brackets import glued_lemmas
from ..corpora.readers import BRACKETS, TEXTS, InputFormat, read_docs
from ..corpora.report import ConversionReport, Document, Place, Problem
from ..corpora.text_lines import STANDARD_INPUT, given_text
from ..corpora.text_readers import cut_long_text
from ..corpora.writers import UNKNOWN_SPACES
from ..errors import ReadError
from .messages import Messages, msg

# A file, or a text, with its kind.
Input = tuple[Path | str, InputFormat]
N_LISTED = 20
SEVERITY = ("skipped", "dependencies left out", "tree left out", "cut", "kept")
SIMILAR = 0.8
SENTENCE_MARKS = ("…", *Sentencizer.default_punct_chars)
NOTES = {
    REPLACED: "values had tabs, line breaks or spaces that CoNLL-U cannot hold, and were changed",
    LOST: "sentences lost their comments and columns: a component changes tokens or sentences",
    UNKNOWN_SPACES: "documents do not say where spaces are: they were set between all words",
    UNSTORED: "values of user data cannot be stored in a .spacy file",
}
_SUFFIX = re.compile(r"\.[A-Za-z]\w*$")

find_files = partial(find_input_files, warn=msg.warn)


def find_inputs(
    sources: Iterable[str] | None,
    kind: InputFormat | None,
    *,
    texts: Iterable[str] | None = None,
    annotated_for: str = "",
) -> list[Input]:
    """The files to parse, as `find_files` has them, and the texts.

    Args:
        sources: Files, folders, and `-` for the standard input; where no kind is given also texts,
            see `is_text`.
        kind: The kind of all files.
        texts: Texts, which come after the sources.
        annotated_for: The option for which only kinds with annotation do.

    Raises:
        ReadError: See `find_files`. A text is empty, or there are no inputs.
    """
    inputs: list[Input] = []
    for source in sources or ():
        if kind is None and (not source or is_text(source)):
            inputs.append((source, InputFormat.text))
        elif source != STANDARD_INPUT and not os.path.exists(source):
            near = _nearest_names(source)
            question = f"Is it {near[0]}? A text is given" if near else "If it is a text, give it"
            raise ReadError(f"{source} does not exist. {question} by --text")
        else:
            inputs += find_files([Path(source)], kind)
    inputs += [(text, InputFormat.text) for text in texts or ()]
    if not inputs:
        raise ReadError("there is no input: name a file, or give a text by --text TEXT")
    for text_or_file, its_kind in inputs:
        is_given = isinstance(text_or_file, str)
        if is_given and not str(text_or_file).strip():
            raise ReadError("a text is empty: --text needs the words to parse")
        if annotated_for and its_kind in TEXTS:
            name = repr(text_or_file) if is_given else text_or_file
            raise ReadError(f"{annotated_for} needs annotation, and {name} is {its_kind.value}")
    return inputs


def files_of(inputs: Iterable[Input]) -> list[Path]:
    """The files among inputs."""
    return [source for source, _ in inputs if isinstance(source, Path)]


def read_input(
    file_or_text: Input, nlp: Language, report: ConversionReport, options: ReadOptions
) -> Iterator[Document]:
    """Read a file; a given text is a document, or several if it is too long.

    Raises:
        ReadError, OSError: It cannot be read. The error names it.
    """
    source, kind = file_or_text
    if isinstance(source, Path):
        yield from read_docs(source, nlp, report, kind=kind, options=options)
        return
    place = Place("the text", 1)
    is_short = len(source) <= nlp.max_length
    parts = [source] if is_short else cut_long_text(source, place, nlp, report)
    yield from (Document(place, part) for part in parts)


def docs_of_text(text: str, nlp: Language) -> list[Doc]:
    """The tokens of a text, or of the standard input for ``-``.

    A text of more than `nlp.max_length` characters becomes several Docs, with a warning, as those
    of `parse` do.

    Raises:
        ReadError: The standard input is not UTF-8, or the text is the name of a file.
    """
    if text != STANDARD_INPUT and os.path.isfile(text):
        raise ReadError(
            f"{text} is a file, and this command takes the text itself. To read it: - < {text}"
        )
    report = ConversionReport()
    source = given_text(text), InputFormat.text
    parts = read_input(source, nlp, report, ReadOptions())
    docs = [nlp.make_doc(part.source) for part in parts if isinstance(part.source, str)]
    warn_of_problems(report)
    return docs


def read_named(
    inputs: Iterable[Input], nlp: Language, report: ConversionReport, options: ReadOptions
) -> Iterator[Document]:
    """Read inputs. The first document of a file of texts or trees has the file's name as id.

    CoNLL-U and `.spacy` files have ids of their own. After a file with a name, all inputs have
    one, which is empty for a text and the standard input.
    """
    has_names = False
    for source, kind in inputs:
        is_file = isinstance(source, Path) and str(source) != STANDARD_INPUT
        has_names = has_names or (is_file and kind in (*TEXTS, *BRACKETS))
        for number, document in enumerate(read_input((source, kind), nlp, report, options)):
            if has_names and not number:
                text = document.source
                doc = nlp.make_doc(text) if isinstance(text, str) else text
                doc.user_data[DOCUMENT] = str(source) if is_file else ""
                document = document._replace(source=doc)
            yield document


def is_text(argument: str) -> bool:
    """Return True if an argument that may name a file is a text to parse.

    It is one if it holds white space or ends in a sentence mark, and nothing speaks for a path: a
    slash, a suffix such as `.txt`, or a name in the folder that is there or nearly the same. So a
    path that is typed wrongly is never parsed as text.
    """
    if os.path.exists(argument) or not argument.strip():
        return False
    looks_like_path = "/" in argument or os.sep in argument or _SUFFIX.search(argument)
    reads_like_text = any(map(str.isspace, argument)) or argument.endswith(SENTENCE_MARKS)
    return bool(reads_like_text and not looks_like_path and not _nearest_names(argument))


def warn_of_problems(report: ConversionReport, others: Iterable[Problem] = ()) -> None:
    """Warn of what was left out or cut of the inputs that were read.

    Args:
        report: The report of the readers.
        others: Problems to list beside its own.
    """
    warn_of_wrapped(report.wrapped)
    lost = [problem for problem in report.problems if problem.consequence in ("skipped", "cut")]
    list_problems(msg, [*lost, *others])
    if glued := glued_lemmas(report.counts):
        msg.warn(glued)


def warn_of_wrapped(wrapped: Iterable[str]) -> None:
    """Warn of text files whose lines look wrapped."""
    for text in wrapped:
        msg.warn(
            f"{text}, so its lines look wrapped",
            "--paragraphs blank-line joins them, --paragraphs line says that they are right",
        )


def warn_of_notes(notes: Mapping[str, int]) -> None:
    """Warn of what could not be written as it stands; see `Writer.notes`."""
    for key, count in notes.items():
        msg.warn(f"{count} {NOTES[key]}")


def list_problems(messages: Messages, problems: Iterable[Problem], all_in: str = "") -> None:
    """Warn of the worst problems, one a line, and of how many there are beside them.

    all_in: where all of them can be read.
    """
    worst_first = sorted(problems, key=lambda problem: SEVERITY.index(problem.consequence))
    for problem in worst_first[:N_LISTED]:
        messages.warn(str(problem))
    if len(worst_first) > N_LISTED:
        messages.warn(f"{len(worst_first) - N_LISTED} more{all_in}")


def _nearest_names(argument: str) -> list[str]:
    """The names in the current folder that begin with an argument or are nearly the same."""
    try:
        names = os.listdir()
    except OSError:
        return []
    begun = [name for name in names if name.startswith(argument)]
    return begun or get_close_matches(argument, names, cutoff=SIMILAR)
