"""What is compared with the reference program, on any treebank, and how."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from spacy_structparse.scoring.evalb_params import read_params
from spacy_structparse.scoring.evalb_report import report_lines
from spacy_structparse.scoring.tree_files import TooManyErrorsError, evaluate_files
from spacy_structparse.trees import Tree, read_trees, remove_empty, strip_functions, wrap
from tests.helpers.paths import EVALB
from tests.helpers.perturbed import KINDS, Draws, predictions, quoted

# (parameter file, what is done to the gold trees, kind of prediction)
CASES = [
    *(("collins", "plain", kind) for kind in KINDS),
    *(("collins", "raw", kind) for kind in ("relabelled", "added", "doubled", "unbalanced")),
    *(("quotes", "quoted", kind) for kind in ("misquoted", "mistagged")),
    *(("quotes", "plain", kind) for kind in ("misquoted", "mistagged", "mixed")),
    *(("odd", "plain", kind) for kind in ("relabelled", "doubled", "mistagged", "other-words")),
    *(("odd", "raw", kind) for kind in ("mixed", "emptied")),
    *(("unlabeled", "plain", kind) for kind in ("relabelled", "moved", "doubled")),
    *(("strict", "plain", kind) for kind in ("mistagged", "moved")),
]


def case_name(case: tuple[str, str, str]) -> str:
    return "-".join(case)


def gold_trees(path: Path, form: str) -> list[Tree]:
    """The trees of a file: `raw`, `plain` (no traces, no function tags, a TOP) or `quoted`."""
    trees = list(read_trees(path))
    if form == "raw":
        return trees
    kept = [tree for tree in map(remove_empty, trees) if tree is not None]
    trees = [wrap(strip_functions(tree)) for tree in kept]
    draws = Draws(seed=7)
    return [quoted(tree, draws) for tree in trees] if form == "quoted" else trees


def fits(line: str) -> bool:
    """Whether the reference program can read a line: it has room for 200 words, 200 brackets, 20
    quote characters, words of 99 bytes and labels of 29 in lines of 4998, and does not check."""
    leaves = re.findall(r"\(([^\s()]*)\s+([^\s()]*)\)", line)
    return (
        len(line.encode()) < 4999
        and len(leaves) <= 200
        and line.count("(") - len(leaves) <= 200
        and sum(word in ("'", '"', "/") for _, word in leaves) <= 20
        and all(len(word.encode()) < 100 and len(label.encode()) < 30 for label, word in leaves)
    )


def write_case(
    case: tuple[str, str, str], trees: Sequence[Tree], folder: Path, seed: int = 1
) -> tuple[Path, Path, Path]:
    """The files of a case, without the sentences that the reference program has no room for.

    trees: gold trees in the case's form.
    RETURNS: Parameter file, gold file, file of predictions.
    """
    params, _, kind = case
    gold, predicted = [str(tree) for tree in trees], predictions(kind, trees, seed)
    left_out = {i for lines in (gold, predicted) for i, line in enumerate(lines) if not fits(line)}
    paths = folder / "gold.ptb", folder / "predicted.ptb"
    for path, lines in zip(paths, (gold, predicted), strict=True):
        kept = [line for i, line in enumerate(lines) if i not in left_out]
        path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    return EVALB / f"{params}.prm", *paths


def our_report(params: Path, gold: Path, predicted: Path) -> list[str]:
    try:
        return list(report_lines(evaluate_files(gold, predicted, read_params(params))))
    except TooManyErrorsError as error:
        return list(report_lines(error.evaluation, summary=False))


def reference_report(program: Path, files: Sequence[Path]) -> list[str]:
    run = subprocess.run(
        [str(program), "-p", *map(str, files)], capture_output=True, check=False, timeout=60
    )
    if run.returncode not in (0, 1):
        raise RuntimeError(f"{program} ended with {run.returncode}")
    return run.stdout.decode("utf-8").splitlines()
