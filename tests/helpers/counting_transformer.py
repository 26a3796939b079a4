"""A transformer that counts what it reads, and batches of pieces for it."""

import torch
from torch import Tensor, nn
from transformers.modeling_outputs import BaseModelOutput

from spacy_structparse.models.output_cache import Inputs, OutputCache

WIDTH = 1000  # a piece has 4,000 bytes of vectors


class Reader(nn.Module):
    """A transformer whose vectors are those of the pieces alone; it counts what it reads."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.vectors = nn.Embedding(50, WIDTH)
        self.odd = nn.Parameter(torch.ones(3))
        self.register_buffer("shift", torch.zeros(3, dtype=torch.float16))
        self.read: list[tuple[int, ...]] = []

    def predict(self, inputs: Inputs) -> BaseModelOutput:
        self.read.append(tuple(inputs["input_ids"].shape))
        with torch.no_grad():
            vectors = self.vectors(inputs["input_ids"]) * self.odd.sum() + self.shift.sum()
        return BaseModelOutput(last_hidden_state=vectors)


def batch(*texts: list[int], left: bool = False) -> Inputs:
    """Texts of pieces, filled up with the piece 0 at the right, or at the left."""
    longest = max(len(text) for text in texts)
    ids, mask = torch.zeros(2, len(texts), longest, dtype=torch.long)
    for i, text in enumerate(texts):
        at = slice(longest - len(text), None) if left else slice(len(text))
        ids[i, at], mask[i, at] = torch.tensor(text), 1
    return {"input_ids": ids, "attention_mask": mask.float(), "token_type_ids": ids * 0}


def read(cache: OutputCache, reader: Reader, inputs: Inputs) -> Tensor:
    return cache.read(reader, inputs, reader.predict).last_hidden_state


def expected(reader: Reader, inputs: Inputs) -> Tensor:
    """Computed without a cache; 0 at padding."""
    vectors = reader.predict(inputs).last_hidden_state
    reader.read.pop()
    return vectors * inputs["attention_mask"][..., None]
