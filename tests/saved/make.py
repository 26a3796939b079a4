"""Train a small pipeline and save it with its parses, for ``test_saved.py``.

    python -m tests.saved.make NAME CONFIG

writes ``data/NAME``: a pipeline that knows a few sentences by heart. Take the config of a pipeline
in ``data`` and change its model. A folder that exists is left alone: later code must load it and
find the same parses.
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
from spacy.util import fix_random_seed, load_config, load_model_from_config

from spacy_structparse.corpora.convert import convert_treebank
from spacy_structparse.corpora.options import ConversionOptions, TreebankPart
from spacy_structparse.corpora.parallel import create_parallel_corpus_reader
from tests.helpers.paths import PARALLEL, SAMPLE
from tests.helpers.saved_outputs import difference, numbers_of, parses_of

DATA = Path(__file__).resolve().parent / "data"
STEPS = {"seq2seq_constituency": 240, "seq2seq_translation": 240}
OTHER_STEPS = 80
RATE = 0.02
JITTER = 1e-3
"""Relative noise on every weight under which a sentence must keep its parse to be used."""
N_JITTERS = 6


def main(name: str, config: str) -> None:
    if (DATA / name).exists():
        raise SystemExit(f"{DATA / name} is there already")
    torch.set_num_threads(1)
    fix_random_seed(1)
    nlp = _without_rules(load_model_from_config(load_config(config), auto_fill=True))
    gold = _translations() if nlp.lang == "de" else _treebank()
    _train(nlp, gold[:12])
    _save(name, nlp, _specs(gold))


def _train(nlp: Language, gold: list[Doc]) -> None:
    """Update a pipeline until it knows the sentences by heart."""
    factory = nlp.get_pipe_meta(nlp.pipe_names[-1]).factory
    words = sorted({token.text for doc in gold for token in doc})
    if "use_vectors = true" in nlp.config.to_str():
        vectors = np.random.RandomState(1).normal(size=(len(words), 6)).astype("float32")
        for word, vector in zip(words, vectors, strict=True):
            nlp.vocab.set_vector(word, vector)
    examples = [Example(_bare(nlp, doc), _own(nlp, doc)) for doc in gold]
    nlp.initialize(lambda: examples)
    optimizer = nlp.create_optimizer()
    optimizer.learn_rate = RATE
    for _ in range(STEPS.get(factory, OTHER_STEPS)):
        losses: dict[str, float] = {}
        nlp.update(examples, sgd=optimizer, losses=losses, drop=0.0)
    print(f"{factory}: loss {losses[nlp.pipe_names[-1]]:.4f}", end="; ")


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


def _without_rules(nlp: Language) -> Language:
    """Take away the rules of the tokenizer, which are large: docs are made of words."""
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
    nlp = _without_rules(spacy.blank("de"))
    docs = []
    for part in ("train", "dev"):
        files = (PARALLEL / f"{part}.{lang}" for lang in ("de", "en"))
        examples = islice(create_parallel_corpus_reader(*files)(nlp), 12)
        docs += [one.reference for one in examples]
    return docs


def _specs(gold: list[Doc]) -> list[dict[str, Any]]:
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
    main(*sys.argv[1:])
