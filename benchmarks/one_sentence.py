"""Files of the package that one sentence runs through, and how deep its calls go.

    python -m benchmarks.one_sentence            prints the figures of each kind of parser
    python -m benchmarks.one_sentence --files    prints the functions of each file, too

The parsers are new ones at their default settings: what runs does not depend on the weights. Calls
of a list or generator expression count as part of the function that has it.
"""

import sys
import warnings
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

import spacy_structparse

PACKAGE = str(Path(spacy_structparse.__file__).parent)
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "stack_lstm_dep": ("stack_lstm_dep", {}),
    "spa_dep, graph": ("spa_dep", {}),
    "spa_dep, transition": ("spa_dep", {"decoder": "transition"}),
    "seq2seq_constituency": ("seq2seq_constituency", {}),
}
WORDS = ["Old", "dogs", "sleep", "."]


def new_pipeline(factory: str, config: dict[str, Any]) -> Language:
    """Make a pipeline with a parser that was not trained."""
    nlp = spacy.blank("en")
    nlp.add_pipe(factory, config=config)
    doc = Doc(nlp.vocab, WORDS, heads=[1, 2, 2, 2], deps=["amod", "nsubj", "ROOT", "punct"])
    doc.spans["constituency"] = [Span(doc, 0, 4, "S"), Span(doc, 0, 2, "NP")]
    example = Example(Doc(nlp.vocab, WORDS), doc)
    nlp.initialize(lambda: [example])
    return nlp


class Walk:
    """The calls of one sentence.

    Attributes:
        functions: The functions of each file that ran.
        deepest: The stack with the most functions of the package, outermost first.
    """

    def __init__(self, nlp: Language) -> None:
        self.functions: dict[str, set[str]] = defaultdict(set)
        self.deepest: list[str] = []
        text = " ".join(WORDS)
        nlp(text)  # what is kept from the first call on is not made again
        sys.setprofile(self._see)
        try:
            nlp(text)
        finally:
            sys.setprofile(None)

    def _see(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not _is_ours(frame):
            return
        self.functions[_file(frame)].add(frame.f_code.co_name)
        stack = []
        caller: FrameType | None = frame
        while caller is not None:
            if _is_ours(caller):
                stack.append(f"{_file(caller)}:{caller.f_code.co_name}")
            caller = caller.f_back
        self.deepest = max(self.deepest, stack[::-1], key=len)


def _is_ours(frame: FrameType) -> bool:
    name = frame.f_code.co_name
    is_expression = name.startswith("<") and name != "<lambda>"
    return frame.f_code.co_filename.startswith(PACKAGE) and not is_expression


def _file(frame: FrameType) -> str:
    return str(Path(frame.f_code.co_filename).relative_to(PACKAGE))


def main(
    files: Annotated[bool, typer.Option("--files", help="Print the functions, too")] = False,
) -> None:
    """Print how many files one sentence runs through."""
    warnings.simplefilter("ignore")
    for kind, (factory, config) in KINDS.items():
        walk = Walk(new_pipeline(factory, config))
        print(f"{kind}: {len(walk.functions)} files, {len(walk.deepest)} calls deep")
        if files:
            for file, functions in sorted(walk.functions.items()):
                print(f"    {file}: {', '.join(sorted(functions))}")
            print("    deepest:", *walk.deepest, sep="\n        ")


if __name__ == "__main__":
    typer.run(main)
