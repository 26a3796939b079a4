"""The sections about the speed and memory of dependency parsers."""

from .attachment_scores import SPACY, STACK_LSTM
from .markdown import fixed, table
from .page import ByName, Section


def _speed(results: ByName) -> str:
    names = {
        "spacy": SPACY,
        "stack_lstm_dep_tagged": STACK_LSTM,
        "paper_sizes": "the paper's sizes, PyTorch's LSTM",
    }
    rows = [
        [
            names[label],
            one["parse_words_per_second"],
            fixed(one["parse_speed_over_spacy"]),
            one["training"]["words_per_second"],
            fixed(one["peak_memory_gb"]),
        ]
        for label, one in results["dependency_speed-craft"].items()
    ]
    header = ["parser", "parsing, words/s", "times spaCy", "training, words/s", "peak memory, GB"]
    return table(header, rows)


def _second_pass(results: ByName) -> str:
    figures = results["second_pass-craft"]
    names = {"none": "no second pass", "bot": "second pass from the boundary to the word"}
    rows = [
        [
            names[label],
            one["sentences_per_second"],
            fixed(one["time_over_none"]),
            one["training"]["words_per_second"],
            fixed(one["peak_memory_gb_1000_words"]),
            fixed(one["peak_memory_gb_1000_words_update"]),
            one["no_trees"],
            one["no_trees_untrained"],
        ]
        for label, one in figures["pipelines"].items()
    ]
    header = ["graph-based parser", "parsing, sentences/s", "time over none", "training, words/s",
              "parsing 1,000 words, GB", "learning from them, GB", "not trees",
              "not trees, random weights"]  # fmt: skip
    return table(header, rows)


def _length(results: ByName) -> str:
    figures = results["length-craft"]
    return "\n\n".join(
        table(
            [title, "microseconds per word"],
            [[int(n), fixed(cost, 1)] for n, cost in figures[key].items()],
        )
        for title, key in (
            ("words of a sentence", "microseconds_a_word_by_length_32_sentences"),
            ("sentences in a batch", "microseconds_a_word_by_batch_25_tokens"),
        )
    )


SECTIONS = (
    Section(
        title="Speed and memory",
        text="""
CRAFT's test part, tags given, one core: parsing in batches of 256 sentences, training in batches
of 2,000 words. Memory is that of a process that loads the parser and parses the test part. The
parsers are of earlier runs than above, with no result of their training; that of
`stack_lstm_dep_tagged.cfg` had up to 14,000 updates. Taggers were not run.
""",
        results=("dependency_speed-craft",),
        tables=_speed,
    ),
    Section(
        title="Speed and memory of the second pass",
        text="""
The graph-based parser of `spa_dep_ablation.cfg`, the paper's sizes, on CRAFT's test part, tags
given, one core. The last columns count the outputs that are no tree with one root, over the test
parts of CRAFT and EWT (11,176 sentences). A sentence of 1,000 words was read in one part, before
`max_sentence` was a setting.
""",
        results=("second_pass-craft",),
        tables=_second_pass,
    ),
    Section(
        title="Parsing time by sentence length",
        text="""
`stack_lstm_dep_tagged.cfg`, an earlier run of up to 14,000 updates with no result of its training,
tags given, one core: 32 sentences of one length, then sentences of
25 words in batches of several sizes. A word of a sentence of 1,000 words takes 1.3 times as long as
one of 25 words; batches make the time short.
""",
        results=("length-craft",),
        tables=_length,
    ),
)
