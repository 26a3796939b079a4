"""A transformer of random weights, small enough for tests."""

import string
from collections.abc import Iterable
from pathlib import Path

from spacy.util import fix_random_seed

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def save_tiny_bert(folder: Path, words: Iterable[str], layers: int = 1) -> str:
    """Save a BERT whose pieces are words and letters, with its tokenizer; give the folder."""
    import transformers

    letters = [*string.ascii_lowercase, *string.digits, *string.punctuation]
    pieces = dict.fromkeys([*SPECIAL, *letters, *(f"##{c}" for c in letters), *words])
    (folder / "vocab.txt").write_text("\n".join(pieces), encoding="utf-8")
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=24,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=256,
    )
    fix_random_seed(0)
    transformers.BertModel(config).save_pretrained(folder)
    return str(folder)
