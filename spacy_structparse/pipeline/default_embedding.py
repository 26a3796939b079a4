"""The embeddings that components have where their config names none."""


def default_embedding(width: int, word_width: int) -> str:
    """The section ``[model.tok2vec]`` of a parser's default config: words, and what they look like.
    width, word_width: see ``spacy-structparse.TokenEmbedding.v1``."""
    return f"""
[model.tok2vec]
@architectures = "spacy-structparse.TokenEmbedding.v1"
width = {width}
word_width = {word_width}
use_pos = false
pos_width = 12
pos_attr = "TAG"
use_vectors = false
tune_vectors = false
features = ["NORM", "PREFIX", "SUFFIX", "SHAPE"]
feature_rows = [5000, 2500, 2500, 2500]
feature_width = 32
relu = true
word_attr = "ORTH"
unk_prob = 0.5
min_freq = 1
max_vocabulary = 0
vocabulary = null
dropout = true
unit_variance = false
"""


def word_embedding(word_width: int, max_vocabulary: int) -> str:
    """The section ``[model.tok2vec]`` of a language model: frequent words, each by itself."""
    return f"""
[model.tok2vec]
@architectures = "spacy-structparse.TokenEmbedding.v1"
width = 0
word_width = {word_width}
use_pos = false
pos_width = 12
pos_attr = "TAG"
use_vectors = false
tune_vectors = false
features = []
feature_rows = []
feature_width = 32
relu = false
word_attr = "ORTH"
unk_prob = 0.0
min_freq = 1
max_vocabulary = {max_vocabulary}
vocabulary = null
dropout = false
unit_variance = false
"""
