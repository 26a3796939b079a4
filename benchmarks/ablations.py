"""Ablations of the papers on a part of a treebank, several seeds a row.

    python -m benchmarks.ablations corpus/craft stack_lstm --name craft-stack-lstm --test \\
        --override paths.vectors=vectors/glove \\
        --override paths.tags=corpus/craft/train-tags.spacy \\
        --override paths.tagger=training/craft/tagger/model-best
    python -m benchmarks.ablations corpus/craft spa --name craft-spa
    python -m benchmarks.ablations corpus/craft constituency --name craft-constituency --steps 1000

``stack_lstm``: Dyer et al. (2015), Table 1, with the paper's training, until the score on dev stops
rising; tags are predicted unless a row says otherwise. ``spa``: "RNN-Based Sequence-Preserved
Attention for Dependency Parsing", Tables 2 and 3, and its claims about GRUs in SCAN and about
training for the best tree: the graph-based parser at the paper's sizes; with the transition-based
one, an encoder and attention of 200 units where the paper has 700, and a hidden layer of 200.
``constituency``: Ma et al. (2017), Table 4; Vinyals et al. (2015), Table 1 and Section 3; and
phrases as a second encoder. The rows of ``spa`` and of ``constituency`` have the same sizes and
number of updates.
"""

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import torch
import typer
from spacy.language import Language

from .evaluation import CONSTITUENCY_PARSER, evaluate
from .options import (
    WORK,
    Beam,
    Corpus,
    GpuId,
    Name,
    OnlyRows,
    Overrides,
    ScoreTest,
    Work,
    named_values,
)
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
    """A config and the settings changed in it.

    Attributes:
        config: The config.
        settings: The settings, by their full names.
        gold_tags: Whether the parts that are scored have gold tags, and not the pipeline's own.
    """

    config: Path
    settings: dict[str, str] = field(default_factory=dict)
    gold_tags: bool = True


def _row(config: Path, model: str, others: dict[str, str] | None, settings: dict[str, str]) -> Row:
    """A row that changes settings of a model, ``__`` for a dot, and others by their full names."""
    changed = {f"{model}.{name.replace('__', '.')}": value for name, value in settings.items()}
    return Row(config, {**changed, **(others or {})})


def _stack_lstm(**settings: str) -> Row:
    row = _row(CONFIGS / "stack_lstm_dep_ablation.cfg", STACK_LSTM, None, settings)
    return replace(row, gold_tags=False)


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
        "full, gold tags": Row(CONFIGS / "stack_lstm_dep_ablation_gold_tags.cfg"),
    },
    "spa": {
        **{f"graph, {kind}": _graph(kind) for kind in ATTENTIONS},
        **{f"graph, {kind}, concat": _graph(kind, scorer='"concat"') for kind in ("none", "bot")},
        **{f"transition, {kind}": _transition(kind) for kind in ATTENTIONS},
        **{f"graph, {kind}, distance": _graph(kind, distance="true") for kind in ("none", "bot")},
        **{f"graph, {kind}, GRU": _graph(kind, encoder='"bigru"') for kind in ("none", "bot")},
        **{
            f"graph, {kind}, max margin": _graph(kind, head_loss='"max_margin"')
            for kind in ("none", "bot")
        },
    },
    "constituency": {
        "datt-bound": _ma(),
        "bottom-up": _ma(attention='"probabilistic"'),
        "top-down": _ma(attention='"probabilistic"', linearization='"top_down"'),
        # By the state before the step (Eq. 5), where the rows above read that after it.
        "bottom-up, Eq. 5": _ma(attention='"probabilistic"', attention_query='"previous"'),
        "top-down, Eq. 5": _ma(
            attention='"probabilistic"', attention_query='"previous"', linearization='"top_down"'
        ),
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
    work: Work = WORK,
    sentences: Annotated[int, typer.Option(help="Training sentences used")] = 5000,
    steps: Annotated[int | None, typer.Option(help="Updates, by default the config's")] = None,
    seeds: Annotated[int, typer.Option(help="Runs of each row")] = 3,
    first_seed: Annotated[int, typer.Option(help="Seed of the first run; the next count up")] = 0,
    only: OnlyRows = None,
    override: Overrides = None,
    test: ScoreTest = False,
    beam: Beam = 1,
    gpu_id: GpuId = -1,
) -> None:
    """Train the rows of a table and compare them on dev, and on test if asked to."""
    torch.set_num_threads(1)
    if table not in TABLES:
        raise typer.BadParameter(f"{table!r} is no table; there are {list(TABLES)}")

    result = f"ablations-{name}"
    common = {"corpora.train.limit": sentences, **named_values("--override", override)}
    rows: Figures = {}
    for label, row in chosen_rows(TABLES[table], only).items():
        score = partial(_scores, corpus=corpus, gold_tags=row.gold_tags, test=test, beam=beam)
        limit = {} if steps is None else stop_after(row.config, steps)
        settings = {**common, **limit, **row.settings}
        chosen = range(first_seed, first_seed + seeds)
        runs = train_seeds(
            label, row.config, settings, corpus, work / result, chosen, score, gpu_id
        )
        rows[label] = {**_means_and_spreads(runs), "runs": runs}
        if test:
            rows[label]["test"] = _means_and_spreads([run["test"] for run in runs])
    write_result(result, first_seed, {"sentences": sentences, "beam_width": beam, "rows": rows})


def _scores(nlp: Language, *, corpus: Path, gold_tags: bool, test: bool, beam: int) -> Figures:
    """The scores on dev, and ``test``, those on test."""
    if CONSTITUENCY_PARSER in nlp.pipe_names:
        nlp.get_pipe(CONSTITUENCY_PARSER).beam_width = beam  # type: ignore[attr-defined]
    figures = evaluate(nlp, corpus / "dev.spacy", gold_tags)
    if test:
        figures["test"] = evaluate(nlp, corpus / "test.spacy", gold_tags)
    return figures


def _means_and_spreads(runs: list[Figures]) -> Figures:
    return {**means(runs, SCORES), **spreads(runs, SCORES)}


if __name__ == "__main__":
    typer.run(main)
