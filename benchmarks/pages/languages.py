"""The page about languages: whole pipelines, and tokens, sentences and words from raw text."""

from collections.abc import Iterator
from statistics import mean
from typing import Any

from spacy_structparse.cli.language_scores import GOLD, RAW

from ..record import Figures, results_of
from .markdown import Cell, fixed, table
from .page import ByName, Page, Section

TOKENS = results_of("tokens")
"""Results of which a later one has languages that were measured again."""
ENCODER = "-encoder"
OWN = "structparse"
LANGUAGES = {
    "ar": "Arabic", "cs": "Czech", "de": "German", "es": "Spanish", "fi": "Finnish",
    "ja": "Japanese", "ko": "Korean", "lzh": "Classical Chinese", "th": "Thai", "tr": "Turkish",
    "vi": "Vietnamese", "zh": "Chinese", "ewt": "English (EWT)", "gum": "English (GUM)",
}  # fmt: skip
METRICS = ("Words", "Sentences", "UPOS", "UFeats", "Lemmas", "LAS")
SUMMARY = """
In the time in which spaCy trains a parser, `spacy structparse train` makes a whole pipeline, from
the tokenizer on, and on each of these small treebanks its parser is the better one. With a
multilingual encoder it is better still on each. LAS is that of the CoNLL 2018 metrics, in per cent,
on gold tokens and sentences of the development parts of treebanks of Universal Dependencies.

`spacy structparse train` had ten minutes on one thread of the CPU for all its steps, and twenty
with the encoder. spaCy had ten minutes of the processor for `spacy train` alone, with the config
that `spacy init config` writes for these components, on the words and sentences of the treebank, as
ours. Korean, Vietnamese, Thai, Turkish and both kinds of Chinese were measured on a processor of
half the speed; there convolutions took the place of LSTMs, but for Chinese. The gain in Korean is
so large because its particles have one or two characters, and spaCy reads suffixes of three.
Turkish was trained on its development part and scored on the first half of its test part, because
the training part is damaged as it is distributed. The encoder was measured on the slower processor,
beside other work, so that the minutes by the clock are more than twenty. The training parts are
small samples of the official ones ([their sizes](#tokens-from-raw-text)), so do not compare with
published figures.
"""
WHOLE = """
What the pipelines of `spacy structparse train` find in raw text of the development parts, F1 in
per cent by the [CoNLL 2018 metrics](../scoring.md#conll-2018). LAS is lower than on gold tokens,
because errors in words and sentences count, too. For comparison,
[UDPipe 2](https://ufal.mff.cuni.cz/udpipe/2/models) reports for Turkish (BOUN, UD 2.10) Words
98.83, Sentences 86.93, UPOS 91.56, UFeats 91.72, Lemmas 93.23 and LAS 72.40: on the whole test
part, with multilingual BERT, after training on 97,000 words, eight times as many as here.
"""
CUT = """
F1 of tokens, sentences and words from raw text, after training on so many words. The `segmenter`
reads characters; `trainable_tokenizer` with `mwt_splitter` cuts text between spaces, and does not
find sentences: its words are under "between spaces". A text has twenty sentences in the order of
the treebank: where these do not belong together, or have no punctuation at their ends, as in Thai
and Classical Chinese, there is little that says where one ends. Right multiword tokens have the
limits and the words of the treebank. Speed is that of the `segmenter` on one thread.
"""


def _name(code: str) -> str:
    return LANGUAGES.get(code, code)


def _languages(results: ByName) -> Iterator[tuple[str, Figures, Figures]]:
    """Yield the code of each language, its figures and those with the encoder, by system."""
    codes = (name.removeprefix("languages-") for name in results if not name.endswith(ENCODER))
    for code in sorted(codes):
        name = f"languages-{code}"
        yield code, results[name], results.get(f"{name}{ENCODER}", {})


def _attachment(results: ByName) -> str:
    rows: list[list[Any]] = []
    for code, systems, encoder in _languages(results):
        own, *peers = (figures[GOLD]["LAS"] for figures in systems.values())
        labels = ["language", OWN, *list(systems)[1:], "gain", "with the encoder", "its gain"]
        better = encoder[OWN][GOLD]["LAS"] if encoder else None
        gains = own - max(peers), better - own if better else None
        rows.append([_name(code), own, *peers, gains[0], better, gains[1]])
    if len(rows) > 1:
        *columns, with_encoder, encoder_gains = list(zip(*rows, strict=True))[1:]
        # No mean of the scores of some languages beside one of all; of gains there is one.
        of_all = None if None in with_encoder else mean(with_encoder)
        known = [gain for gain in encoder_gains if gain is not None]
        rows.append(["mean", *map(mean, columns), of_all, mean(known) if known else None])
    return table(labels, [[name, *map(fixed, figures)] for name, *figures in rows])


def _whole(results: ByName) -> str:
    rows: list[list[Cell]] = []
    for code, systems, encoder in _languages(results):
        for label, figures in {"": systems[OWN], ", encoder": encoder.get(OWN)}.items():
            if figures:
                scores = [fixed(figures[RAW].get(metric)) for metric in METRICS]
                facts = [fixed(figures["minutes"], 1), figures["megabytes"]]
                rows.append([f"{_name(code)}{label}", *scores, *facts])
    return table(["language", *METRICS, "minutes", "MB"], rows)


def _tokens(results: ByName) -> str:
    scores = ["trained on", "tokens", "sentences", "words", "between spaces"]
    facts = ["multiword", "written", "right", "characters/s"]
    rows: list[list[Cell]] = []
    by_code = {code: figures for name in TOKENS for code, figures in results[name].items()}
    for code, figures in by_code.items():
        new, old = figures["segmenter"], figures["between spaces"]
        found = [fixed(new.get(key)) for key in ("Tokens", "Sentences", "Words")]
        counts = [new["multiword"][key] for key in ("gold", "written", "right")]
        words = [f"{figures['words']:,}", *found, fixed(old.get("Words"))]
        speed = f"{new['characters_per_second']:,}"
        rows.append([_name(code), *words, *counts, speed])
    return table(["language", *scores, *facts], rows)


PIPELINES = results_of("languages")
PAGE = Page(
    "languages",
    "Results: languages",
    Section("Small treebanks", SUMMARY, PIPELINES, _attachment),
    (
        Section("From raw text", WHOLE, PIPELINES, _whole),
        Section("Tokens from raw text", CUT, TOKENS, _tokens),
    ),
)
