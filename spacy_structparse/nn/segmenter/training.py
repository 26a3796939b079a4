"""Train a segmenter on windows of a text."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.utils import clip_grad_norm_
from tqdm import tqdm

from .model import Segmenter

WINDOW, BATCH = 100, 16
"""Characters in a window, and windows in a batch."""
EPOCHS, MIN_UPDATES, MAX_UPDATES = 30, 300, 2500
LEARN_RATE, WARMUP, MAX_GRADIENT = 0.002, 50, 1.0


def train(segmenter: Segmenter, inputs: Sequence[Tensor], labels: Tensor, counts: Tensor) -> None:
    """Train a segmenter by Adam (Kingma and Ba 2015), with a learning rate that falls to zero as a
    cosine does.

    Args:
        segmenter: The segmenter.
        inputs: What it reads of the characters of a text, as `Segmenter.inputs_of` has it.
        labels: (n,) what ends with each character.
        counts: (n,) bool, whether the label of a character counts.
    """
    n = len(labels)
    updates = min(max(EPOCHS * n // (WINDOW * BATCH), MIN_UPDATES), MAX_UPDATES)
    # Fused: most of the weights are in the table of n-grams, and each pass over it takes its time.
    optimizer = torch.optim.Adam(segmenter.parameters(), betas=(0.9, 0.95), fused=True)
    segmenter.train()
    for update in tqdm(range(updates), desc="segmenter", leave=False, disable=None):
        starts = torch.randint(max(n - WINDOW, 1), (BATCH, 1))
        places = (starts + torch.arange(WINDOW)).clamp(max=n - 1)
        scores = segmenter(*(part[places] for part in inputs))[counts[places]]
        loss = functional.cross_entropy(scores, labels[places][counts[places]])
        warmup = min(1.0, (update + 1) / WARMUP)
        for group in optimizer.param_groups:
            group["lr"] = LEARN_RATE * warmup * (1 + math.cos(math.pi * update / updates)) / 2
        optimizer.zero_grad()
        loss.backward()
        clip_grad_norm_(segmenter.parameters(), MAX_GRADIENT)
        optimizer.step()
    segmenter.eval()
