"""Tables of the cost model of large corpora."""

from ..record import Figures
from .markdown import Cell, fixed, significant, table

GIGABYTE, MEGABYTE = 1e9, 1e6


def cost_table(figures: Figures) -> str:
    """What corpora cost, by pipeline, size and machine.

    Args:
        figures: Those of ``corpus_cost``.
    """
    rows: list[list[Cell]] = []
    formats: list[str] = []
    for label, one in figures["pipelines"].items():
        formats = list(one["models"])
        rows += [
            [
                f"`{label}`",
                f"{cost['sentences']:,}",
                cost["cores"],
                *(significant(cost[key]) for key in ("hours", "core_hours", "price")),
                *(
                    significant(size / GIGABYTE)
                    for size in (
                        cost["input_bytes"],
                        *(cost["output_bytes"][style] for style in formats),
                    )
                ),
                cost["shards"],
            ]
            for cost in one["costs"]
        ]
    price = f"price at {figures['price_per_core_hour']:g} a core-hour"
    outputs = [f"{style}, GB" for style in formats]
    header = ["pipeline", "sentences", "cores", "hours", "core-hours", price]
    shards = f"shards of {figures['shard_bytes'] / MEGABYTE:g} MB"
    return table([*header, "input, GB", *outputs, shards], rows)


def parameter_table(figures: Figures) -> str:
    """The parameters of the models."""
    rows: list[list[Cell]] = [
        [
            f"`{label}`",
            one["version"],
            style,
            fixed(model["start_seconds"], 1),
            fixed(1e6 * model["seconds_per_word"], 1),
            fixed(1e3 * model["seconds_per_shard"], 1),
            fixed(model["words_per_sentence"], 1),
            fixed(model["input_bytes_per_word"]),
            fixed(model["output_bytes_per_word"]),
            fixed(model["efficiency"]),
        ]
        for label, one in figures["pipelines"].items()
        for style, model in one["models"].items()
    ]
    header = [
        "pipeline", "version", "format", "start, s", "µs a word", "ms between shards",
        "words a sentence", "bytes read a word", "bytes written a word", "efficiency of workers",
    ]  # fmt: skip
    return table(header, rows)


def check_table(figures: Figures) -> str:
    """Runs that the models have predicted."""
    rows: list[list[Cell]] = [
        [
            f"`{label}`",
            run["workers"],
            run["words"],
            run["shards"],
            fixed(run["predicted_seconds"], 1),
            fixed(run["seconds"], 1),
            fixed(run["error_percent"], 1),
        ]
        for label, one in figures["pipelines"].items()
        for run in one["checks"]
    ]
    header = ["pipeline", "workers", "words", "shards", "predicted, s", "measured, s", "error, %"]
    return table(header, rows)
