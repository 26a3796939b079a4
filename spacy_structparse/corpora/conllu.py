"""Streaming reader of CoNLL-U, CoNLL-U Plus and CoNLL-X: a line a word, a block a sentence."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..cycles import find_cycle
from ..errors import ReadError
from ..input_limits import file_lines

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
N_COLUMNS = len(COLUMNS)
MAX_DIGITS = 9
"""Digits of an id or a head: more can be no position in a sentence."""
_PLUS = b"# global.columns"


@dataclass(frozen=True, slots=True)
class SurfaceToken:
    """A multiword token `3-4`: the surface form of words `start` to `end` (0-based, exclusive)."""

    start: int
    end: int
    form: str
    space_after: bool


@dataclass(slots=True)
class ConlluSentence:
    """One sentence: lists with one entry per word (N words), `None` or "" where a column is `_`.

    `heads` are 0-based word positions; the root heads itself; `None` is an unknown head.
    `format_problem` says why the words cannot be trusted (the sentence is unusable),
    `heads_problem` why the words are fine but their heads are not a tree; both carry the line.
    `lines` are the sentence as the file has it, comments included, without line ends.
    """

    file: str
    line: int
    sent_id: str = ""
    text: str | None = None
    words: list[str] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    upos: list[str] = field(default_factory=list)
    xpos: list[str] = field(default_factory=list)
    feats: list[str] = field(default_factory=list)
    heads: list[int | None] = field(default_factory=list)
    deprels: list[str | None] = field(default_factory=list)
    space_after: list[bool] = field(default_factory=list)
    surface_tokens: list[SurfaceToken] = field(default_factory=list)
    n_empty_nodes: int = 0
    spaces_known: bool = False
    starts_document: bool = False
    starts_paragraph: bool = False
    format_problem: str | None = None
    heads_problem: str | None = None
    lines: list[str] = field(default_factory=list)

    def surface_text(self) -> str:
        """The text as the columns spell it: surface forms and SpaceAfter, no final space."""
        pieces = [
            word + " " * space for word, space in zip(self.words, self.space_after, strict=True)
        ]
        for token in reversed(self.surface_tokens):
            pieces[token.start : token.end] = [token.form + " " * token.space_after]
        return "".join(pieces).rstrip()


def read_conllu(path: Path, name: str = "") -> Iterator[ConlluSentence]:
    """Yield the sentences of a UTF-8 file, compressed by gzip or not, one by one, bad ones with
    their problem set.

    Args:
        path: The file.
        name: Its name in messages. Empty: its path.

    Raises:
        ReadError: It is damaged, or bytes are not UTF-8; the error names file and line.
    """
    yield from parse_conllu(conllu_lines(path), name or str(path))


def conllu_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, compressed by gzip or not, with the ten columns of CoNLL-U.

    Raises `ReadError` where it is compressed and damaged, or where the columns that the first
    line of a CoNLL-U Plus file names lack ID or FORM.
    """
    places: list[int | None] | None = None
    for number, line in enumerate(file_lines(path)):
        if not number and line.removeprefix(b"\xef\xbb\xbf").startswith(_PLUS):
            places = _plus_places(line, path)
            yield b"\n"
        else:
            yield line if places is None else _ten_columns(line, places)


def _plus_places(line: bytes, path: Path) -> list[int | None]:
    """The place of each column of CoNLL-U among those that `# global.columns = …` names."""
    names = line.decode("utf-8", errors="replace").partition("=")[2].split()
    if not {"ID", "FORM"} <= set(names):
        raise ReadError(f"{path}:1: global.columns names no ID or no FORM: {names}")
    return [names.index(name) if name in names else None for name in COLUMNS]


def _ten_columns(line: bytes, places: list[int | None]) -> bytes:
    """A line of CoNLL-U Plus with the columns of CoNLL-U: `_` where it has none of a name."""
    if line.startswith(b"#") or not line.strip():
        return line
    columns = line.rstrip(b"\r\n").split(b"\t")
    if max(place for place in places if place is not None) >= len(columns):
        return line  # too few columns, as the sentence's problem says
    return b"\t".join(b"_" if at is None else columns[at] for at in places) + b"\n"


def parse_conllu(lines: Iterable[bytes], file: str) -> Iterator[ConlluSentence]:
    """Parse the raw lines of a file.

    A sentence is a block of lines up to a blank line, and has at least one line that is a word,
    well-formed or not.
    """
    block: list[str] = []
    has_words = False
    start = 1
    for number, raw in enumerate(lines, 1):
        line = _decode(raw, file, number)
        if not line or line.isspace():
            if has_words:
                yield _parse_block(block, file, start)
                block, has_words = [], False
            continue
        if not block:
            start = number
        elif start + len(block) != number:
            # A blank line between comments and words: pad, so that line numbers stay true.
            block += [""] * (number - start - len(block))
        block.append(line)
        has_words = has_words or line[0] != "#"
    if has_words:
        yield _parse_block(block, file, start)


def _decode(raw: bytes, file: str, number: int) -> str:
    try:
        line = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReadError(
            f"{file}:{number}: not UTF-8 (byte {error.start + 1} of the line: {error.reason}). "
            "Convert the file to UTF-8."
        ) from error
    if number == 1:
        line = line.removeprefix("\ufeff")
    return line.rstrip("\r\n")


def _parse_block(block: list[str], file: str, start: int) -> ConlluSentence:
    sentence = ConlluSentence(file=file, line=start, lines=[line for line in block if line])
    heads: list[tuple[int, str]] = []
    ranges: list[tuple[int, list[str]]] = []
    expected = 1
    for number, line in enumerate(block, start):
        if not line:
            continue
        if line[0] == "#":
            _read_comment(line, sentence)
            continue
        columns = line.split("\t")
        if len(columns) != N_COLUMNS:
            hint = "; columns are separated by tabs" if "\t" not in line else ""
            sentence.format_problem = (
                f"line {number}: {len(columns)} columns where {N_COLUMNS} are needed{hint}"
            )
            break
        identifier = columns[0]
        if identifier == str(expected):
            problem = _read_word(columns, sentence)
            heads.append((number, columns[6]))
            expected += 1
        elif "-" in identifier:
            problem = None
            ranges.append((number, columns))
        elif "." in identifier:
            problem = _check_empty_node(identifier)
            sentence.n_empty_nodes += 1
        elif parse_number(identifier) is not None:
            problem = f"word {identifier} where word {expected} was expected"
        else:
            problem = f"the id {_quoted(identifier)} is neither a number, a range nor an empty node"
        if problem:
            sentence.format_problem = f"line {number}: {problem}"
            break
    if sentence.format_problem is None and not sentence.words:
        sentence.format_problem = f"line {start}: no words"
    if sentence.format_problem is None:
        sentence.format_problem = _read_ranges(ranges, sentence)
    if sentence.format_problem is None:
        sentence.heads_problem = _read_heads(heads, sentence)
        if sentence.text is not None:
            sentence.spaces_known = True
    return sentence


def _read_comment(line: str, sentence: ConlluSentence) -> None:
    key, separator, value = line[1:].partition("=")
    key, value = key.strip(), value.strip()
    if key == "sent_id" and separator:
        sentence.sent_id = value
    elif key == "text" and separator:
        sentence.text = value
    elif key == "newdoc" or key.startswith("newdoc "):
        sentence.starts_document = True
    elif key == "newpar" or key.startswith("newpar "):
        sentence.starts_paragraph = True


def _read_word(columns: list[str], sentence: ConlluSentence) -> str | None:
    _, form, lemma, upos, xpos, feats, _, deprel, _, misc = columns
    if not form or form.isspace():
        return "the form (column 2) is empty"
    sentence.words.append(form)
    # A lemma `_` is "none", but for the word `_` itself.
    sentence.lemmas.append("" if lemma == "_" and form != "_" else lemma)
    sentence.upos.append("" if upos == "_" else upos)
    sentence.xpos.append("" if xpos == "_" else xpos)
    sentence.feats.append("" if feats == "_" else feats)
    sentence.deprels.append(None if deprel in ("_", "") else deprel)
    space = _space_after(misc)
    sentence.space_after.append(space)
    if not space:
        sentence.spaces_known = True
    return None


def _space_after(misc: str) -> bool:
    return misc == "_" or "SpaceAfter=No" not in misc.split("|")


def _check_empty_node(identifier: str) -> str | None:
    word, _, node = identifier.partition(".")
    if parse_number(word) is not None and parse_number(node) is not None:
        return None
    return f"the id {_quoted(identifier)} is not an empty node such as 8.1"


def parse_number(text: str) -> int | None:
    """The number that ASCII digits spell, or None for anything else and for too many digits."""
    if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS:
        return int(text)
    return None


def _quoted(text: str) -> str:
    """The text for an error, cut off where it is long."""
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


def _read_ranges(ranges: list[tuple[int, list[str]]], sentence: ConlluSentence) -> str | None:
    """Turn `3-4` lines into surface tokens and say how their words are spaced."""
    previous = 0
    for number, columns in ranges:
        first, last = map(parse_number, columns[0].split("-", 1))
        if first is None or last is None:
            return f"line {number}: the id {_quoted(columns[0])} is not a range such as 3-4"
        start, end = first - 1, last
        if not previous <= start < end <= len(sentence.words):
            return (
                f"line {number}: the range {columns[0]} overlaps another, is out of order or "
                f"reaches outside the sentence's {len(sentence.words)} words"
            )
        space = _space_after(columns[9])
        form = columns[1]
        # Words that spell the surface form (do+n't) touch; others (de+le for "du") do not.
        touching = "".join(sentence.words[start:end]) == form
        sentence.space_after[start : end - 1] = [not touching] * (end - 1 - start)
        sentence.space_after[end - 1] = space
        if not space:
            sentence.spaces_known = True
        sentence.surface_tokens.append(SurfaceToken(start, end, form, space))
        previous = end
    return None


def _read_heads(heads: list[tuple[int, str]], sentence: ConlluSentence) -> str | None:
    """Fill `sentence.heads`; the problem, if they are not a tree, or None.

    A sentence without any known head, or with some unknown, is half-annotated and fine: then
    the known arcs must be free of cycles and have at most one root.
    """
    n_words = len(heads)
    resolved: list[int | None] = []
    roots = []
    problem = None
    for word, (number, value) in enumerate(heads):
        if value in ("_", ""):
            resolved.append(None)
            continue
        head = parse_number(value)
        if head is None:
            problem = problem or f"line {number}: the head {_quoted(value)} is not a number"
            resolved.append(None)
        elif head > n_words:
            problem = problem or (
                f"line {number}: the head {head} is outside the sentence's {n_words} words"
            )
            resolved.append(None)
        elif head == 0:
            roots.append(number)
            resolved.append(word)
        elif head == word + 1:
            problem = problem or f"line {number}: word {head} is its own head"
            resolved.append(None)
        else:
            resolved.append(head - 1)
    sentence.heads = resolved
    if problem:
        return problem
    if len(roots) > 1:
        return f"line {roots[1]}: {len(roots)} roots (the first on line {roots[0]})"
    cycle = find_cycle(resolved)
    if cycle is not None:
        return f"line {heads[cycle][0]}: word {cycle + 1} is on a cycle of heads"
    if not roots and None not in resolved:
        return f"line {sentence.line}: no root"
    return None


_XPOS = 4


def has_xpos(paths: Iterable[Path]) -> bool:
    """Look for a word with an XPOS tag in files, up to the first one."""
    rows = (line.split(b"\t") for path in paths for line in conllu_lines(path))
    return any(len(row) == N_COLUMNS and row[0].isdigit() and row[_XPOS] != b"_" for row in rows)
