"""The kinds of inputs of the commands that read treebanks and texts."""

from enum import Enum

from ..corpora.suffixes import shown_kinds
from ..input_limits import GZIP_SUFFIX


class InputFormat(str, Enum):
    """The kinds of input files, by the names that the command line has for them."""

    conllu = "conllu"
    conll = "conll"
    ptb = "ptb"
    psd = "psd"
    spacy = "spacy"
    parquet = "parquet"
    text = "text"
    jsonl = "jsonl"


_PLAIN = {
    ".conllu": InputFormat.conllu,
    ".conll": InputFormat.conll,
    ".conllx": InputFormat.conll,
    ".ptb": InputFormat.ptb,
    ".mrg": InputFormat.ptb,
    ".psd": InputFormat.psd,
    ".txt": InputFormat.text,
    ".text": InputFormat.text,
    ".jsonl": InputFormat.jsonl,
}
SUFFIXES = {
    **_PLAIN,
    **{f"{suffix}{GZIP_SUFFIX}": kind for suffix, kind in _PLAIN.items()},
    ".spacy": InputFormat.spacy,
    ".parquet": InputFormat.parquet,
}
KINDS = (
    f"{shown_kinds({**_PLAIN, '.spacy': InputFormat.spacy, '.parquet': InputFormat.parquet})}; all "
    f"but the last two may be compressed by gzip ({GZIP_SUFFIX})"
)
"""The kinds with their suffixes, for messages."""
TEXTS = (InputFormat.text, InputFormat.jsonl)
BRACKETS = (InputFormat.ptb, InputFormat.psd)
