"""The page about languages: tokens, sentences and words from raw text."""

from .markdown import Cell, fixed, table
from .page import ByName, Page, Section

RESULT = "tokens-languages"
LANGUAGES = {
    "ar": "Arabic", "cs": "Czech", "de": "German", "es": "Spanish", "fi": "Finnish",
    "ja": "Japanese", "ko": "Korean", "lzh": "Classical Chinese", "th": "Thai", "tr": "Turkish",
    "vi": "Vietnamese", "zh": "Chinese", "ewt": "English (EWT)", "gum": "English (GUM)",
}  # fmt: skip
SUMMARY = """
F1 of tokens, sentences and words by the CoNLL 2018 metrics, from raw text of the development parts
of small treebanks of Universal Dependencies. The `segmenter` reads characters;
`trainable_tokenizer` with `mwt_splitter` cuts text between spaces, and does not find sentences. A
text has twenty sentences in the order of the treebank: where these do not belong together, or have
no punctuation at their ends, as in Thai and Classical Chinese, there is little that says where one
ends. These are other texts than the raw ones of the shared tasks, so do not compare with published
figures.
"""
DETAILS = """
Multiword tokens, training and speed of the `segmenter`, on one thread. Right multiword tokens have
the limits and the words of the treebank.
"""


def _summary(results: ByName) -> str:
    header = ["language", "training words", "tokens", "sentences", "words", "words between spaces"]
    rows: list[list[Cell]] = []
    for name, figures in results[RESULT].items():
        new, old = figures["segmenter"], figures["between spaces"]
        scores = [fixed(new.get(key)) for key in ("Tokens", "Sentences", "Words")]
        words = f"{figures['words']:,}"
        rows.append([LANGUAGES.get(name, name), words, *scores, fixed(old.get("Words"))])
    return table(header, rows)


def _details(results: ByName) -> str:
    header = [
        "language",
        "multiword tokens",
        "written",
        "right",
        "seconds to learn",
        "characters/s",
    ]
    rows: list[list[Cell]] = []
    for name, figures in results[RESULT].items():
        one = figures["segmenter"]
        counts = [one["multiword"][key] for key in ("gold", "written", "right")]
        speed = f"{one['characters_per_second']:,}"
        rows.append([LANGUAGES.get(name, name), *counts, fixed(one["seconds"], 0), speed])
    return table(header, rows)


PAGE = Page(
    "languages",
    "Languages",
    Section("Tokens from raw text", SUMMARY, (RESULT,), _summary),
    (Section("Multiword tokens and speed", DETAILS, (RESULT,), _details),),
)
