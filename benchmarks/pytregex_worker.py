"""pytregex at work for :mod:`benchmarks.tregex_peer`.

It runs in an environment of pytregex, as a script, and imports nothing of this project. Requests
and answers are lines of JSON. The first request is a list of trees in Penn brackets; the answer has
pytregex's version and the number of nodes of each tree. Each further request is a pattern and the
most words of the trees to search; the answer has the numbers of the trees that were searched in
time, and of each match its tree and the place in pre-order of its first node; or else an ``error``.
The process ends where pytregex takes much too long over one tree.
"""

import json
import signal
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from pytregex.tree import Tree
from pytregex.tregex import TregexPattern


class Search:
    """Trees, and a limit to the time that each pattern takes.

    Args:
        brackets: The trees in Penn brackets.
        limit: No further tree is searched after so many seconds of the processor.
    """

    def __init__(self, brackets: list[str], limit: float) -> None:
        self.trees = [next(Tree.fromstring(text)) for text in brackets]
        self.words = [len(tree.getLeaves()) for tree in self.trees]
        self.limit = limit
        self.sizes: list[int] = []
        self.places: dict[int, tuple[int, int]] = {}
        for number, tree in enumerate(self.trees):
            nodes = list(tree.preorder_iter())
            self.sizes.append(len(nodes))
            self.places.update((id(node), (number, place)) for place, node in enumerate(nodes))

    def find(self, pattern: str, most_words: int) -> dict[str, Any]:
        """Search the trees for a pattern. It gives a node once for each way to match it."""
        compiled = TregexPattern(pattern)
        searched: list[int] = []
        signal.setitimer(signal.ITIMER_VIRTUAL, 3 * self.limit)  # it ends the process
        found = compiled.findall(self._feed(compiled, most_words, searched))
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        matches = sorted({self.places[id(node)] for node in found})
        return {"searched": searched, "matches": matches}

    def _feed(
        self, compiled: TregexPattern, most_words: int, searched: list[int]
    ) -> Iterator[Tree]:
        start = time.process_time()
        for number, tree in enumerate(self.trees):
            if self.words[number] > most_words:
                continue
            if time.process_time() - start > self.limit:
                return
            # Named nodes are copied, with their trees, for every node that is tried: those of
            # earlier trees must not be among them.
            for named in compiled.backref_table.values():
                named.nodes = None
            yield tree
            searched.append(number)


def main() -> None:
    """Answer requests until standard input ends."""
    answers, sys.stdout = sys.stdout, sys.stderr  # what libraries print must not mix with answers
    search = Search(json.loads(sys.stdin.readline()), float(sys.argv[1]))
    ready = {"version": version("pytregex"), "sizes": search.sizes}
    print(json.dumps(ready), file=answers, flush=True)
    for line in sys.stdin:
        try:
            answer = search.find(*json.loads(line))
        except (Exception, SystemExit) as error:  # it leaves the program at an unknown character
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            answer = {"error": str(error).splitlines()[-1]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
