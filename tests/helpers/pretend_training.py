"""A component that learns nothing, so that training takes no time, and whose scores are known."""

import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

DO: dict[str, Callable[[], object]] = {}
"""What happens in training, by the setting `act`; at "fail" it fails, and at "no luck" and "luck is
None" it has no such score."""
CONFIG = """
[paths]
train = null
dev = null

[system]
seed = 5
gpu_allocator = null

[nlp]
lang = "xx"
pipeline = ["pretend"]

[components]

[components.pretend]
factory = "test_pretend"
quality = 0.5
act = "nothing"
words = ["a"]

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = ${paths.train}

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = ${paths.dev}

[training]
seed = ${system.seed}
gpu_allocator = ${system.gpu_allocator}
dropout = 0.1
max_steps = 2
eval_frequency = 1

[training.score_weights]
quality = 0.75
luck = 0.25
words = null
"""


class Pretend:
    """A component with a quality and, by the random seed, luck."""

    def __init__(self, name: str, quality: float, act: str, words: list[str]) -> None:
        self.name = name
        self.quality = quality
        self.act = act
        self.words = words
        self.luck = 0.0

    def __call__(self, doc: Doc) -> Doc:
        return doc

    def initialize(self, get_examples: Any, *, nlp: Language | None = None) -> None:
        self.luck = random.random()
        if self.act == "fail":
            raise ValueError("no such number")
        DO.get(self.act, int)()

    def update(self, examples: Any, *, losses: dict[str, float], **settings: Any) -> Any:
        return losses

    def score(self, examples: Iterable[Example], **settings: Any) -> dict[str, Any]:
        scores: dict[str, Any] = {"quality": self.quality, "words": {"n": len(self.words)}}
        if self.act != "no luck":
            scores["luck"] = None if self.act == "luck is None" else self.luck
        return scores


@Language.factory("test_pretend", default_score_weights={"quality": 1.0})
def make_pretend(nlp: Language, name: str, quality: float, act: str, words: list[str]) -> Pretend:
    return Pretend(name, quality, act, words)


def write_config(folder: Path) -> Path:
    """The config, beside the `.spacy` file that it is trained and evaluated on."""
    doc = Doc(spacy.blank("xx").vocab, ["a", "b"])
    (folder / "data.spacy").write_bytes(DocBin(docs=[doc]).to_bytes())
    (folder / "pretend.cfg").write_text(CONFIG)
    return folder / "pretend.cfg"
