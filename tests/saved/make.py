"""Train small pipelines and save them with their parses, for ``test_saved.py``.

    python -m tests.saved.make [NAME ...]

writes ``data/NAME`` for each pipeline of ``PIPELINES`` that has no folder yet. A folder that exists
is left alone: later code must load it and find the same parses. Delete a folder to make it anew,
which gives up that promise for it. A new setting that changes weights gets a pipeline of its own.
"""

import json
import sys
import tempfile
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_structparse.corpora.convert import convert_treebank
from spacy_structparse.corpora.options import ConversionOptions, TreebankPart
from spacy_structparse.corpora.parallel import create_parallel_corpus_reader
from spacy_structparse.pipeline.ensemble import find_parser, join
from tests.helpers.paths import PARALLEL, SAMPLE
from tests.helpers.saved_outputs import difference, numbers_of, parses_of

DATA = Path(__file__).resolve().parent / "data"
STEPS = {"seq2seq_constituency": 240, "seq2seq_translation": 240}
OTHER_STEPS = 80
RATE = 0.02
JITTER = 1e-3
"""Relative noise on every weight under which a sentence must keep its parse to be used."""
N_JITTERS = 6

WORDS: dict[str, Any] = {
    "@architectures": "spacy-structparse.TokenEmbedding.v1",
    "width": 12,
    "word_width": 8,
    "features": [],
    "feature_rows": [],
    "unk_prob": 0.0,
    "dropout": "none",
}
FEATURES = {**WORDS, "features": ["NORM", "SUFFIX"], "feature_rows": [50, 30], "feature_width": 4}
TAGS = {**WORDS, "use_pos": True, "pos_width": 6}
CHARACTERS = {**WORDS, "char_width": 6, "min_freq": 2}
VECTORS = {**WORDS, "use_vectors": True}
TUNED_VECTORS = {**VECTORS, "tune_vectors": True, "relu": False}
ONLY_WORDS = {**WORDS, "width": 0, "relu": False, "min_freq": 2}
SHARED = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "width": 12,
    "depth": 1,
    "embed_size": 40,
    "window_size": 1,
    "maxout_pieces": 2,
    "subword_features": True,
    "pretrained_vectors": None,
}
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 12, "upstream": "*"}

BASE: dict[str, dict[str, Any]] = {
    "stack_lstm_dep": {
        "hidden_width": 12,
        "hidden_depth": 1,
        "element_width": 12,
        "action_width": 6,
        "state_width": 12,
        "encoder_width": 0,
        "direct": False,
        "exploration": 0.0,
    },
    "spa_dep": {
        "encoder_width": 10,
        "encoder_depth": 1,
        "attention_width": 8,
        "scorer_width": 10,
        "label_width": 8,
        "hidden_width": 12,
    },
    "seq2seq_constituency": {
        "encoder_width": 8,
        "encoder_depth": 1,
        "decoder_width": 12,
        "decoder_depth": 1,
        "action_width": 6,
        "context_width": 12,
        "readout_width": 12,
        "pyramid_width": 8,
    },
    "phrasal_lm": {
        "hidden_width": 12,
        "hidden_depth": 1,
        "phrase_width": 8,
        "attention_width": 8,
        "tok2vec": ONLY_WORDS,
    },
    "seq2seq_translation": {
        "encoder_width": 12,
        "decoder_width": 12,
        "word_width": 8,
        "readout_width": 12,
        "pyramid_width": 8,
        "tok2vec": {**ONLY_WORDS, "min_freq": 1},
    },
}
"""The settings of a small model of each factory."""

Settings = dict[str, Any]
STACK, SPA, TREES = "stack_lstm_dep", "spa_dep", "seq2seq_constituency"
LM, TRANSLATION = "phrasal_lm", "seq2seq_translation"
HEADS = {"linearization": "bottom_up", "attention": "datt-bound-head"}
BOTTOM_UP = {"linearization": "bottom_up", "attention": "datt-bound"}
PROBABILISTIC = {**BOTTOM_UP, "attention": "probabilistic", "encoder_depth": 2}
PIPELINES: dict[str, tuple[str, Settings]] = {
    "stack_torch_direct": (
        STACK,
        {"hidden_depth": 2, "encoder_width": 8, "direct": True, "tok2vec": FEATURES},
    ),
    "stack_paper_root_first": (STACK, {"cell": "paper", "root": "first", "tok2vec": TAGS}),
    "stack_rnn_no_composition": (
        STACK,
        {"cell": "rnn", "composition": False, "encoder_width": 8, "tok2vec": LISTENER},
    ),
    "spa_bot_biaffine": (
        SPA,
        {"attention": "bot", "encoder_depth": 2, "distance": True, "tok2vec": VECTORS},
    ),
    "spa_tob_concat": (SPA, {"attention": "tob", "scorer": "concat", "tok2vec": CHARACTERS}),
    "spa_vanilla_bilinear": (
        SPA,
        {
            "attention": "vanilla",
            "scorer": "bilinear",
            "encoder": "bigru",
            "single_root": False,
            "tok2vec": FEATURES,
        },
    ),
    "spa_none_biaffine": (SPA, {"attention": "none", "encoder": "bigru", "tok2vec": TAGS}),
    "spa_bisru": (
        SPA,
        {"attention": "none", "encoder": "bisru", "encoder_depth": 2, "tok2vec": FEATURES},
    ),
    "spa_transition_bot": (
        SPA,
        {
            "decoder": "transition",
            "attention": "bot",
            "encoder_depth": 2,
            "tok2vec": TUNED_VECTORS,
        },
    ),
    "spa_transition_vanilla": (
        SPA,
        {"decoder": "transition", "attention": "vanilla", "encoder": "bigru", "tok2vec": TAGS},
    ),
    "trees_top_down_none": (
        TREES,
        {
            "linearization": "top_down",
            "attention": "none",
            "encoder": "lstm",
            "encoder_width": 12,
            "encoder_depth": 2,
            "decoder_depth": 2,
            "cell": "paper",
            "readout_width": 0,
            "constrained": False,
            "tok2vec": FEATURES,
        },
    ),
    "trees_top_down_continued": (
        TREES,
        {
            "linearization": "top_down",
            "attention": "probabilistic",
            "encoder": "lstm",
            "encoder_width": 12,
            "encoder_depth": 2,
            "decoder_depth": 2,
            "readout_width": 0,
        },
    ),
    "trees_top_down_probabilistic": (
        TREES,
        {
            "linearization": "top_down",
            "attention": "probabilistic",
            "attention_query": "previous",
            "encoder": "bigru",
            "decoder": "gru",
            "word_actions": "tag",
            "pyramid": "last",
        },
    ),
    "trees_top_down_datt": (
        TREES,
        {
            "linearization": "top_down",
            "attention": "datt-bound",
            "closing_labels": False,
            "tok2vec": TAGS,
        },
    ),
    "trees_bottom_up_datt": (TREES, {**BOTTOM_UP, "encoder": "bigru", "decoder": "gru"}),
    "trees_heads_paper": (
        TREES,
        {**HEADS, "heads": "paper", "encoder": "bigru", "decoder": "gru", "tok2vec": TAGS},
    ),
    "trees_heads_rightmost": (TREES, {**HEADS, "heads": "rightmost", "encoder_depth": 2}),
    "trees_in_order_probabilistic": (
        TREES,
        {
            "linearization": "in_order",
            "attention": "probabilistic",
            "word_actions": "punctuation",
            "decoder_depth": 2,
            "pyramid": "all",
        },
    ),
    "trees_in_order_datt": (
        TREES,
        {
            "linearization": "in_order",
            "attention": "datt-bound",
            "encoder": "lstm",
            "reverse": False,
            "decoder": "gru",
            "decoder_depth": 2,
            "tok2vec": FEATURES,
        },
    ),
    "trees_ensemble": (TREES, {"members": [BOTTOM_UP, PROBABILISTIC]}),
    "lm_none": (LM, {"pyramid": "none"}),
    "lm_words_gru": (LM, {"pyramid": "words", "cell": "gru", "hidden_depth": 2}),
    "lm_lstm_update": (LM, {"pyramid": "lstm", "cell": "update"}),
    "lm_lstm_minimal": (LM, {"pyramid": "lstm", "cell": "minimal", "feed": False}),
    "translation_bigru": (TRANSLATION, {"max_ratio": 1.0}),
    "translation_bilstm_phrases": (
        TRANSLATION,
        {
            "encoder": "bilstm",
            "decoder": "lstm",
            "attention_query": "current",
            "pyramid": "all",
            "max_ratio": 1.0,
        },
    ),
}
"""The factory of each pipeline, and what its model has different from ``BASE``."""


def main(names: list[str]) -> None:
    torch.set_num_threads(1)
    DATA.mkdir(exist_ok=True)
    for name in names or PIPELINES:
        if (DATA / name).exists():
            print(f"{name}: there already")
            continue
        factory, settings = PIPELINES[name]
        gold = _translations() if factory == TRANSLATION else _treebank()
        nlp = _pipeline(factory, settings, gold[:12])
        _save(name, nlp, _specs(factory, gold))


def _pipeline(factory: str, settings: Settings, gold: list[Doc]) -> Language:
    """A pipeline that knows a few sentences by heart."""
    if "members" in settings:
        members = [_pipeline(factory, one, gold) for one in settings["members"]]
        return join([find_parser(str(i), nlp) for i, nlp in enumerate(members)])
    fix_random_seed(1)
    nlp = _blank("de" if factory == TRANSLATION else "en")
    model = {"tok2vec": WORDS, "bfloat16": False, **BASE[factory], **settings}
    config = {"decoder": model.pop("decoder")} if model.get("decoder") == "transition" else {}
    if factory == LM:
        config["min_freq"] = ONLY_WORDS["min_freq"]
    if model["tok2vec"] == LISTENER:
        nlp.add_pipe("tok2vec", config={"model": SHARED})
    if model["tok2vec"].get("use_vectors"):
        words = sorted({token.text for doc in gold for token in doc})
        vectors = np.random.RandomState(1).normal(size=(len(words), 6)).astype("float32")
        for word, vector in zip(words, vectors, strict=True):
            nlp.vocab.set_vector(word, vector)
    nlp.add_pipe(factory, config={**config, "model": model})
    examples = [Example(_bare(nlp, doc), _own(nlp, doc)) for doc in gold]
    nlp.initialize(lambda: examples)
    optimizer = nlp.create_optimizer()
    optimizer.learn_rate = RATE
    for _ in range(STEPS.get(factory, OTHER_STEPS)):
        losses: dict[str, float] = {}
        nlp.update(examples, sgd=optimizer, losses=losses, drop=0.0)
    print(f"{factory}: loss {losses[factory]:.4f}", end="; ")
    return nlp


def _save(name: str, nlp: Language, specs: list[dict[str, Any]]) -> None:
    """Save a pipeline with its parses of those docs whose parses small changes do not alter."""
    data = nlp.to_bytes()
    parses = parses_of(nlp, specs)
    steady = np.ones(len(specs), dtype=bool)
    for seed in range(N_JITTERS):
        _jitter(nlp, seed)
        for search, found in parses_of(nlp, specs).items():
            pairs = zip(found, parses[search], strict=True)
            steady &= [_shape(one) == _shape(other) for one, other in pairs]
        nlp.from_bytes(data)
    kept = [spec for spec, keep in zip(specs, steady, strict=True) if keep]
    nlp.to_disk(DATA / name)
    loaded = spacy.load(DATA / name)
    expected = {"docs": kept, "parses": parses_of(loaded, kept), **numbers_of(loaded, kept)}
    again = [one for one, keep in zip(parses["greedy"], steady, strict=True) if keep]
    assert difference(expected["parses"]["greedy"], again) is None
    lines = json.dumps(_rounded(expected), ensure_ascii=False)
    (DATA / name / "expected.json").write_text(lines + "\n", encoding="utf-8")
    size = sum(path.stat().st_size for path in (DATA / name).rglob("*") if path.is_file())
    print(f"{name}: {len(kept)} of {len(specs)} docs steady, {size / 1000:.0f} kB")


def _jitter(nlp: Language, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for _, pipe in nlp.components:
        for node in pipe.model.walk():
            for shim in node.shims:
                for parameter in shim._model.parameters():
                    noise = torch.randn(parameter.shape, generator=generator)
                    with torch.no_grad():
                        parameter.mul_(1 + JITTER * noise)


def _shape(parse: Any) -> Any:
    """A parse without its floats, which any change of a weight alters."""
    if isinstance(parse, dict):
        return {key: _shape(value) for key, value in parse.items()}
    if isinstance(parse, list):
        return [_shape(value) for value in parse]
    return None if isinstance(parse, float) else parse


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return round(value, 6) if isinstance(value, float) else value


def _blank(lang: str) -> Language:
    """A pipeline without tokenizer rules, which are large: docs are made of words."""
    nlp = spacy.blank(lang)
    tokenizer: Any = nlp.tokenizer
    tokenizer.rules = {}
    for what in ("prefix_search", "suffix_search", "infix_finditer", "token_match", "url_match"):
        setattr(tokenizer, what, None)
    return nlp


def _treebank() -> list[Doc]:
    """Short sentences of the sample treebank, one a doc: the first half of them for training."""
    docs = []
    for part in ("train", "dev"):
        files = TreebankPart(conllu=SAMPLE / f"{part}.conllu", brackets=SAMPLE / f"{part}.ptb")
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "docs.spacy"
            convert_treebank([files], output, ConversionOptions(n_sents=1))
            read = DocBin().from_disk(output).get_docs(spacy.blank("en").vocab)
            docs += [doc for doc in read if 4 <= len(doc) <= 9][:12]
    return docs


def _translations() -> list[Doc]:
    """Pairs of the sample of parallel text, as German docs with translations."""
    nlp = _blank("de")
    docs = []
    for part in ("train", "dev"):
        files = (PARALLEL / f"{part}.{lang}" for lang in ("de", "en"))
        examples = islice(create_parallel_corpus_reader(*files)(nlp), 12)
        docs += [one.reference for one in examples]
    return docs


def _specs(factory: str, gold: list[Doc]) -> list[dict[str, Any]]:
    """Sentences of training, others, a doc of two with whitespace, a word, and a longer text."""
    specs = [_spec([doc]) for doc in (*gold[:5], *gold[12:16])]
    specs += [_spec(gold[5:7], space=True), _spec([gold[7]], first=1), _spec(gold[8:11])]
    return specs


def _spec(docs: list[Doc], space: bool = False, first: int = 0) -> dict[str, Any]:
    """The words, tags and sentence starts of docs. space: with whitespace between them. first:
    how many words; 0 for all."""
    words, tags, starts = [], [], []
    for i, doc in enumerate(docs):
        part = doc[: first or len(doc)]
        words += [*["\n"] * (space and i > 0), *(token.text for token in part)]
        tags += [*["_SP"] * (space and i > 0), *(token.tag_ for token in part)]
        starts += [*[False] * (space and i > 0), *(token.i == 0 for token in part)]
    spec: dict[str, Any] = {"words": words}
    if any(tags):
        spec["tags"] = tags
    if len(docs) > 1:
        spec["sent_starts"] = starts
    return spec


def _bare(nlp: Language, doc: Doc) -> Doc:
    tags = [token.tag_ for token in doc]
    return Doc(nlp.vocab, words=[token.text for token in doc], tags=tags if any(tags) else None)


def _own(nlp: Language, doc: Doc) -> Doc:
    """A gold doc in the vocabulary of a pipeline."""
    return Doc(nlp.vocab).from_bytes(doc.to_bytes())


if __name__ == "__main__":
    main(sys.argv[1:])
