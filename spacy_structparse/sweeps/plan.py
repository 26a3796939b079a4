"""The plan of a sweep: all runs, whose configs are composed and checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..resuming import files_of
from .configs import BaseConfig, ConfigCheck
from .grid import Axis, Point, make_grid
from .runs import Run


@dataclass(frozen=True)
class Plan:
    """What there is to train.

    Attributes:
        points: The settings.
        runs: The runs of all of them, one for each seed.
        files: The files and folders that their configs name.
    """

    points: Sequence[Point]
    runs: Sequence[Run]
    files: Sequence[Path]


def make_plan(base: BaseConfig, axes: Sequence[Axis], seeds: int) -> Plan:
    """Compose and check the configs of all runs.

    Args:
        base: The config that they have in common.
        axes: The settings and their values.
        seeds: The number of runs of each setting, with the seeds from 0 on.

    Raises:
        SweepError: A setting is not there, or a config cannot be trained.
    """
    base.check_axes(axes)
    check = ConfigCheck()
    points = make_grid(axes)
    runs: list[Run] = []
    files: dict[Path, None] = {}
    for point in points:
        configs = [base.compose(point, seed) for seed in range(seeds)]
        check.check(point.text or str(base.path), configs[0])
        files.update(dict.fromkeys(files_of(configs[0])))
        for seed, config in enumerate(configs):
            text = config.to_str(interpolate=False)
            runs.append(Run(len(runs), point.run_name(seed), point.settings, seed, text))
    return Plan(points, runs, list(files))
