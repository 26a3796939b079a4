"""The data of the benchmark of entity recognizers."""

from pathlib import Path

import spacy
from spacy.tokens import Doc

from benchmarks.entities import labels_by_words, set_entities

IOB = (
    "# sent_id = 1\n1\tNew\tB-LOC\n2\tYork\tI-LOC\n\n# sent_id = 2\n1\tAnn\tB-PER\n2\tslept\tO\n\n"
)


def test_entities_come_to_the_sentences_with_their_words(tmp_path: Path) -> None:
    path = tmp_path / "dev.iob2"
    path.write_text(IOB, encoding="utf8")
    words = ["Ann", "slept", "New", "York", "Bob", "slept"]
    doc = Doc(spacy.blank("en").vocab, words=words, sent_starts=[True, False] * 3)
    set_entities(doc, labels_by_words(path))
    assert [(span.text, span.label_) for span in doc.ents] == [("Ann", "PER"), ("New York", "LOC")]
    # Nothing is known of the last sentence.
    assert [token.ent_iob_ for token in doc] == ["B", "O", "B", "I", "", ""]
