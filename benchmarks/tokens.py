"""F1 of tokens, sentences and words from raw text, by tokenizers that learn from a treebank.

    python -m benchmarks.tokens ../shared/treebanks/languages/* --name languages

Each treebank is a folder with train and dev files. A text has twenty sentences of the dev part, in
their order, with a space between two that do not say otherwise.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import spacy
import torch
import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_structparse.cli.language_config import tokenizer_config
from spacy_structparse.cli.language_scores import paragraphs
from spacy_structparse.corpora.convert import convert_treebank
from spacy_structparse.corpora.docbins import read_docs
from spacy_structparse.corpora.input_files import plan_outputs
from spacy_structparse.corpora.options import ConversionOptions
from spacy_structparse.extensions.multiword import multiword_tokens, surface_text
from spacy_structparse.scoring.conll18.scorer import evaluate_texts

from .options import Name
from .record import Figures, write_result

BETWEEN_SPACES = {
    "@tokenizers": "spacy-structparse.mwt_splitter.v1",
    "tokenizer": {"@tokenizers": "spacy-structparse.trainable_tokenizer.v1"},
}
METRICS = ("Tokens", "Sentences", "Words")


def parts_of(treebank: Path, vocab: spacy.Vocab) -> dict[str, list[Doc]]:
    """Read the Docs of the train and the dev part of a folder, one for each sentence."""
    docs = {}
    with TemporaryDirectory() as folder:
        for target, parts in plan_outputs([treebank], Path(folder)).items():
            if target.stem in ("train", "dev"):
                convert_treebank(parts, target, ConversionOptions())
                docs[target.stem] = list(read_docs(target, vocab))
    for doc in (*docs["train"], *docs["dev"]):
        doc.user_data.clear()
    return docs


def multiword_scores(golds: Sequence[Doc], predicted: Sequence[Doc]) -> Figures:
    """Count multiword tokens: gold ones, written ones, and those with the right words."""
    pairs = [
        (set(multiword_tokens(gold)), set(multiword_tokens(doc)))
        for gold, doc in zip(golds, predicted, strict=True)
    ]
    return {
        "gold": sum(len(gold) for gold, _ in pairs),
        "written": sum(len(found) for _, found in pairs),
        "right": sum(len(gold & found) for gold, found in pairs),
    }


def measure(nlp: Language, docs: dict[str, list[Doc]]) -> Figures:
    """Let the tokenizer of a pipeline learn, and score it."""
    tokenizer: Any = nlp.tokenizer
    start = time.process_time()
    tokenizer.initialize(lambda: [Example(doc, doc) for doc in docs["train"]], nlp=nlp)
    seconds = time.process_time() - start
    golds = list(paragraphs(docs["dev"]))
    texts = [surface_text(gold) for gold in golds]
    start = time.process_time()
    predicted = [nlp.make_doc(text) for text in texts]
    per_second = sum(map(len, texts)) / (time.process_time() - start)
    scores = evaluate_texts(golds, lambda texts: predicted)
    return {
        **{name: round(100 * scores[name].f1, 2) for name in METRICS if name in scores},
        "multiword": multiword_scores(golds, predicted),
        "seconds": round(seconds, 1),
        "characters_per_second": round(per_second),
        "bytes": len(tokenizer.to_bytes()),
    }


def main(
    treebanks: Annotated[list[Path], typer.Argument(help="Folders with train and dev files")],
    name: Name,
) -> None:
    """Train tokenizers on each treebank, and score them on its dev part."""
    torch.set_num_threads(1)
    figures: Figures = {}
    for treebank in treebanks:
        docs = parts_of(treebank, spacy.Vocab())
        if all(doc.has_unknown_spaces for doc in docs["train"]):
            continue
        figures[treebank.name] = {"words": sum(len(doc) for doc in docs["train"])}
        tokenizers = {
            "segmenter": tokenizer_config(docs["train"]),
            "between spaces": BETWEEN_SPACES,
        }
        for label, tokenizer in tokenizers.items():
            nlp = spacy.blank("xx", config={"nlp": {"tokenizer": tokenizer}})
            figures[treebank.name][label] = measure(nlp, docs)
            print(treebank.name, label, figures[treebank.name][label], flush=True)
    write_result(f"tokens-{name}", 0, figures)


if __name__ == "__main__":
    typer.run(main)
