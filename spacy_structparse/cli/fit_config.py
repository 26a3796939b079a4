"""`spacy structparse fit-config`: a training config for the size of a treebank."""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer
from confection import Config
from spacy import util
from spacy.cli._util import import_code
from spacy.vocab import Vocab

from ..corpora.docbins import read_docs
from ..files import write_atomically
from .app import PLUMBING, app
from .loading import choose_device
from .messages import msg
from .output_checks import check_outputs, docbins_of, refuse_inputs
from .shared_options import Code, GpuId, NoClobber
from .training_time import estimate_training
from .treebank_size import FULL_SIZE, settings_for_size


@dataclass(frozen=True)
class FittedConfig:
    """A training config for the size of a treebank.

    Attributes:
        config: The config, not interpolated.
        train: The training part.
        lengths: The number of words in each of its Docs.
        changes: The settings that were changed.
    """

    config: Config
    train: Path
    lengths: list[int]
    changes: dict[str, Any]

    @classmethod
    def of(cls, config: Config, train: Path, small: int = FULL_SIZE) -> "FittedConfig":
        """Change a config for a treebank, if that has fewer words than `small`."""
        lengths = [len(doc) for doc in read_docs(train, Vocab(), spans=False)]
        changes = settings_for_size(config, sum(lengths), len(lengths), small)
        for name, value in changes.items():
            *sections, key = name.split(".")
            section = config
            for part in sections:
                section = section[part]
            section[key] = value
        return cls(config, train, lengths, changes)

    def report(self, estimate: bool) -> None:
        """Print what was changed, and an estimate of the training time."""
        listed = ", ".join(f"{name} = {value}" for name, value in self.changes.items())
        msg.good(f"Fitted to {sum(self.lengths):,} words: {listed or 'unchanged'}")
        if not estimate:
            return
        try:
            time = estimate_training(self.config, self.train, self.lengths)
        except Exception as error:  # any component of the config may refuse this treebank
            msg.warn("No estimate of the training time", str(error))
            return
        msg.info(f"Estimate: {time}")


@app.command("fit-config", rich_help_panel=PLUMBING, hidden=True)
def fit_config_cli(
    config: Annotated[Path, typer.Argument(help="A training config", exists=True, dir_okay=False)],
    train: Annotated[Path, typer.Argument(help="The .spacy file to train on", exists=True)],
    output: Annotated[Path, typer.Argument(help="The config to write", dir_okay=False)],
    small: Annotated[
        int,
        typer.Option(
            "--small",
            help="Shorten the training for treebanks of fewer words than this",
            min=1,
            max=1_000_000_000,
        ),
    ] = FULL_SIZE,
    estimate: Annotated[
        bool,
        typer.Option(
            "--estimate/--no-estimate",
            help="Time a few updates on this machine, and print an estimate of the training time",
        ),
    ] = True,
    code: Code = None,
    use_gpu: GpuId = -1,
    no_clobber: NoClobber = False,
) -> None:
    """Write a config that suits the size of a treebank, as `init-config --data` does.

    The shipped configs suit treebanks of 100,000 words and more. The smaller a treebank is, the
    shorter are training, warm-up and patience, which grow with a power of the number of words. In
    the smallest, of less than twelve batches, batches are smaller too. A phrasal_lm takes words
    that occur once as the unknown word, since its vocabulary would otherwise hold all words. A
    decaying.v1 learning rate decays by the same share in an epoch of any treebank.
    """
    check_outputs(no_clobber, output)
    refuse_inputs(chain([config], docbins_of(train)), output)
    choose_device(use_gpu)
    import_code(code)
    fitted = FittedConfig.of(util.load_config(config), train, small)
    write_atomically(output, fitted.config.to_str().encode("utf-8"))
    msg.good(f"{output}: {config} fitted to {train}")
    fitted.report(estimate)
