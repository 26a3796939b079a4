"""The measurements and the card of a released pipeline."""

import shutil
from pathlib import Path

import spacy
import srsly

from benchmarks import model_card
from benchmarks.check_wheel import differences
from benchmarks.evaluation import evaluate
from benchmarks.release import gold_token_scores
from tests.helpers.paths import SAVED

PIPELINE = SAVED / "stack_torch_direct"


def test_scores_are_those_of_the_accuracy_benchmark(corpus: Path) -> None:
    nlp = spacy.load(PIPELINE)
    found = gold_token_scores(nlp, corpus / "test.spacy")
    accuracy = evaluate(nlp, corpus / "test.spacy")
    for score in ("conll18_las", "conll18_uas", "dep_las_nopunct", "dep_uas_nopunct"):
        assert found[score] == accuracy[score]
    assert found["conll18_words"] == 100.0
    # The pipeline has no tagger and no trees.
    assert not {"conll18_upos", "const_f"} & set(found)


def test_the_card_shows_the_measured_figures(tmp_path: Path) -> None:
    gold = {"conll18_las": 84.31, "conll18_uas": 87.25, "const_f": 61.75}
    raw = dict.fromkeys(("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats"), 97.5)
    raw |= {"Lemmas": 95.25, "UAS": 82.25, "LAS": 79.75}
    memory = ("text_megabytes", "peak_megabytes_after_a_tenth", "peak_megabytes")
    content = {
        "name": "release-sm",
        "commit": "0123abc",
        "date": "2026-01-02",
        "machine": {"cpu": "a processor", "gigaflops": 82.9},
        "figures": {
            "gold_tokens": {"ewt": gold, "craft": gold},
            "raw_text": {"ewt": raw},
            "speed": {"words_per_second": 4321, "batch_size": 128},
            "percent_of_time": {"tok2vec": 75.4, "tokenizer": 0.6, "senter": 24.0},
            "latency": {"milliseconds": 12.5, "tokens": 25},
            "seconds_to_load": 1.25,
            "memory": dict(zip(memory, (10.0, 801, 812), strict=True)),
        },
    }
    path, folder = tmp_path / "release-sm.json", tmp_path / "model"
    srsly.write_json(path, content)
    shutil.copytree(PIPELINE, folder)
    model_card.main(folder, path, "sm")
    card = (folder / "README.md").read_text(encoding="utf8")
    version = srsly.read_json(model_card.SOURCES)["pipelines"]["sm"]["version"]
    assert all(shown in card for shown in ("84.31", "79.75", "4,321 words/s", "812 MB", version))
    # CRAFT's dependencies are of another scheme: its row has the trees alone.
    [row] = [line for line in card.splitlines() if line.startswith("| CRAFT |")]
    assert "61.75" in row and "84.31" not in row
    meta = srsly.read_json(folder / "meta.json")
    assert (meta["name"], meta["version"]) == ("structparse_sm", version)
    assert (meta["license"], meta["performance"]["test"]["ewt"]) == ("CC BY-SA 4.0", gold)
    assert "CC BY-SA 4.0" in (folder / "LICENSE").read_text(encoding="utf8")
    spacy.load(folder)


def test_a_wheel_with_other_scores_than_its_card_is_found() -> None:
    carded = {"conll18_las": 84.31, "const_f": 61.75}
    assert differences(carded, carded) == []
    # So much on a processor without instructions for bfloat16.
    assert differences(carded, {"conll18_las": 84.28, "const_f": 61.81}) == []
    [found] = differences(carded, {"conll18_las": 84.31, "const_f": 61.25})
    assert found == "const_f: 61.75 in the card, 61.25 found"
    [found] = differences(carded, {"conll18_las": 84.31})
    assert "const_f" in found
