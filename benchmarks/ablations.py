"""The switches of the papers' tables, on a part of a treebank, several seeds each.

    python benchmarks/ablations.py corpus/craft dependency --name craft --vectors vectors/craft
    python benchmarks/ablations.py corpus/craft spa --name craft-spa
    python benchmarks/ablations.py corpus/craft trees --name craft-trees

``dependency``: Dyer et al. (2015), Tables 1 and 2. ``spa``: Tables 2 and 3 of "RNN-Based
Sequence-Preserved Attention for Dependency Parsing", its graph-based parser at the paper's sizes
and its transition-based one at 200 units where the paper has 700. ``trees``: Ma et al. (2017),
Table 4, Vinyals et al. (2015), Table 1 and §3, and phrases as a second encoder. The same sizes and
updates for all rows of one paper. Every row is trained by ``spacy train`` with settings changed;
finished rows are not repeated.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from evaluation import evaluate
from record import ROOT, write_results
from rows import chosen_rows, means, spreads, train_seeds
from spacy.language import Language

STACK_LSTM = "components.stack_lstm_dep.model"
SPA = "components.spa_dep"
SEQ2SEQ = "components.seq2seq_constituency.model"
CONFIGS = ROOT / "configs"
ATTENTIONS = ("none", "vanilla", "tob", "bot")
# Tags kept in the output are the doc's, so dev needs them in training too.
DEV_TAGS = {"corpora.dev.tags": "${paths.dev}"}


@dataclass(frozen=True)
class Row:
    """A training: a config and the settings changed in it."""

    config: str
    settings: dict[str, str] = field(default_factory=dict)


def _row(config: str, model: str, others: dict[str, str] | None, settings: dict[str, str]) -> Row:
    """A row that changes settings of a model, ``__`` for a dot, and others by their full names."""
    changed = {f"{model}.{name.replace('__', '.')}": value for name, value in settings.items()}
    return Row(config, {**changed, **(others or {})})


def _stack_lstm(**settings: str) -> Row:
    return _row("stack_lstm_dep_ablation", STACK_LSTM, None, settings)


def _graph(attention: str, others: dict[str, str] | None = None, **settings: str) -> Row:
    settings = {"attention": f'"{attention}"', **settings}
    return _row("spa_dep_ablation", f"{SPA}.model", others, settings)


def _transition(attention: str) -> Row:
    sizes = {f"{part}_width": "200" for part in ("encoder", "attention", "hidden")}
    return _graph(attention, {f"{SPA}.decoder": '"transition"'}, **sizes)


def _ma(others: dict[str, str] | None = None, **settings: str) -> Row:
    return _row("seq2seq_constituency_datt", SEQ2SEQ, others, settings)


def _vinyals(others: dict[str, str] | None = None, **settings: str) -> Row:
    return _row("seq2seq_constituency_lstm_a", SEQ2SEQ, others, settings)


TABLES: dict[str, dict[str, Row]] = {
    "dependency": {
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
    "trees": {
        "datt-bound": _ma(),
        "bottom-up": _ma(attention='"probabilistic"'),
        "top-down": _ma(attention='"probabilistic"', linearization='"top_down"'),
        # Attention that training shows the next word.
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
        # Phrases as a second encoder, as the phrasal RNN has them in translation.
        "datt-bound, phrases to the end": _ma(pyramid='"last"'),
        "datt-bound, all phrases": _ma(pyramid='"all"'),
        # What Vinyals et al. vary, where a parser learns in minutes.
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
COUNTED = ("dep_uas_nopunct", "dep_las_nopunct", "const_f")


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder of train and dev .spacy files")],
    table: Annotated[str, typer.Argument(help="dependency, spa or trees")],
    name: Annotated[str, typer.Option(help="Name of the result")],
    vectors: Annotated[Path | None, typer.Option(help="Pipeline with the vectors to use")] = None,
    work: Path = Path("training/bench"),
    sentences: Annotated[int, typer.Option(help="Training sentences used")] = 5000,
    steps: Annotated[int | None, typer.Option(help="Updates, by default the config's")] = None,
    seeds: int = 3,
    only: Annotated[list[str] | None, typer.Option(help="Rows to train, by default all")] = None,
) -> None:
    """Train all rows and compare them on dev."""
    torch.set_num_threads(1)

    def score(nlp: Language) -> dict[str, float]:
        return evaluate(nlp, corpus / "dev.spacy", gold_tags=True)

    common = {"corpora.train.limit": str(sentences)}
    if vectors is not None:
        common["paths.vectors"] = str(vectors)
    if steps is not None:
        common["training.max_steps"] = str(steps)
        common["training.optimizer.learn_rate.total_steps"] = str(steps)
    figures: dict[str, Any] = {}
    for label, row in chosen_rows(TABLES[table], only).items():
        folder = work / f"ablations-{name}" / re.sub(r"[^\w+-]+", "-", label)
        config = CONFIGS / f"{row.config}.cfg"
        runs = train_seeds(label, config, {**common, **row.settings}, corpus, folder, seeds, score)
        figures[label] = {**means(runs, COUNTED), **spreads(runs, COUNTED), "runs": runs}
    print(write_results(f"ablations-{name}", 0, {"sentences": sentences, "rows": figures}))


if __name__ == "__main__":
    typer.run(main)
