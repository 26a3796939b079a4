"""The tables of docs/results.md about language models and translators."""

from typing import Any

from .markdown_table import table

Figures = dict[str, Any]


def language_models(figures: Figures) -> str:
    """Perplexity of neural models."""
    rows = [
        [label, one["dev"], one.get("test"), len(one["runs"]), one["parameters"],
         one["training"]["words_per_second"],
         round(figures["words"] / one["training"]["words_per_second"] / 60, 1)]
        for label, one in figures["rows"].items()
    ]  # fmt: skip
    header = ["model", "perplexity, dev", "test", "seeds", "parameters", "training, words/s",
              "minutes per epoch"]  # fmt: skip
    note = (
        f"{figures['config']}, {figures['epochs']} epochs of {figures['words']:,} words, batches "
        f"of {figures['batch']} sentences. Minutes follow from the speed of training."
    )
    return f"{note}\n\n{table(header, rows)}"


def kneser_ney(figures: Figures) -> str:
    """Perplexity of n-grams."""
    row = [figures["order"], figures["dev"], figures["test"]]
    return table(["order", "perplexity, dev", "test"], [row])


def induction(figures: Figures) -> str:
    """Unlabelled F1 of trees."""
    rows = [[label, one["f1"]] for label, one in figures["trees"].items()]
    note = (
        f"{figures['sentences']} sentences of {figures['split']}; mean over sentences, without "
        "punctuation (words with a tag that COLLINS.prm deletes), single words and whole sentences."
    )
    return f"{note}\n\n{table(['trees', 'unlabelled F1'], rows)}"


def translation(figures: Figures) -> str:
    """BLEU with and without phrases."""
    splits = [
        key for key in ("dev", "test") if f"{key}_beam" in next(iter(figures["rows"].values()))
    ]
    rows = [
        [label, *(one[f"{split}_{kind}"] for split in splits for kind in ("greedy", "beam")),
         len(one["runs"]), max(run["minutes"] for run in one["runs"])]
        for label, one in figures["rows"].items()
    ]  # fmt: skip
    header = ["model", *(f"{split}, {kind}" for split in splits
              for kind in ("greedy", f"beam {figures['beam']}")), "seeds",
              "longest training, minutes"]  # fmt: skip
    text = f"{figures['pairs']:,} pairs" if figures["pairs"] else "all pairs"
    note = f"{figures['config']}, {figures['steps']:,} updates on {text}; lower-cased BLEU."
    return f"{note}\n\n{table(header, rows)}"


def phrase_memory(figures: Figures) -> str:
    """Reading a long sentence."""
    rows = [[label, *one.values()] for label, one in figures["pipelines"].items()]
    note = f"One sentence of {figures['words']:,} words, a process each, loading included."
    return f"{note}\n\n{table(['pipeline', 'peak memory, GB', 'seconds'], rows)}"


def pyramid(figures: Figures) -> str:
    """The scan against loops."""
    tasks = ("reading", "training")
    keys = {
        "seconds": "seconds",
        "times_the_scan": "times the scan",
        "times_the_scan_in_bfloat16": "in bfloat16",
    }
    rows = [
        [
            label,
            *(figures[task][label].get(key) for task in tasks for key in keys),
        ]
        for label in figures["reading"]
    ]
    header = [
        "way",
        *(f"{task}, {what}" for task in tasks for what in keys.values()),
    ]
    sizes = (
        f"{figures['batch']} sentences of {figures['words']} words of {figures['width']}, "
        f"phrases of {figures['hidden']}."
    )
    return f"{sizes}\n\n{table(header, rows)}"
