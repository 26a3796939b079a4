"""An entity recognizer that is trained beside a released pipeline, and what becomes of its parsers.

    python -m spacy structparse convert treebanks/ewt corpus/ewt --n-sents 10
    python -m benchmarks.entities corpus/ewt treebanks/ewt/ner --name sm

Trained on the entities of the dev part of EWT, of which every tenth Doc is held out to choose the
best weights, and scored on gold tokens of its test part. The rows:

- ``frozen``: the config of `init-config --from PIPELINE --add ner`.
- ``own``: the same, with a tok2vec of the recognizer's own.
- ``beside``: `--add ner --train parser`: the dependency parser learns from the same Docs.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import spacy
import torch
import typer
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span

from spacy_structparse.cli.fine_tune_config import fine_tune_config
from spacy_structparse.corpora.docbins import read_docs
from spacy_structparse.scoring.conll18.scorer import score_conll18

from .evaluation import parsed_examples
from .options import WORK, Corpus, Work
from .record import Figures, write_result
from .training_runs import train

HELD_OUT = 10
RUN = ("max_updates", "train_minutes", "processor_minutes")
TRAINED = {"frozen": [], "own": [], "beside": ["parser"]}
OWN_TOK2VEC: dict[str, Any] = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "width": 96,
    "depth": 4,
    "embed_size": 2000,
    "window_size": 1,
    "maxout_pieces": 3,
    "subword_features": True,
    "pretrained_vectors": None,
}


def main(
    corpus: Corpus,
    entities: Annotated[Path, typer.Argument(help="Folder of dev.iob2 and test.iob2")],
    name: Annotated[str, typer.Option(help="The released pipeline, sm or trf")],
    only: Annotated[list[str] | None, typer.Option(help="A row, repeatable")] = None,
    work: Work = WORK,
) -> None:
    """Train, score and record."""
    torch.set_num_threads(1)
    folder = work / f"entities-{name}"
    base = spacy.load(f"en_structparse_{name}")
    _write_corpus(base, corpus, entities, folder)
    figures: Figures = {}
    for row in only or TRAINED:
        path = folder / f"{row}.cfg"
        config, _ = fine_tune_config(base, f"en_structparse_{name}", ["ner"], TRAINED[row])
        if row == "own":
            config["components"]["ner"]["model"]["tok2vec"] = OWN_TOK2VEC
        config.to_disk(path)
        run = train(path, folder, folder / row, 0, {})
        nlp = spacy.load(folder / row / "model-best")
        figures[row] = {key: run[key] for key in RUN} | scores(nlp, folder / "test.spacy")
        print(row, figures[row], flush=True)
    write_result(f"entities-{name}", 0, figures)


def scores(nlp: Language, path: Path) -> Figures:
    """Return the F1 of entities, of all and by their label, and the LAS, in per cent."""
    examples = parsed_examples(nlp, path)
    entities = nlp.get_pipe("ner").score(examples)  # type: ignore[attr-defined]
    by_label = {label: score["f"] for label, score in entities["ents_per_type"].items()}
    found = {
        "ents_f": entities["ents_f"],
        **by_label,
        "las": score_conll18(examples)["conll18_las"],
    }
    return {name: round(100 * value, 2) for name, value in found.items()}


def labels_by_words(path: Path) -> dict[tuple[str, ...], list[str]]:
    """Read the IOB2 labels of each sentence, by its words."""
    labels: dict[tuple[str, ...], list[str]] = {}
    for block in path.read_text(encoding="utf8").split("\n\n"):
        cells = [line.split("\t") for line in block.splitlines() if line and line[0] != "#"]
        labels[tuple(word for _, word, _ in cells)] = [label for _, _, label in cells]
    return labels


def set_entities(doc: Doc, labels: dict[tuple[str, ...], list[str]]) -> None:
    """Annotate the sentences of a Doc; those without labels are left without annotation."""
    entities: list[Span] = []
    missing: list[Span] = []
    for sentence in doc.sents:
        words = [token.text for token in sentence]
        if tuple(words) not in labels:
            missing.append(sentence)
            continue
        annotated = Doc(doc.vocab, words=words, ents=labels[tuple(words)])  # type: ignore[arg-type]
        entities += [
            Span(doc, sentence.start + span.start, sentence.start + span.end, span.label)
            for span in annotated.ents
        ]
    doc.set_ents(entities, missing=missing)


def _write_corpus(base: Language, corpus: Path, entities: Path, folder: Path) -> None:
    """Write train, dev and test, where they are not there yet."""
    if (folder / "test.spacy").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    annotated = list(_annotated(base, corpus / "dev.spacy", entities / "dev.iob2"))
    parts = {
        "train": [doc for number, doc in enumerate(annotated) if number % HELD_OUT],
        "dev": annotated[::HELD_OUT],
        "test": list(_annotated(base, corpus / "test.spacy", entities / "test.iob2")),
    }
    for part, docs in parts.items():
        DocBin(docs=docs, store_user_data=True).to_disk(folder / f"{part}.spacy")


def _annotated(base: Language, path: Path, entities: Path) -> Iterator[Doc]:
    labels = labels_by_words(entities)
    for doc in read_docs(path, base.vocab):
        set_entities(doc, labels)
        yield doc


if __name__ == "__main__":
    typer.run(main)
