"""The sections about what F1 does not show: lengths, other text, malformed outputs, attention."""

from spacy_structparse.tools.figures.breakdown_scores import LENGTHS, ranges
from spacy_structparse.transitions.constituency.unconstrained import PROBLEMS

from ..evaluation import BY_LENGTH
from .markdown import Cell, fixed, table
from .page import ByName, Section

DEFAULT = "`seq2seq_constituency.cfg`, parser alone"
DATT = "`seq2seq_constituency_datt.cfg`"
LSTM_A = "`seq2seq_constituency_lstm_a.cfg`"

PAPER_SIZES = "constituency_details-craft-paper-sizes"
FIRST_DETAILS = "constituency_details-craft-default-and-unguided"
HEADS = "constituency_details-craft-heads"
# Name in the table, result, label in it.
DETAILS = (
    (f"{DEFAULT}, first run", FIRST_DETAILS, "default"),
    (f"{DATT}, earlier run", PAPER_SIZES, "datt-bound"),
    (f"{LSTM_A}, earlier run", PAPER_SIZES, "lstm-a"),
    (f"{LSTM_A}, attention not guided, first run", FIRST_DETAILS, "lstm-a"),
)
# What is counted, the head of an element without a label, and the keys of the two figures.
RULES = "that of the constituent around it, if it lies inside"
RIGHT_MOST = "that of the right-most child"
HEADS_COUNTED = (
    ("combined elements", RULES, "combined_elements", "percent_right_child"),
    (
        "combined elements",
        RIGHT_MOST,
        "combined_elements",
        "percent_right_child_nolabel_rightmost",
    ),
    (
        "combined elements and words",
        RIGHT_MOST,
        "elements_with_words",
        "percent_right_child_with_words",
    ),
)


def _lengths(results: ByName) -> str:
    found = {name: results[result][label] for name, result, label in DETAILS}
    groups = list(next(iter(found.values()))["by_length"])
    rows = [
        [name, *(fixed(one["by_length"][group]["const_f"]) for group in groups)]
        for name, one in found.items()
    ]
    shown = dict(zip(BY_LENGTH, ranges(LENGTHS), strict=True))
    return table(["config", *(shown[group] for group in groups)], rows)


def _other_treebank(results: ByName) -> str:
    rows = [
        [name, fixed(results[result][label]["other"]["const_f"])] for name, result, label in DETAILS
    ]
    return table(["config", "F1, GUM's test part"], rows)


def _malformed(results: ByName) -> str:
    """With constraints, and without; the kinds of malformed outputs are those of the repair."""
    constrained: list[list[Cell]] = []
    free: list[list[Cell]] = []
    for name, result, label in DETAILS:
        one = results[result][label]
        constrained.append([name, one["constrained"]["sentences"], one["constrained"]["not_trees"]])
        if found := one.get("unconstrained"):
            kinds = [found.get(kind, 0) for kind in PROBLEMS]
            free.append(
                [
                    name,
                    found["outputs"],
                    found["malformed outputs"],
                    *kinds,
                    fixed(found["const_f"]),
                ]
            )
    header = ["config", "outputs", "malformed", *PROBLEMS, "F1 after repair, greedy"]
    return (
        f"With constraints:\n\n{table(['config', 'outputs', 'not trees'], constrained)}\n\n"
        f"Without:\n\n{table(header, free)}"
    )


def _attention(results: ByName) -> str:
    rows = [
        [name, one["sentences"], fixed(one["percent_focused"]),
         fixed(one["percent_of_steps_on_one_word"])]
        for name, result, label in DETAILS
        if (one := results[result][label].get("attention"))
    ]  # fmt: skip
    return table(["config", "sentences", "focused sentences, %", "focused steps, %"], rows)


def _heads(results: ByName) -> str:
    """A row for each way to count; the first results have the first alone."""
    (one,) = (figures["heads"] for figures in results.values())
    rows = [
        [counted, of_nolabel, one[elements], fixed(one[percent])]
        for counted, of_nolabel, elements, percent in HEADS_COUNTED
        if percent in one
    ]
    return table(
        ["counted", "head without a label", "elements", "head is that of the right-most child, %"],
        rows,
    )


SECTIONS = (
    Section(
        title="Accuracy by sentence length",
        text="""
F1 falls with the length of a sentence, least for the default. The scores are on CRAFT's dev part,
greedy. All rows, here and in the next sections, are earlier runs than those above: that of
`seq2seq_constituency_lstm_a.cfg` had 10,000 updates, and how long the first runs were trained was
not recorded.
""",
        results=(PAPER_SIZES, FIRST_DETAILS),
        tables=_lengths,
    ),
    Section(
        title="Accuracy on another treebank",
        text="""
On text of another kind all parsers lose 15 points or more: they were trained on CRAFT and parse
GUM, greedy. GUM's trees were made by a parser from gold tags.
""",
        results=(PAPER_SIZES, FIRST_DETAILS),
        tables=_other_treebank,
    ),
    Section(
        title="Malformed outputs",
        text="""
With constraints, the default, every output is a tree over exactly the sentence's words (CRAFT's dev
and test parts). Without them, which only top-down parsers allow, some outputs are malformed and
repaired (dev part). The faults are in the order of the repair. An output can have several, so they
sum to more than the malformed outputs.
""",
        results=(PAPER_SIZES, FIRST_DETAILS),
        tables=_malformed,
    ),
    Section(
        title="Focus of attention",
        text="""
With guided training, probabilistic attention is almost always on one word. A step is focused if one
word has more than 90 % of the attention, and a sentence if more than 80 % of its steps are (Ma et
al. 2017, Section 1). The sentences are from CRAFT's dev part.
""",
        results=(PAPER_SIZES, FIRST_DETAILS),
        tables=_attention,
    ),
    Section(
        title="Head words",
        text="""
How often the head word by the rules is that of the right-most child, in the training part (Ma et
al. 2017, Section 4.2). The paper counts the elements that are combined, and does not say which head
the rules give one without a label. In training it is that of the constituent around it, if it lies
inside. A word that is shifted is its own head.
""",
        results=(HEADS,),
        tables=_heads,
    ),
)
