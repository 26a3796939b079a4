"""A transformer of random weights, small enough for tests."""

import string
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from spacy.util import fix_random_seed

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


LISTENER = {
    "@architectures": "spacy-transformers.TransformerListener.v1",
    "grad_factor": 1.0,
    "pooling": {"@layers": "reduce_mean.v1"},
}


def save_tiny_bert(folder: Path, words: Iterable[str], layers: int = 1, width: int = 24) -> str:
    """Save a BERT whose pieces are words and letters, with its tokenizer; give the folder."""
    import transformers

    letters = [*string.ascii_lowercase, *string.digits, *string.punctuation]
    pieces = dict.fromkeys([*SPECIAL, *letters, *(f"##{c}" for c in letters), *words])
    (folder / "vocab.txt").write_text("\n".join(pieces), encoding="utf-8")
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=256,
    )
    fix_random_seed(0)
    transformers.BertModel(config).save_pretrained(folder)
    return str(folder)


def model_of(name: str, **settings: Any) -> dict[str, Any]:
    """The config of a transformer of this package's architecture."""
    return {
        "@architectures": "spacy-structparse.TransformerModel.v1",
        "name": name,
        "get_spans": {
            "@span_getters": "spacy-transformers.strided_spans.v1",
            "window": 128,
            "stride": 96,
        },
        **settings,
    }
