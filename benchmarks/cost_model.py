"""What it costs to parse a corpus with ``parse-corpus``: a model on paper, fitted to one run.

A run takes the time of a start, and then as many rounds as there are shards for each worker:

    seconds = start + ceil(shards / workers) * shard / efficiency
    shard   = seconds_per_shard + seconds_per_word * words / shards

All shards are of one size, and parsing takes a time for each word that does not depend on the size
of the corpus. What is not in the model: disks and networks that are slower than the parser, workers
that are lost, and the checksums of the inputs, which are read once for them.
"""

from dataclasses import asdict, dataclass
from math import ceil

from .record import Figures

HOUR = 3600.0


@dataclass(frozen=True)
class MeasuredRun:
    """A run of the command.

    Attributes:
        workers: Its workers.
        seconds: The time of the whole command.
        shard_seconds: The sum of the times of its shards.
        seconds_between: The mean time between the end of a shard and the start of the next one of
            its worker.
        shards: The number of shards.
        words: Their tokens.
        sentences: Their sentences.
        input_bytes: The size of the inputs.
        output_bytes: The size of the outputs.
    """

    workers: int
    seconds: float
    shard_seconds: float
    seconds_between: float
    shards: int
    words: int
    sentences: int
    input_bytes: int
    output_bytes: int


@dataclass(frozen=True)
class CostModel:
    """The parameters.

    Attributes:
        start_seconds: To start the command and a worker, which both load the pipeline, and to end.
        seconds_per_word: Reading, parsing and writing.
        seconds_per_shard: Between two shards.
        words_per_sentence: Tokens of a sentence.
        input_bytes_per_word: Of the inputs.
        output_bytes_per_word: Of the outputs.
        efficiency: The speed of a worker that is not alone, as a share of that of one that is.
    """

    start_seconds: float
    seconds_per_word: float
    seconds_per_shard: float
    words_per_sentence: float
    input_bytes_per_word: float
    output_bytes_per_word: float
    efficiency: float = 1.0

    @classmethod
    def fit(cls, run: MeasuredRun) -> "CostModel":
        """The model of which a run is an example.

        Args:
            run: A run of one worker.

        Raises:
            ValueError: It had more workers, or parsed nothing.
        """
        if run.workers != 1:
            raise ValueError(f"the model is fitted to a run of one worker, not of {run.workers}")
        if not run.words:
            raise ValueError("the run has parsed no words, so that there is no time of a word")
        between = run.seconds_between * run.shards
        return cls(
            start_seconds=max(0.0, run.seconds - run.shard_seconds - between),
            seconds_per_word=run.shard_seconds / run.words,
            seconds_per_shard=run.seconds_between,
            words_per_sentence=run.words / run.sentences,
            input_bytes_per_word=run.input_bytes / run.words,
            output_bytes_per_word=run.output_bytes / run.words,
        )

    def seconds(self, words: float, shards: int, workers: int = 1) -> float:
        """The time of a run."""
        return self.start_seconds + self._seconds_of_rounds(words, shards, workers) / (
            self.efficiency if workers > 1 else 1.0
        )

    def measured_efficiency(self, run: MeasuredRun) -> float:
        """The efficiency of the workers of a run; never more than 1."""
        alone = self._seconds_of_rounds(run.words, run.shards, run.workers)
        return min(1.0, alone / max(run.seconds - self.start_seconds, 1e-9))

    def _seconds_of_rounds(self, words: float, shards: int, workers: int) -> float:
        shard = self.seconds_per_shard + self.seconds_per_word * words / shards
        return ceil(shards / workers) * shard

    def cost(
        self, sentences: int, cores: int, shard_bytes: float, price_per_core_hour: float
    ) -> "Cost":
        """What a corpus costs on a machine that is paid for from the start to the end of the run.

        Args:
            sentences: The size of the corpus.
            cores: The cores of the machine, each of which has a worker.
            shard_bytes: The size of a shard of the inputs.
            price_per_core_hour: The price of one core for an hour.
        """
        words = sentences * self.words_per_sentence
        input_bytes = words * self.input_bytes_per_word
        shards = max(1, ceil(input_bytes / shard_bytes))
        hours = self.seconds(words, shards, cores) / HOUR
        return Cost(
            sentences=sentences,
            cores=cores,
            shards=shards,
            hours=hours,
            core_hours=hours * cores,
            price=hours * cores * price_per_core_hour,
            input_bytes=input_bytes,
            output_bytes=words * self.output_bytes_per_word,
        )


@dataclass(frozen=True)
class Cost:
    """What a corpus costs.

    Attributes:
        sentences: Its size.
        cores: The cores of the machine.
        shards: The number of files that are written.
        hours: By the clock.
        core_hours: Hours times cores, idle ones too.
        price: In the unit of the price of an hour.
        input_bytes: Of the inputs.
        output_bytes: Of the outputs.
    """

    sentences: int
    cores: int
    shards: int
    hours: float
    core_hours: float
    price: float
    input_bytes: float
    output_bytes: float

    def figures(self) -> Figures:
        """With as many digits as mean something."""
        return rounded(asdict(self), 3)


def rounded(figures: Figures, digits: int) -> Figures:
    """Figures of which those that are no whole numbers have so many digits."""
    return {
        key: float(f"{value:.{digits}g}") if isinstance(value, float) else value
        for key, value in figures.items()
    }


def error_percent(predicted: float, measured: float) -> float:
    """By how much a prediction is too high, in per cent of what was measured."""
    return 100 * (predicted / measured - 1)
