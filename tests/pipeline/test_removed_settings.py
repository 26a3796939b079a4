"""Settings that components had before can stay in configs at their defaults."""

import re
from typing import Any

import pytest
import spacy

REMOVED = [
    ("backoff_lemmatizer", "backoff", "orth", "lower"),
    ("lemma_table", "min_freq", 1, 2),
    ("phrasal_lm", "context_sentences", 0, 2),
    ("phrasal_lm", "word_attr", "ORTH", "LOWER"),
    ("spa_dep", "min_label_freq", 1, 5),
    ("spa_dep", "unique_labels", [], ["nsubj"]),
    ("stack_lstm_dep", "min_label_freq", 1, 5),
    ("stack_lstm_dep", "unique_labels", [], ["nsubj"]),
]


@pytest.mark.parametrize(("component", "setting", "default", "other"), REMOVED)
def test_a_removed_setting_has_its_default_alone(
    component: str, setting: str, default: Any, other: Any
) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(component, config={setting: default})
    with pytest.raises(ValueError, match=re.escape(f"{setting} = {other!r}: 0.2.0")):
        nlp.add_pipe(component, "another", config={setting: other})
