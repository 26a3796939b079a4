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
`stack_lstm_dep` parses two to three times as fast as spaCy's parser, on one core and with given
tags (CRAFT's test part, batches of 256 sentences; training in batches of 2,000 words). Memory is
that of a process that loads the parser and parses the test part. The parsers are earlier runs than
those above; that of `stack_lstm_dep_tagged.cfg` had up to 14,000 updates.
""",
        results=("dependency_speed-craft",),
        tables=_speed,
    ),
    Section(
        title="Speed and memory of the second pass",
        text="""
The second pass takes 1.6 times as long. The parser is the graph-based one of
`spa_dep_ablation.cfg`, with the paper's sizes, on CRAFT's test part with given tags, on one core.
The sentence of 1,000 words was read in one part. The last columns count the outputs that are not a
tree with one root, over the test parts of CRAFT and EWT (11,176 sentences).
""",
        results=("second_pass-craft",),
        tables=_second_pass,
    ),
    Section(
        title="Parsing time by sentence length",
        text="""
Time grows only in proportion to the length: a word in a sentence of 1,000 words takes 1.3 times as
long as in one of 25. Large batches save most of the time. The first table has 32 sentences of one
length, the second sentences of 25 words in batches of several sizes. The parser is an earlier run
of `stack_lstm_dep_tagged.cfg`, of up to 14,000 updates, with given tags on one core.
""",
        results=("length-craft",),
        tables=_length,
    ),
)
