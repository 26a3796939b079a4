"""A small translator, and the sample of parallel text."""

from itertools import islice
from typing import Any

import spacy
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_structparse.corpora.parallel import create_parallel_corpus_reader
from tests.helpers.paths import PARALLEL

NAME = "seq2seq_translation"
SIZES = {
    "encoder_width": 32,
    "decoder_width": 32,
    "word_width": 16,
    "readout_width": 24,
    "pyramid_width": 16,
    "label_smoothing": 0.0,
}
EMBEDDING = {
    "@architectures": "spacy-structparse.TokenEmbedding.v1",
    "width": 0,
    "word_width": 16,
    "features": [],
    "feature_rows": [],
    "relu": False,
    "unk_prob": 0.0,
    "dropout": "none",
}


def pairs(nlp: Language, limit: int = 20, part: str = "train") -> list[Example]:
    """The first pairs of the sample."""
    read = create_parallel_corpus_reader(PARALLEL / f"{part}.de", PARALLEL / f"{part}.en")
    return list(islice(read(nlp), limit))


def translator(n: int = 20, **model: Any) -> Language:
    """A German pipeline with an initialized small translator."""
    settings = {name: model.pop(name) for name in ("max_vocabulary", "min_freq") if name in model}
    fix_random_seed(0)
    nlp = spacy.blank("de")
    embedding = model.pop("tok2vec", EMBEDDING)
    nlp.add_pipe(NAME, config={**settings, "model": {**SIZES, **model, "tok2vec": embedding}})
    nlp.initialize(lambda: pairs(nlp, n))
    return nlp
