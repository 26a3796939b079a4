"""Ablations of the papers on a part of a treebank, several seeds a row.

    python -m benchmarks.ablations corpus/craft stack_lstm --name craft-stack-lstm \\
        --vectors vectors/craft
    python -m benchmarks.ablations corpus/craft spa --name craft-spa
    python -m benchmarks.ablations corpus/craft constituency --name craft-constituency --steps 1000

``stack_lstm``: Dyer et al. (2015), Tables 1 and 2. ``spa``: "RNN-Based Sequence-Preserved Attention
for Dependency Parsing", Tables 2 and 3: the graph-based parser at the paper's sizes, the
transition-based one with 200 units where the paper has 700. ``constituency``: Ma et al. (2017),
Table 4; Vinyals et al. (2015), Table 1 and Section 3; and phrases as a second encoder. The rows of
one table have the same sizes and number of updates.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import torch
import typer
from spacy.language import Language

from .evaluation import evaluate
from .options import WORK, Corpus, Name, OnlyRows, Work
from .record import CONFIGS, ROOT, Figures, write_result
from .training_runs import chosen_rows, means, spreads, stop_after, train_seeds

STACK_LSTM = "components.stack_lstm_dep.model"
SPA = "components.spa_dep"
SEQ2SEQ = "components.seq2seq_constituency.model"
ATTENTIONS = ("none", "vanilla", "tob", "bot")
# Tags in the output are the doc's, so dev needs them in training too.
DEV_TAGS = {"corpora.dev.tags": "${paths.dev}"}


@dataclass(frozen=True)
class Row:
    """A config and the settings changed in it."""

    config: Path
    settings: dict[str, str] = field(default_factory=dict)


def _row(config: Path, model: str, others: dict[str, str] | None, settings: dict[str, str]) -> Row:
    """A row that changes settings of a model, ``__`` for a dot, and others by their full names."""
    changed = {f"{model}.{name.replace('__', '.')}": value for name, value in settings.items()}
    return Row(config, {**changed, **(others or {})})


def _stack_lstm(**settings: str) -> Row:
    return _row(CONFIGS / "stack_lstm_dep_ablation.cfg", STACK_LSTM, None, settings)


def _graph(attention: str, others: dict[str, str] | None = None, **settings: str) -> Row:
    settings = {"attention": f'"{attention}"', **settings}
    return _row(CONFIGS / "spa_dep_ablation.cfg", f"{SPA}.model", others, settings)


def _transition(attention: str) -> Row:
    sizes = {f"{part}_width": "200" for part in ("encoder", "attention", "hidden")}
    return _graph(attention, {f"{SPA}.decoder": '"transition"'}, **sizes)


def _ma(others: dict[str, str] | None = None, **settings: str) -> Row:
    return _row(ROOT / "configs" / "seq2seq_constituency_datt.cfg", SEQ2SEQ, others, settings)


def _vinyals(others: dict[str, str] | None = None, **settings: str) -> Row:
    return _row(ROOT / "configs" / "seq2seq_constituency_lstm_a.cfg", SEQ2SEQ, others, settings)


TABLES: dict[str, dict[str, Row]] = {
    "stack_lstm": {
        "full": _stack_lstm(),
        "-POS": _stack_lstm(tok2vec__use_pos="false"),
        "-pretraining": _stack_lstm(tok2vec__use_vectors="false"),
        "-composition": _stack_lstm(composition="false"),
        "S-RNN": _stack_lstm(cell='"rnn"'),
    },
    "spa": {
        **{f"graph, {kind}": _graph(kind) for kind in ATTENTIONS},
        **{f"graph, {kind}, concat": _graph(kind, scorer='"concat"') for kind in ("none", "bot")},
        **{f"transition, {kind}": _transition(kind) for kind in ATTENTIONS},
        **{f"graph, {kind}, distance": _graph(kind, distance="true") for kind in ("none", "bot")},
    },
    "constituency": {
        "datt-bound": _ma(),
        "bottom-up": _ma(attention='"probabilistic"'),
        "top-down": _ma(attention='"probabilistic"', linearization='"top_down"'),
        # Training shows the attention where to look.
        "bottom-up, guided": _ma(attention='"probabilistic"', attention_guidance="0.5"),
        "top-down, guided": _ma(
            attention='"probabilistic"', linearization='"top_down"', attention_guidance="0.5"
        ),
        "bottom-up, no attention": _ma(attention='"none"'),
        "datt-bound-head": _ma(attention='"datt-bound-head"'),
        "datt-bound-head, right-most in training": _ma(
            attention='"datt-bound-head"', heads='"rightmost"'
        ),
        "top-down, datt-bound": _ma(linearization='"top_down"'),
        "in-order, datt-bound": _ma(linearization='"in_order"'),
        "in-order, plain": _ma(linearization='"in_order"', closing_labels="false"),
        "in-order, enriched": _ma(linearization='"in_order"', word_actions='"punctuation"'),
        # Phrases as a second encoder, as in translation with the phrasal RNN.
        "datt-bound, phrases to the end": _ma(pyramid='"last"'),
        "datt-bound, all phrases": _ma(pyramid='"all"'),
        # Settings that Vinyals et al. vary, with a parser that learns in minutes.
        "datt-bound, no dropout": _ma({"training.dropout": "0.0"}),
        "datt-bound, vectors": _ma(tok2vec__use_vectors="true", tok2vec__tune_vectors="true"),
        "datt-bound, read backwards": _ma(encoder='"lstm"'),
        "datt-bound, read forwards": _ma(encoder='"lstm"', reverse="false"),
        "top-down, datt-bound, tags kept": _ma(
            DEV_TAGS, linearization='"top_down"', word_actions='"tag"'
        ),
        "LSTM+A+D": _vinyals(),
        "LSTM+A+D, not guided": _vinyals(attention_guidance="0.0"),
        "LSTM+A": _vinyals({"training.dropout": "0.0"}),
        "LSTM+D, no attention": _vinyals(attention='"none"', attention_guidance="0.0"),
        "LSTM+A+D, not reversed": _vinyals(reverse="false"),
        "LSTM+A+D, tags kept": _vinyals(DEV_TAGS, word_actions='"tag"'),
    },
}
SCORES = ("conll18_las", "dep_uas_nopunct", "dep_las_nopunct", "const_f")


def main(
    corpus: Corpus,
    table: Annotated[str, typer.Argument(help="stack_lstm, spa or constituency")],
    name: Name,
    vectors: Annotated[Path | None, typer.Option(help="Pipeline with the vectors to use")] = None,
    work: Work = WORK,
    sentences: Annotated[int, typer.Option(help="Training sentences used")] = 5000,
    steps: Annotated[int | None, typer.Option(help="Updates, by default the config's")] = None,
    seeds: int = 3,
    only: OnlyRows = None,
) -> None:
    """Train the rows of a table and compare them on dev."""
    torch.set_num_threads(1)
    if table not in TABLES:
        raise typer.BadParameter(f"{table!r} is no table; there are {list(TABLES)}")

    def score(nlp: Language) -> Figures:
        return evaluate(nlp, corpus / "dev.spacy", gold_tags=True)

    result = f"ablations-{name}"
    common: dict[str, object] = {"corpora.train.limit": sentences}
    if vectors is not None:
        common["paths.vectors"] = vectors
    rows: Figures = {}
    for label, row in chosen_rows(TABLES[table], only).items():
        limit = {} if steps is None else stop_after(row.config, steps)
        settings = {**common, **limit, **row.settings}
        runs = train_seeds(label, row.config, settings, corpus, work / result, seeds, score)
        rows[label] = {**means(runs, SCORES), **spreads(runs, SCORES), "runs": runs}
    write_result(result, 0, {"sentences": sentences, "rows": rows})


if __name__ == "__main__":
    typer.run(main)
