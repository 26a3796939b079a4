"""Write docs/results.md from benchmarks/results/*.json.

python -m benchmarks.make_results
"""

import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import srsly

from spacy_structparse.scoring.breakdown import columns_of

from .language_model_tables import (
    induction,
    kneser_ney,
    language_models,
    phrase_memory,
    pyramid,
    translation,
)
from .markdown_table import table
from .record import RESULTS, ROOT

Figures = dict[str, Any]


def accuracy(figures: Figures) -> str:
    """The scores of every pipeline on every split."""
    one = next(iter(figures.values()))
    return _trees(figures) if "const_f" in one["dev"] else _dependencies(figures)


def _trees(figures: Figures) -> str:
    rows = [
        [label, split, s["const_f"], s["const_p"], s["const_r"], s["const_exact"],
         s["const_errors"], s.get("tag_acc"), one["beam_width"], one.get("train_minutes"),
         one.get("stopped")]
        for label, one in figures.items()
        for split in ("dev", "test")
        if (s := one.get(split))
    ]  # fmt: skip
    header = ["pipeline", "split", "F1", "precision", "recall", "exact", "not scored", "tags",
              "beam", "minutes", "end"]  # fmt: skip
    note = "EVALB with COLLINS.prm, gold tokens, gold brackets X over X removed."
    return f"{note}\n\n{table(header, rows)}"


def _dependencies(figures: Figures) -> str:
    first, others = next(iter(figures)), len(figures) > 1
    rows = []
    for label, one in figures.items():
        for split in ("dev", "test"):
            if split in one:
                s = one[split]
                over = s["dep_las_nopunct"] - figures[first][split]["dep_las_nopunct"]
                rows.append([label, split, s["dep_uas_nopunct"], s["dep_las_nopunct"],
                             round(over, 2) if others else None, s["dep_uas"], s["dep_las"],
                             s.get("tag_acc"), one.get("train_minutes"),
                             one.get("stopped")])  # fmt: skip
    header = ["pipeline", "split", "UAS", "LAS", f"LAS over {first}", "dep_uas", "dep_las", "tags",
              "minutes", "end"]  # fmt: skip
    note = "UAS and LAS leave out tokens whose UPOS is PUNCT; dep_uas and dep_las are spaCy's."
    return f"{note}\n\n{table(header, rows)}"


def speed(figures: Figures) -> str:
    """Parsing and training speed and memory."""
    first = next(iter(figures))
    rows = [
        [label, one["parse_words_per_second"], one[f"parse_speed_over_{first}"],
         one["training"]["words_per_second"], one["training"]["batch_words"],
         one["peak_memory_gb"]]
        for label, one in figures.items()
    ]  # fmt: skip
    header = ["pipeline", "parsing, words/s", f"ratio to {first}", "training, words/s",
              "words a batch", "peak memory, GB"]  # fmt: skip
    return table(header, rows)


def length(figures: Figures) -> str:
    """Cost by sentence length and batch size."""
    by_length = figures["microseconds_a_word_by_length_32_sentences"]
    by_batch = figures["microseconds_a_word_by_batch_25_tokens"]
    return "\n\n".join(
        [
            "Microseconds a word, 32 sentences of each length:",
            table(list(by_length), [list(by_length.values())]),
            "Microseconds a word, sentences of 25 tokens, by sentences a batch:",
            table(list(by_batch), [list(by_batch.values())]),
            f"A word at 1,000 tokens costs {figures['cost_1000_over_25']} times one at 25.",
        ]
    )


def beam(figures: Figures) -> str:
    """Scores by beam width."""
    names = {"const_f": "F1", "const_exact": "exact", "dep_uas_nopunct": "UAS",
             "dep_las_nopunct": "LAS"}  # fmt: skip
    shown = [key for key in names if key in next(iter(figures.values()))]
    rows = [
        [width, *(s[key] for key in shown), s["words_per_second_with_scoring"]]
        for width, s in figures.items()
    ]
    return table(["beam width", *(names[key] for key in shown), "words/s with scoring"], rows)


def _spread(one: Figures, key: str) -> float | None:
    """The spread between seeds, if there were several."""
    return one[f"{key}_spread"] if len(one["runs"]) > 1 else None


def ablations(figures: Figures) -> str:
    """The papers' ablations."""
    names = {"const_f": "F1", "dep_uas_nopunct": "UAS", "dep_las_nopunct": "LAS"}
    shown = [key for key in names if key in next(iter(figures["rows"].values()))]
    rows = [
        [label, *(x for key in shown for x in (one[key], _spread(one, key))), len(one["runs"])]
        for label, one in figures["rows"].items()
    ]  # fmt: skip
    header = ["configuration", *(x for key in shown for x in (names[key], "spread")), "seeds"]
    return f"{figures['sentences']} training sentences, dev.\n\n{table(header, rows)}"


def tree_speed(figures: Figures) -> str:
    """Speed and memory of parsers of trees."""
    first = next(iter(figures))
    rows = [
        [label, one["sentences_per_second"], one[f"speed_over_{first}"],
         one.get("beam_10_sentences_per_second"), one.get("beam_10_over_greedy"),
         one.get("training_sentences_per_second"), one.get("peak_memory_gb_1000_words_beam_10")]
        for label, one in figures.items()
    ]  # fmt: skip
    header = ["pipeline", "greedy, sentences/s", f"ratio to {first}", "beam 10, sentences/s",
              "time of beam 10 over greedy", "training, sentences/s",
              "peak memory, 1,000 words under beam 10, GB"]  # fmt: skip
    return table(header, rows)


def ensembles(figures: Figures) -> str:
    """Ensembles of parsers of trees, beside their members."""
    rows = [
        [label, one["const_f"], one["const_exact"], len(one["members"]),
         max(one["members_const_f"]), round(statistics.mean(one["members_const_f"]), 2),
         one["beam_width"]]
        for label, one in figures.items()
    ]  # fmt: skip
    header = ["ensemble", "F1", "exact", "members", "best member's F1", "mean of members", "beam"]
    return f"dev.\n\n{table(header, rows)}"


def tree_details(figures: Figures) -> str:
    """What else the papers report of parsers of trees."""
    heads, *parsers = figures.items()
    of_parsers = dict(parsers)
    lengths = list(dict.fromkeys(n for one in of_parsers.values() for n in one["by_length"]))
    parts = [
        "F1 on dev by sentence length:",
        table(
            ["pipeline", *lengths],
            [
                [label, *(one["by_length"].get(n, {}).get("const_f") for n in lengths)]
                for label, one in of_parsers.items()
            ],
        ),
    ]
    details = {
        "sentences": lambda one: one["constrained"]["sentences"],
        "of them no trees": lambda one: one["constrained"]["not_trees"],
        "F1 on another treebank": lambda one: one.get("other", {}).get("const_f"),
        "which": lambda one: one.get("other", {}).get("treebank"),
        "unconstrained: F1": lambda one: one.get("unconstrained", {}).get("const_f"),
        "malformed": lambda one: one.get("unconstrained", {}).get("malformed outputs"),
        "sentences with attention on one word, %": lambda one: one.get("attention", {}).get(
            "percent_focused"
        ),
        "steps, %": lambda one: one.get("attention", {}).get("percent_of_steps_on_one_word"),
    }
    rows = [[label, *(get(one) for get in details.values())] for label, one in of_parsers.items()]
    agreement = heads[1]
    parts += [
        "Outputs with constraints, another treebank's test part, outputs without constraints "
        "(top-down alone), and probabilistic attention:",
        table(["pipeline", *details], rows),
        f"The head of the rules is that of the right child in {agreement['percent_right_child']} % "
        f"of {agreement['combined_elements']} combined elements of the training part.",
    ]
    return "\n\n".join(parts)


def rescan(figures: Figures) -> str:
    """What the second reading costs."""
    pipelines = figures["pipelines"]
    first = next(iter(pipelines))
    rows = [
        [label, one["sentences_per_second"], one[f"time_over_{first}"],
         one["training"]["words_per_second"], one["peak_memory_gb_1000_words"],
         one["peak_memory_gb_1000_words_update"], one["no_trees"], one["no_trees_untrained"]]
        for label, one in pipelines.items()
    ]  # fmt: skip
    header = ["pipeline", "parsing, sentences/s", f"time over {first}", "training, words/s",
              "peak memory at 1,000 words, GB", "learning, GB", "no trees",
              "no trees, untrained"]  # fmt: skip
    note = f"No trees: of {figures['checked_sentences']} sentences."
    return f"{note}\n\n{table(header, rows)}"


def breakdown(figures: Figures) -> str:
    """Attachment by sentence length, distance of heads and coarse tag."""
    parts = []
    for key, what in (
        ("length", "words of the sentence"),
        ("distance", "words to the right head"),
        ("found", "words to the head that was found"),
        ("pos", "coarse tag"),
    ):
        columns = columns_of(key, figures[key], ["uas", "las"])
        _, *header = columns
        rows = [list(row) for row in zip(*columns.values(), strict=True)]
        parts.append(table([what, *header], rows))
    return "\n\n".join([f"{figures['split']}, without punctuation.", *parts])


SECTIONS: dict[str, tuple[str, Callable[[Figures], str]]] = {
    "accuracy": ("Accuracy", accuracy),
    "speed": ("Speed and memory", speed),
    "tree_speed": ("Speed and memory of parsers of trees", tree_speed),
    "rescan": ("Speed and memory of spa_dep by attention", rescan),
    "length": ("Cost by sentence length", length),
    "beam": ("What a beam adds", beam),
    "breakdown": ("Dependencies by sentence length, distance and coarse tag", breakdown),
    "ablations": ("Ablations", ablations),
    "ensembles": ("Ensembles of parsers of trees", ensembles),
    "tree_details": ("Parsers of trees in detail", tree_details),
    "language_models": ("Language models", language_models),
    "kneser_ney": ("N-grams", kneser_ney),
    "induction": ("Trees found by language models", induction),
    "translation": ("Translation", translation),
    "phrase_memory": ("Memory of phrases", phrase_memory),
    "pyramid": ("Speed of the pyramid", pyramid),
}


def section(path: Path) -> str:
    """One benchmark's part of the page."""
    result = srsly.read_json(path)
    kind, _, name = result["name"].partition("-")
    title, write = SECTIONS[kind]
    versions = ", ".join(f"{k} {v}" for k, v in result["versions"].items())
    machine = result["machine"]
    source = (
        f"`{result['command']}`, commit {result['commit']}, {result['date']}, seed "
        f"{result['seed']}; {machine['cpu']}, {machine['cores']} cores; {versions}."
    )
    picture = f"{path.stem}.svg"
    shown = f"\n![{title}]({picture})\n" if (ROOT / "docs" / picture).exists() else ""
    return f"## {title}: {name}\n\n{write(result['figures'])}\n{shown}\n{source}\n"


def main() -> None:
    """Write the page."""
    order = list(SECTIONS)
    paths = sorted(
        RESULTS.glob("*.json"), key=lambda p: (order.index(p.stem.partition("-")[0]), p.stem)
    )
    head = (
        "# Results\n\nGenerated by `python -m benchmarks.make_results` from "
        "`benchmarks/results/*.json`; do not edit.\n"
    )
    page = "\n".join([head, *(section(path) for path in paths)])
    (ROOT / "docs" / "results.md").write_text(page, encoding="utf8")


if __name__ == "__main__":
    main()
