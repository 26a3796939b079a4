"""Word vectors by gensim's word2vec."""

from collections.abc import Iterable, Sequence

import numpy as np

from .structured_skipgram import SkipgramSettings


def train_skipgram(
    text: Iterable[Sequence[str]], settings: SkipgramSettings
) -> tuple[list[str], np.ndarray]:
    """The skip-gram of word2vec (Mikolov et al. 2013), on one core. The same seed gives the same
    vectors. Of the settings, the learning rate and the size of a batch are gensim's own.

    Returns the words, most frequent first, and their vectors: (V, dim), float32.
    Raises ImportError without gensim, ValueError where no word is frequent enough.
    """
    try:
        from gensim.models import Word2Vec
    except ImportError as error:
        raise ImportError(
            "this algorithm needs gensim: python -m pip install 'spacy-structparse[vectors]', or "
            "choose --algorithm structured, which needs nothing"
        ) from error
    # gensim reads the text once for its words and once an epoch.
    sentences = [list(sentence) for sentence in text]
    model = Word2Vec(
        sg=1,
        vector_size=settings.dim,
        window=settings.window,
        negative=settings.negative,
        epochs=settings.epochs,
        min_count=settings.min_count,
        sample=settings.subsample,
        seed=settings.seed,
        workers=1,  # more give other vectors each time
    )
    model.build_vocab(sentences)
    if not len(model.wv):
        raise ValueError(
            f"no word of the text is seen {settings.min_count} times (min_count): give more text "
            "or a lower min_count"
        )
    model.train(sentences, total_examples=model.corpus_count, epochs=model.epochs)
    return list(model.wv.index_to_key), np.asarray(model.wv.vectors, dtype=np.float32)
