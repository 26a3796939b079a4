"""Fine-tune a shipped pipeline on 200 sentences of a genre, by `init-config --from`.

    python -m benchmarks.fine_tuning GUM_FOLDER --genres whow,essay,conversation

For each genre the first 200 sentences of its training part are learned from, with their trees. The
genre's own development part says what was gained, that of all other genres what was lost: LAS
without punctuation, F1 of trees, accuracy of lemmas on gold tokens, and F1 of multiword tokens.
"""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_structparse.corpora.docbins import read_docs
from spacy_structparse.trees.files import read_trees

from .options import WORK, Work
from .record import Figures, write_result

SCORES = {"las": "dep_las_nopunct", "f1": "const_f", "lemmas": "lemma_acc", "multiword": "mwt_f"}
GENRE = re.compile(r"# sent_id = GUM_([a-z]+)_")


def main(
    gum: Annotated[Path, typer.Argument(help="Folder of GUM: train and dev, .conllu and .ptb")],
    model: Annotated[str, typer.Option(help="The pipeline")] = "en_structparse_sm",
    genres: Annotated[str, typer.Option(help="Genres to learn, or all")] = "all",
    sentences: Annotated[int, typer.Option(help="Sentences to learn from")] = 200,
    work: Work = WORK,
    seed: int = 0,
) -> None:
    """Fine-tune, and score before and after."""
    folder = work / f"fine_tuning-{model}"
    train, dev = _by_genre(gum, "train"), _by_genre(gum, "dev")
    for genre in dev:
        _convert(train[genre][:sentences], dev[genre], folder / genre)
    config = folder / "fine_tune.cfg"
    _spacy("structparse", "init-config", "--from", model, str(config), "--force")
    vocab = Vocab()
    figures: Figures = {}
    for genre in dev if genres == "all" else genres.split(","):
        others = folder / "others" / genre
        others.mkdir(parents=True, exist_ok=True)
        left = [folder / other / "dev.spacy" for other in dev if other != genre]
        docs = (doc for path in left for doc in read_docs(path, vocab))
        DocBin(docs=docs, store_user_data=True).to_disk(others / "dev.spacy")
        own = folder / genre
        paths = [f"--paths.train={own / 'train.spacy'}", f"--paths.dev={own / 'dev.spacy'}"]
        output = own / "run"
        _spacy("train", str(config), "--output", str(output), *paths, f"--system.seed={seed}")
        figures[genre] = {
            place: {
                when: _scores(pipeline, data / "dev.spacy", folder / "scores.json")
                for when, pipeline in (("before", model), ("after", str(output / "model-best")))
            }
            for place, data in (("genre", own), ("others", others))
        }
        print(genre, figures[genre], flush=True)
    write_result(f"fine_tuning-{model.removeprefix('en_structparse_')}", seed, figures)


def _by_genre(gum: Path, part: str) -> dict[str, list[tuple[str, str]]]:
    """The sentences of a part of GUM: CoNLL-U and tree, by genre."""
    blocks = (gum / f"{part}.conllu").read_text(encoding="utf8").strip().split("\n\n")
    trees = [str(tree) for tree in read_trees(gum / f"{part}.ptb")]
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for block, tree in zip(blocks, trees, strict=True):
        match = GENRE.search(block)
        assert match is not None, block
        found[match[1]].append((block, tree))
    return found


def _convert(train: list[tuple[str, str]], dev: list[tuple[str, str]], folder: Path) -> None:
    source = folder / "source"
    source.mkdir(parents=True, exist_ok=True)
    for part, sentences in (("train", train), ("dev", dev)):
        blocks, trees = zip(*sentences, strict=True)
        (source / f"{part}.conllu").write_text("\n\n".join(blocks) + "\n\n", encoding="utf8")
        (source / f"{part}.ptb").write_text("\n".join(trees) + "\n", encoding="utf8")
    _spacy("structparse", "convert", str(source), str(folder))


def _scores(pipeline: str, data: Path, output: Path) -> dict[str, float]:
    """The scores of a pipeline in percent."""
    _spacy("structparse", "evaluate", pipeline, str(data), "--output", str(output))
    scores = srsly.read_json(output)
    return {name: 100 * _score(scores, key) for name, key in SCORES.items()}


def _score(scores: dict[str, Any], key: str) -> float:
    """A score of the component that has it."""
    return next(part[key] for part in scores.values() if isinstance(part, dict) and key in part)


def _spacy(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "spacy", *arguments], check=True)


if __name__ == "__main__":
    typer.run(main)
