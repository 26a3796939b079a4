"""Data for training: predicted tags (`jackknife`), parallel text (`parallel`), and inputs of word
embeddings: pretrained `vectors`, and a `vocabulary` of the training data."""

from pathlib import Path
from typing import Annotated, Literal

import spacy
import typer
from spacy.cli._util import import_code, parse_config_overrides, show_validation_error
from spacy.tokens import DocBin
from spacy.vectors import Vectors

from ..corpora.docbins import read_docs
from ..corpora.jackknife import FoldTags, jackknife_tags
from ..corpora.parallel import create_parallel_corpus_reader
from ..files import write_atomically
from ..models.vocabulary import count_vocabulary
from ..training.atomic_to_disk import check_replaceable, save_atomically
from ..training.skipgram import SkipgramSettings, train_structured_skipgram
from ..training.word_vectors import read_sentences, text_files
from .app import PLUMBING, TRAIN, app
from .loading import choose_device
from .messages import Messages, msg
from .output_checks import check_outputs, docbins_of, save_json
from .progress import progress_bar
from .shared_options import Code, Docbins, GpuId, NoClobber, Quiet, Seed, count, existing_file


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


@app.command("vectors", rich_help_panel=TRAIN)
def vectors_cli(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            help="Text files (a sentence a line, spaces between tokens), .spacy files, or folders "
            "of .txt and .spacy files"
        ),
    ],
    output: Annotated[Path, typer.Argument(help="The pipeline folder to write", file_okay=False)],
    dim: Annotated[int, count("Width of the vectors", most=10_000)] = 100,
    window: Annotated[int, count("Words to either side")] = 5,
    negative: Annotated[int, count("Wrong words per word", most=10_000)] = 10,
    epochs: Annotated[int, count("Times through the text", most=10_000)] = 5,
    min_count: Annotated[int, count("Rarer words get no vector", most=10**9)] = 2,
    lang: Annotated[str, typer.Option("--lang", "-l", help="The pipeline's language")] = "en",
    seed: Seed = 0,
    quiet: Quiet = False,
    no_clobber: NoClobber = False,
) -> None:
    """Train word vectors.

    OUTPUT is a pipeline without components, to be named as `--paths.vectors` in `spacy train`
    (the setting `vectors` in [initialize]), for embeddings with `use_vectors = true`.
    """
    check_outputs(no_clobber, output)
    settings = SkipgramSettings(
        dim=dim, window=window, negative=negative, epochs=epochs, min_count=min_count, seed=seed
    )
    nlp = spacy.blank(lang)
    check_replaceable(output, inputs)
    files = text_files(inputs)
    with progress_bar("words", desc="Words read", hidden=quiet) as bar:
        words, vectors = train_structured_skipgram(read_sentences(files), settings, bar.update)
    keys = list(map(nlp.vocab.strings.add, words))
    name = f"{lang}_pipeline.vectors"
    nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=vectors, keys=keys, name=name)
    save_atomically(nlp, output)
    Messages(no_print=quiet).good(f"{output}: {len(words)} vectors of width {dim}")


@app.command("vocabulary", rich_help_panel=PLUMBING, hidden=True)
def vocabulary_cli(
    train: Docbins,
    output: Annotated[Path, typer.Argument(help="The JSON file to write", dir_okay=False)],
    pos_attr: Annotated[
        Literal["TAG", "POS"], typer.Option("--pos-attr", help="The embedding's setting pos_attr")
    ] = "TAG",
    no_clobber: NoClobber = False,
) -> None:
    """Write the vocabulary that TokenEmbedding needs inside a shared tok2vec component.

    A component sees only ten docs when it is initialized; the file holds the words and tags of
    all of them. Name it in the setting `vocabulary` of spacy-structparse.TokenEmbedding.v1.
    """
    check_outputs(no_clobber, output, inputs=docbins_of(train))
    docs = read_docs(train, spacy.blank("xx").vocab, spans=False)
    vocabulary = count_vocabulary(docs, pos_attr)
    if not vocabulary["words"]:
        raise ValueError(f"{train} has no words")
    if not vocabulary["tags"]:
        msg.warn(f"No token has a {pos_attr}: the file serves an embedding without use_pos only")
    save_json(output, vocabulary)
    msg.good(f"{output}: {len(vocabulary['words'])} words, {len(vocabulary['tags'])} tags")
