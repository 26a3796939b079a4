"""Jackknifed tags: every part of a corpus tagged by a tagger trained on the other parts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy
import spacy
from spacy.attrs import POS, TAG
from spacy.language import DEFAULT_CONFIG
from spacy.tokens import DocBin
from spacy.training.initialize import init_nlp
from spacy.training.loop import DIR_MODEL_BEST, train
from spacy.util import load_config, load_model_from_config
from thinc.api import Config

from ..errors import ReadError
from ..files import write_atomically
from .docbins import load_docbin, subset_of
from .pipeline_outputs import predicted_columns, words_alone

# One in so many of the docs a tagger could learn from tells it when to stop.
DEV_EVERY = 20


@dataclass(frozen=True, slots=True)
class FoldTags:
    """The tokens of one fold: how many there are, how many got a tag, and how many the gold one."""

    n_tokens: int
    n_tagged: int
    n_correct: int

    @property
    def accuracy(self) -> float:
        """Share of tokens whose predicted tag is the gold one, 0 to 1."""
        return self.n_correct / self.n_tokens if self.n_tokens else 0.0


def jackknife_tags(
    corpus: Path,
    output: Path,
    config_path: Path,
    *,
    folds: int = 10,
    seed: int = 0,
    overrides: dict[str, Any] | None = None,
    use_gpu: int = -1,
    on_fold: Callable[[int, FoldTags], None] | None = None,
) -> list[FoldTags]:
    """Write `corpus` to `output` with predicted instead of gold `tag_` and `pos_`.

    The Docs are cut into `folds` runs of about as many tokens (runs, since neighbouring sentences
    share their text's words). The pipeline of `config_path`, trained by spaCy's own loop on the
    other folds, one in 20 of whose Docs serve for evaluation, tags each; all other annotation
    stays gold, and a `pos_` that the pipeline does not predict becomes empty. The result is
    meant as `tags` of `spacy-structparse.Corpus.v1`.

    `overrides` are config values by dotted name, as in `spacy train`. `on_fold` is called with
    every fold's number and tags. Raises `ReadError` for a corpus without tags or with fewer
    Docs than folds, for a config without `[corpora.train]` and `[corpora.dev]` or without a
    component that can assign tags, and for a fold without any predicted tag. Settings that a
    section or a component does not have are an error.
    """
    docs = load_docbin(corpus)
    bounds = fold_bounds([len(tokens) for tokens in docs.tokens], folds)
    tags = docs.attrs.index(TAG) if TAG in docs.attrs else None
    if tags is None or not any(tokens[:, tags].any() for tokens in docs.tokens):
        raise ReadError(f"{corpus} has no tags to train a tagger on: convert a treebank with tags")
    if taken := {"training.seed", "system.seed"} & set(overrides or {}):
        raise ReadError(f"--{min(taken)} is given, and jackknife sets it: use --seed")
    for name in overrides or {}:
        section, _, setting = name.rpartition(".")
        # spaCy passes over what its own sections do not have.
        if section in ("nlp", "training") and setting not in DEFAULT_CONFIG[section]:
            raise ReadError(f"--{name}: spaCy's section [{section}] has no such setting")
    config = load_config(config_path, overrides or {}, interpolate=False)
    _check_config(config, config_path)
    results = []
    tagged = DocBin()
    tagged.attrs = [*docs.attrs, *{TAG, POS}.difference(docs.attrs)]
    for fold, (start, end) in enumerate(bounds):
        with TemporaryDirectory() as work:
            result = _tag_fold(docs, range(start, end), tagged, config, Path(work), seed, use_gpu)
        if result.n_tokens and not result.n_tagged:
            raise ReadError(
                f"The pipeline of {config_path} predicted no tags (token.tag) in fold {fold + 1}: "
                "is a component in it a tagger, and was it trained?"
            )
        results.append(result)
        if on_fold is not None:
            on_fold(fold, result)
    tagged.store_user_data, tagged.user_data = any(docs.user_data), docs.user_data
    write_atomically(output, tagged.to_bytes())
    return results


def fold_bounds(lengths: Sequence[int], folds: int) -> list[tuple[int, int]]:
    """(start, end) of `folds` runs of Docs with about as many tokens each, none without a Doc."""
    if not 2 <= folds <= len(lengths):
        raise ReadError(
            f"{folds} folds of {len(lengths)} docs: there must be at least 2 folds, and as many "
            "docs as folds (convert with --n-sents 1 for more docs)"
        )
    total, fold = numpy.cumsum(lengths), numpy.arange(1, folds)
    ends = numpy.searchsorted(total, total[-1] * fold / folds) + 1
    # One Doc at least goes to each fold.
    ends = numpy.maximum.accumulate(ends - fold) + fold
    ends = numpy.minimum(ends, len(lengths) - folds + fold)
    return list(pairwise([0, *ends.tolist(), len(lengths)]))


def _check_config(config: Config, path: Path) -> None:
    for part in ("train", "dev"):
        if "path" not in config.get("corpora", {}).get(part, {}):
            raise ReadError(
                f"The config {path} has no [corpora.{part}] with a path, which each fold sets"
            )
    nlp = load_model_from_config(config, auto_fill=True)
    # Components that declare nothing, such as attribute_ruler, may assign tags.
    open_ended = any(not nlp.get_pipe_meta(name).assigns for name in nlp.pipe_names)
    if "XPOS" not in predicted_columns(nlp) and not open_ended:
        raise ReadError(
            f"The config {path} has no component that assigns tags (token.tag), and the output "
            f"would have none. Its pipeline has {', '.join(nlp.pipe_names) or 'no components'}: "
            "add a tagger"
        )


def _tag_fold(
    docs: DocBin,
    held_out: range,
    tagged: DocBin,
    config: Config,
    work: Path,
    seed: int,
    use_gpu: int,
) -> FoldTags:
    """Train on all Docs but `held_out`, and add these to `tagged` with predicted tags."""
    (work / "model").mkdir()
    others = [index for index in range(len(docs)) if index not in held_out]
    dev = others[DEV_EVERY // 2 :: DEV_EVERY] or others[-1:]
    chosen = set(dev)
    train_part = [index for index in others if index not in chosen] or others
    config = config.copy()
    for part, indices in (("train", train_part), ("dev", dev)):
        subset_of(docs, indices).to_disk(work / f"{part}.spacy")
        config["corpora"][part]["path"] = str(work / f"{part}.spacy")
    config["training"]["seed"] = seed
    if "seed" in config.get("system", {}):
        config["system"]["seed"] = seed
    train(init_nlp(config, use_gpu=use_gpu), work / "model", use_gpu=use_gpu)
    nlp = spacy.load(work / "model" / DIR_MODEL_BEST)
    gold = list(subset_of(docs, held_out).get_docs(nlp.vocab))
    n_tagged = n_correct = 0
    for reference, predicted in zip(gold, nlp.pipe(map(words_alone, gold)), strict=True):
        for token, other in zip(reference, predicted, strict=True):
            n_tagged += other.tag != 0
            n_correct += other.tag == token.tag
            token.tag_, token.pos_ = other.tag_, other.pos_
        tagged.add(reference)
    return FoldTags(sum(map(len, gold)), n_tagged, n_correct)
