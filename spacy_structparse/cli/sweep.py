"""`spacy structparse sweep`: training runs over a grid of settings and seeds."""

from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from spacy.cli._util import import_code

from ..engines.on_ray import RayMissingError
from ..engines.tasks import MOST_TRIES, EngineError, Failed, Lost
from ..resuming import ResumeError
from ..sweeps.configs import BaseConfig
from ..sweeps.grid import SweepError, parse_axes
from ..sweeps.plan import make_plan
from ..sweeps.results import Measure
from ..sweeps.runs import Event, Finished, run_folder
from ..sweeps.sweep import Sweep, describe, open_sweep
from ..sweeps.trainer import Trainer
from .app import app
from .config_overrides import config_overrides
from .engines import (
    INTERRUPTED,
    Address,
    Engine,
    EngineName,
    EngineOptions,
    EngineOptionsError,
    NProcess,
    NumCpus,
    NumGpus,
    as_interrupts,
)
from .messages import msg
from .output_checks import check_outputs
from .shared_options import Code, GpuId, ResumingNoClobber
from .sweep_report import print_failures, print_results


@app.command("sweep", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def sweep_cli(
    ctx: typer.Context,
    config: Annotated[Path, typer.Argument(help="Training config", exists=True, dir_okay=False)],
    output: Annotated[
        Path, typer.Argument(metavar="OUTPUT_DIR", help="Folder of the runs", file_okay=False)
    ],
    settings: Annotated[
        list[str],
        typer.Option(
            "--set",
            help="A setting and its values, such as `training.dropout=0.2,0.3`; repeatable. A "
            "value is JSON, or a string, as in `spacy train`. A list is one value: `[1,2],[3]`",
        ),
    ] = [],  # noqa: B006
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds", help="Runs of each setting: with the seeds 0, 1, …", min=1, max=10_000
        ),
    ] = 1,
    score: Annotated[
        str | None,
        typer.Option(
            "--score",
            help="Score to compare by, such as dep_las or another one that training has; by "
            "default the weighted score of `[training.score_weights]`",
        ),
    ] = None,
    lower_is_better: Annotated[
        bool, typer.Option("--lower-is-better", help="The lowest score is the best one")
    ] = False,
    n_process: NProcess = None,
    gpu_id: GpuId = -1,
    engine: EngineName = Engine.local,
    num_cpus: NumCpus = 1.0,
    num_gpus: NumGpus = 0.0,
    address: Address = None,
    code: Code = None,
    no_clobber: ResumingNoClobber = False,
) -> None:
    """Train a config with every combination of some settings, several runs at a time, and compare
    the scores. The same command trains what is missing or has failed.

    Settings that all runs have can be given as in `spacy train`, such as `--paths.train
    train.spacy`. Each run is one of `spacy train`, with one thread, in a folder of its own. In
    OUTPUT_DIR `sweep.json`, `sweep.csv` (a row a setting, with mean and standard deviation over
    seeds) and `runs.csv` (a row a run, with all scores) are written whenever a run ends. More
    values and more seeds can be added later.

    The exit status is 1 if a run has failed, and 130 after an interruption.
    """
    check_outputs(no_clobber, output, filled=True)
    overrides = config_overrides(ctx.args)
    import_code(code)
    engines = EngineOptions(engine, n_process, num_cpus, num_gpus, address, gpu_id)
    try:
        engines.check()
        base = BaseConfig(config, overrides)
        measure = Measure.of(score, base.score_weights, lower_is_better)
        plan = make_plan(base, parse_axes(settings), seeds)
        common = describe(base.settings, plan.files, code)
        with open_sweep(output, plan, measure, common) as sweep:
            absolute_code = None if code is None else code.absolute()
            gpu = engines.gpu_of_a_worker
            trainer = Trainer(output.absolute(), Path.cwd(), absolute_code, gpu)
            _say_what_is_done(sweep)
            # A run that is killed on this machine would be killed again.
            tries = 1 if engine is Engine.local else MOST_TRIES
            with as_interrupts():
                _train(sweep, engines.run(trainer, sweep.missing, most_tries=tries))
    except (SweepError, ResumeError, EngineOptionsError, RayMissingError) as error:
        msg.fail("Nothing was trained", str(error), exits=1)


def _say_what_is_done(sweep: Sweep) -> None:
    done, missing = len(sweep.records), len(sweep.missing)
    of_them = f"{len(sweep.plan.runs)} runs of {len(sweep.plan.points)} settings"
    if done:
        rest = f"training {missing}" if missing else "nothing is missing"
        msg.info(f"{of_them}, of which {done} are finished: {rest}")
    else:
        msg.info(f"{of_them}. Their logs: {run_folder(sweep.output, sweep.plan.runs[0]).parent}")


def _train(sweep: Sweep, events: Generator[Event, None, None]) -> None:
    """Follow an engine to its end, and say what came of it."""
    interrupted = stopped = False
    try:
        with closing(events):
            for event in events:
                _note(sweep, event)
    except EngineError as error:
        stopped = True
        msg.fail("Training stopped", str(error))
    except KeyboardInterrupt:
        interrupted = True
    results = sweep.results
    print_results(results, sweep.measure, sweep.output)
    print_failures(results, sweep.output)
    if sweep.missing:
        msg.info(
            f"{len(sweep.records)} of {len(sweep.plan.runs)} runs are finished: the same command "
            "trains the others"
        )
    if interrupted:
        msg.warn("Interrupted")
        raise typer.Exit(INTERRUPTED)
    if stopped or sweep.missing:
        raise typer.Exit(1)


def _note(sweep: Sweep, event: Event) -> None:
    """Keep what an engine tells, and print it."""
    name = sweep.plan.runs[event.task].name
    if isinstance(event, Finished):
        sweep.finish(event.task, event.record)
        value = sweep.value(event.task)
        shown = f"{sweep.measure.name} {value:.4f}" if value is not None else "no score"
        done = f"{len(sweep.records)} of {len(sweep.plan.runs)} runs"
        msg.good(f"{name}: {shown}, {event.record.seconds:,.0f} s ({done})")
    elif isinstance(event, Failed):
        sweep.fail(event.task, event.message)
        msg.fail(f"{name} failed: {event.message.splitlines()[0]}")
    elif isinstance(event, Lost):
        msg.warn(f"{name} was lost with its process, and is trained again")
