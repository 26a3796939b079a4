"""Raw French text to CoNLL-U by a parser and a splitter that were trained together."""

from pathlib import Path
from typing import Any

import pytest
import srsly
from spacy.cli.train import train

from spacy_structparse.corpora.conllu import read_conllu
from tests.helpers.few_steps import FEW_STEPS
from tests.helpers.paths import ROOT

TEXT = """\
Le chat dort au pied du lit. Des enfants jouent dans la cour.
Le toit des maisons est rouge.
"""
SPLITTER = {"@tokenizers": "spacy-structparse.mwt_splitter.v1"}


@pytest.mark.slow
def test_raw_text_to_conllu_with_range_lines(command: Any, french: Path, tmp_path: Path) -> None:
    overrides = {
        **FEW_STEPS,
        "corpora.train.limit": 0,
        "nlp.lang": "fr",
        "nlp.tokenizer": SPLITTER,
        "paths.train": str(french / "train.spacy"),
        "paths.dev": str(french / "test.spacy"),
        "corpora.dev.gold_preproc": False,
        "training.score_weights.words_f": 0.0,
    }
    train(ROOT / "configs" / "stack_lstm_dep.cfg", tmp_path, overrides=overrides)
    model = tmp_path / "model-last"
    assert srsly.read_json(model / "meta.json")["performance"]["words_f"] > 0.9
    source, output = tmp_path / "text.txt", tmp_path / "parsed.conllu"
    source.write_text(TEXT, encoding="utf8")
    command("structparse", "parse", model, source, "--output", output)
    sentences = list(read_conllu(output))
    assert [sentence.text for sentence in sentences] == [
        "Le chat dort au pied du lit.",
        "Des enfants jouent dans la cour.",
        "Le toit des maisons est rouge.",
    ]
    assert [sentence.words for sentence in sentences] == [
        "Le chat dort à le pied de le lit .".split(),
        "Des enfants jouent dans la cour .".split(),
        "Le toit de les maisons est rouge .".split(),
    ]
    assert [
        [(token.start, token.end, token.form) for token in sentence.surface_tokens]
        for sentence in sentences
    ] == [[(3, 5, "au"), (6, 8, "du")], [], [(2, 4, "des")]]
    assert all(sentence.heads_problem is None for sentence in sentences)
    assert all(sentence.surface_text() == sentence.text for sentence in sentences)
    command("structparse", "parse", model, source, "--output", output, "--format", "json")
    first, second = srsly.read_jsonl(output)
    assert [first["text"], second["text"]] == TEXT.splitlines()
    for record in (first, second):
        for sentence in record["sentences"]:
            assert record["text"][sentence["start_char"] : sentence["end_char"]] == sentence["text"]
    assert second["sentences"][0]["words"] == sentences[2].words
