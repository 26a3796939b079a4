"""Scores of the CoNLL 2018 shared task, "Multilingual Parsing from Raw Text to Universal
Dependencies" (Zeman et al. 2018, §5; https://universaldependencies.org/conll18/evaluation.html)."""
