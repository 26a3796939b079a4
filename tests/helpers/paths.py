"""Where the files that the tests read are."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "assets"
SAMPLE = ASSETS / "sample"
"""The sample treebank: `train`, `dev` and `test`, each as `.conllu` and as `.ptb`."""
FRENCH = ASSETS / "french"
"""A sample of French with multiword tokens: `train` and `test`, as `.conllu`."""
PIPELINES = ASSETS / "pipelines"
"""Wheels of trained pipelines."""
PARALLEL = ASSETS / "parallel"
"""The sample of parallel text: `train` and `dev`, each as `.de` and as `.en`."""
EVALB = ROOT / "tests" / "scoring" / "evalb"
"""Parameter files of evalb, and its reports."""
SAVED = ROOT / "tests" / "saved" / "data"
"""Saved pipelines of every component, and what they parse."""
CONLL18 = ROOT / "tests" / "scoring" / "conll18"
"""CoNLL-U files and the official program's scores of them."""
ENHANCED = ROOT / "tests" / "assets" / "enhanced.conllu"
"""French sentences with contractions, empty nodes, enhanced dependencies, comments and MISC."""
