"""Data for training: predicted tags (`jackknife`) and parallel text (`parallel`)."""

from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.cli._util import import_code, parse_config_overrides, show_validation_error
from spacy.tokens import DocBin

from ..corpora.jackknife import FoldTags, jackknife_tags
from ..corpora.parallel import create_parallel_corpus_reader
from ..files import write_atomically
from .app import PLUMBING, app
from .loading import choose_device
from .messages import msg
from .output_checks import check_outputs
from .shared_options import Code, GpuId, NoClobber, Seed, existing_file


@app.command(
    "jackknife",
    rich_help_panel=PLUMBING,
    hidden=True,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def jackknife_cli(
    ctx: typer.Context,
    corpus: Annotated[Path, existing_file(".spacy file with gold tags")],
    output: Annotated[
        Path,
        typer.Argument(
            help="The .spacy file to write: the same docs, tags predicted", dir_okay=False
        ),
    ],
    config: Annotated[Path, existing_file("Training config of a tagger", "--config", "-c")],
    folds: Annotated[
        int, typer.Option("--folds", "-k", help="Number of folds", min=2, max=1000)
    ] = 10,
    seed: Seed = 0,
    code: Code = None,
    use_gpu: GpuId = -1,
    no_clobber: NoClobber = False,
) -> None:
    """Predict the tags of training data.

    A parser trained on gold tags stumbles over predicted ones, so each fold of the corpus is tagged
    by a tagger trained on the other folds. Give OUTPUT as `tags` to the reader
    spacy-structparse.Corpus.v1 of the parser's training corpus. Config values can be set as in
    spacy train (--training.max_steps 1000).
    """
    check_outputs(no_clobber, output, inputs=[corpus, config])
    overrides = parse_config_overrides(ctx.args)
    import_code(code)
    choose_device(use_gpu)

    def report(fold: int, result: FoldTags) -> None:
        msg.good(f"fold {fold + 1}/{folds}: tag accuracy {100 * result.accuracy:.2f}")

    with show_validation_error(config):
        results = jackknife_tags(
            corpus,
            output,
            config,
            folds=folds,
            seed=seed,
            overrides=overrides,
            use_gpu=use_gpu,
            on_fold=report,
        )
    correct = sum(result.n_correct for result in results)
    tokens = sum(result.n_tokens for result in results)
    msg.good(f"{output}: {tokens} tokens, tag accuracy {100 * correct / tokens:.2f}")


@app.command("parallel", rich_help_panel=PLUMBING, hidden=True)
def parallel_cli(
    source: Annotated[Path, typer.Argument(help="Text file, a sentence a line")],
    target: Annotated[Path, typer.Argument(help="Text file of its translations, line by line")],
    output: Annotated[Path, typer.Argument(help="The .spacy file to write", dir_okay=False)],
    lang: Annotated[
        str, typer.Option("--lang", "-l", help="Language whose tokenizer splits the source")
    ] = "xx",
    no_clobber: NoClobber = False,
) -> None:
    """Convert parallel text to Docs whose `doc._.translation` is known.

    To write the DocBin again, read it with store_user_data=True.
    """
    check_outputs(no_clobber, output, inputs=[source, target])
    docs = DocBin(store_user_data=True)
    for example in create_parallel_corpus_reader(source, target)(spacy.blank(lang)):
        docs.add(example.reference)
    if not len(docs):
        raise ValueError(f"{source} and {target} have no pair of lines")
    write_atomically(output, docs.to_bytes())
    msg.good(f"{output}: {len(docs)} pairs")
