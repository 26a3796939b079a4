"""The section about configs as they are shipped: one training run of each on each treebank."""

from collections.abc import Iterator, Mapping, Sequence

from spacy.util import load_config

from spacy_structparse.scoring.table import SCORES as TITLES

from ..record import RESULTS, ROOT, Figures
from .markdown import Cell, fixed, table
from .page import ByName, Section

TEXT = """
What you can expect if you train a config as it is shipped: one training run a row, seed 0, one
core. Compare rows that read the same and train for as long. Minutes are processor time, with the
scoring of dev during training. They are approximate, because the runs were made on several days.
"""


def shipped_section(
    treebanks: Mapping[str, str],
    configs: Sequence[str],
    scores: Sequence[str],
    text: str = "",
    title: str = "Configs as shipped",
) -> Section:
    """A table with a row for each config, treebank and part.

    Args:
        treebanks: The names of treebanks by those of their folders.
        configs: Names of configs in ``configs/``.
        scores: The scores that are shown.
        text: What else there is to say.
        title: The section's.
    """
    found = tuple(
        name for name, *_ in _runs(treebanks, configs) if (RESULTS / f"{name}.json").exists()
    )
    return Section(
        title=title,
        text=f"{TEXT}\n{text}",
        results=found,
        tables=lambda results: _table(treebanks, configs, scores, results),
    )


def _runs(treebanks: Mapping[str, str], configs: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """The result, the treebank's folder and the config of each run."""
    for folder in treebanks:
        for config in configs:
            yield f"accuracy-{folder}-{config}", folder, config


def _table(
    treebanks: Mapping[str, str],
    configs: Sequence[str],
    scores: Sequence[str],
    results: ByName,
) -> str:
    rows: list[list[Cell]] = []
    for result, folder, config in _runs(treebanks, configs):
        figures: Figures = results[result][config] if result in results else {}
        about: list[Cell] = [treebanks[folder], f"`{config}.cfg`", _reads(config)]
        about.append(max_updates(config, figures))
        if not figures:
            continue
        for split in ("dev", "test"):
            rows.append(
                [
                    *about,
                    split,
                    *(fixed(figures[split].get(score)) for score in scores),
                    fixed(figures["processor_minutes"], 1),
                ]
            )
    titles = [TITLES[score] for score in scores]
    return table(
        ["treebank", "config", "reads", "updates, at most", "part", *titles, "minutes"], rows
    )


def max_updates(config: str, figures: Figures) -> int:
    """The most updates of a run. The config may have changed since; older results do not say."""
    loaded = load_config(ROOT / "configs" / f"{config}.cfg")
    return figures.get("max_updates", loaded["training"]["max_steps"])


def _reads(config: str) -> str:
    """What a config's parser reads."""
    loaded = load_config(ROOT / "configs" / f"{config}.cfg")
    models = [one["model"] for one in loaded["components"].values() if "model" in one]
    tags = any(model.get("tok2vec", {}).get("use_pos") for model in models)
    reads = "words and predicted tags" if tags else "words"
    if "transformer" in loaded["components"]:
        reads = "a transformer"
    return reads
