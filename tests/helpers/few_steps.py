"""A training run of two updates."""

from typing import Any

FEW_STEPS: dict[str, Any] = {
    "training.max_steps": 2,
    "training.eval_frequency": 2,
    "system.gpu_allocator": None,
    "corpora.train.limit": 30,
    "corpora.dev.limit": 5,
}
"""Overrides of a shipped config."""
