"""Train a small pipeline and save it with its parses, for ``test_saved.py``.

    python -m tests.saved.make NAME CONFIG

writes ``data/NAME``: a pipeline that knows a few sentences by heart. Take the config of a pipeline
in ``data`` and change its model. A folder that exists is left alone: later code must load it and
find the same parses.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed, load_config, load_model_from_config
from spacy.vocab import Vocab

from tests.helpers.parsed_shards import sample_docs
from tests.helpers.saved_outputs import difference, docs_of, numbers_of, parses_of
from tests.helpers.small_parser import train
from tests.helpers.small_translator import pairs

DATA = Path(__file__).resolve().parent / "data"
STEPS = {"seq2seq_constituency": 240, "seq2seq_translation": 240}
OTHER_STEPS = 80
RATE = 0.02
JITTER = 1e-3
"""Relative noise on every weight under which a sentence must keep its parse to be used."""
N_JITTERS = 6


def main(name: str, config: str) -> None:
    folder = DATA / name
    if folder.exists():
        raise SystemExit(f"{folder} is there already")
    torch.set_num_threads(1)
    fix_random_seed(1)
    nlp = without_rules(load_model_from_config(load_config(config), auto_fill=True))
    gold = [doc for part in ("train", "dev") for doc in gold_docs(nlp.lang, part)]
    learn_by_heart(nlp, gold[:12])
    specs = steady(nlp, specs_of(gold))
    nlp.to_disk(folder)
    loaded = spacy.load(folder)
    expected = {"docs": specs, "parses": parses_of(loaded, specs), **numbers_of(loaded, specs)}
    assert difference(expected["parses"], parses_of(nlp, specs)) is None
    lines = json.dumps(mapped(expected, lambda x: round(x, 6)), ensure_ascii=False)
    (folder / "expected.json").write_text(lines + "\n", encoding="utf-8")
    print(f"{name}: {len(specs)} docs keep their parse under changes")


def without_rules(nlp: Language) -> Language:
    """Take away the rules of the tokenizer, which are large: docs are made of words."""
    tokenizer: Any = nlp.tokenizer
    tokenizer.rules = {}
    for what in ("prefix_search", "suffix_search", "infix_finditer", "token_match", "url_match"):
        setattr(tokenizer, what, None)
    return nlp


def gold_docs(lang: str, part: str) -> list[Doc]:
    """Short sentences of the sample treebank, one a doc, or German docs with translations."""
    if lang == "de":
        return [pair.reference for pair in pairs(without_rules(spacy.blank("de")), 12, part)]
    return [doc for doc in sample_docs(Vocab(), 1, part) if 4 <= len(doc) <= 9][:12]


def learn_by_heart(nlp: Language, gold: list[Doc]) -> None:
    words = sorted({token.text for doc in gold for token in doc})
    if "use_vectors = true" in nlp.config.to_str():
        vectors = np.random.RandomState(1).normal(size=(len(words), 6)).astype("float32")
        for word, vector in zip(words, vectors, strict=True):
            nlp.vocab.set_vector(word, vector)
    docs = docs_of(nlp.vocab, [spec_of([doc]) for doc in gold])
    examples = [
        Example(bare, Doc(nlp.vocab).from_bytes(doc.to_bytes()))
        for bare, doc in zip(docs, gold, strict=True)
    ]
    nlp.initialize(lambda: examples)
    factory = nlp.get_pipe_meta(nlp.pipe_names[-1]).factory
    train(nlp, examples, STEPS.get(factory, OTHER_STEPS), RATE, drop=0.0)


def specs_of(gold: list[Doc]) -> list[dict[str, Any]]:
    """Sentences of training, others, two with whitespace between, a word, and a longer text."""
    line_break = Doc(gold[0].vocab, words=["\n"], tags=["_SP"])
    docs = [[doc] for doc in (*gold[:5], *gold[12:16])]
    docs += [[gold[5], line_break, gold[6]], [gold[7][:1].as_doc()], gold[8:11]]
    return [spec_of(of_text) for of_text in docs]


def spec_of(docs: list[Doc]) -> dict[str, Any]:
    """The words of docs, with their tags and, if there are several, sentence starts."""
    tokens = [token for doc in docs for token in doc]
    spec: dict[str, Any] = {"words": [token.text for token in tokens]}
    if any(token.tag_ for token in tokens):
        spec["tags"] = [token.tag_ for token in tokens]
    if len(docs) > 1:
        spec["sent_starts"] = [token.i == 0 and not token.text.isspace() for token in tokens]
    return spec


def steady(nlp: Language, specs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The docs whose parses small changes do not alter."""
    data, parses = nlp.to_bytes(), parses_of(nlp, specs)
    is_steady = np.ones(len(specs), dtype=bool)
    for seed in range(N_JITTERS):
        jitter(nlp, seed)
        for search, changed in parses_of(nlp, specs).items():
            shapes = [mapped(found, lambda x: None) for found in (changed, parses[search])]
            is_steady &= [one == other for one, other in zip(*shapes, strict=True)]
        nlp.from_bytes(data)
    return [spec for spec, keeps in zip(specs, is_steady, strict=True) if keeps]


def jitter(nlp: Language, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    nodes = (node for _, pipe in nlp.components for node in pipe.model.walk())
    with torch.no_grad():
        for parameter in (p for node in nodes for s in node.shims for p in s._model.parameters()):
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.mul_(1 + JITTER * noise)


def mapped(value: Any, change: Callable[[float], Any]) -> Any:
    """Lists and dictionaries with other floats."""
    if isinstance(value, dict):
        return {key: mapped(inner, change) for key, inner in value.items()}
    if isinstance(value, list):
        return [mapped(inner, change) for inner in value]
    return change(value) if isinstance(value, float) else value


if __name__ == "__main__":
    main(*sys.argv[1:])
