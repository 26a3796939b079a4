"""Commands and options of earlier releases, and what to use instead, for one more release."""

RENAMED = {
    "conll18": "score --format conllu",
    "evalb": "score --format brackets",
    "sample": "lm sample",
    "surprisal": "lm surprisal",
    "phrases": "lm phrases",
    "nearest": "lm nearest",
    "report": "breakdown",
    "part": "compare",
}
COMMANDS = {
    "prepare": "in a copy of the repository, run python -m benchmarks.prepare",
    "unpack-encoder": "in a copy of the repository, run python assets/encoder.py",
    "fit-config": "use init-config CONFIG OUTPUT --data TRAIN",
    "sweep": "train in a loop over settings and seeds, or with Optuna, as docs/sweeps.md shows",
}
# By the command, where there is something to do instead; a tool adds those of its own.
OPTIONS: dict[str, dict[str, str]] = {
    "convert": {"--merge-multiword": "`spacy convert --merge-subtokens` merges them"},
    "evaluate": dict.fromkeys(
        ("--displacy-path", "-dp", "--displacy-limit", "-dl"),
        "parse MODEL DATA --output trees.html draws trees, displacy.render(doc) dependencies",
    ),
    "parallel": {
        "--target-lang": "separate the words of TARGET by spaces",
        "--max-length": "set discard_oversize of the batcher in the training config",
    },
    "parse": {
        "--resume": "parse-corpus goes on where it was interrupted",
        "--show": "use --format terminal",
    },
    "score": {
        "--max-error": "set MAX_ERROR in a parameter file, and name it by --params",
        "--cutoff": "set CUTOFF_LEN in a parameter file, and name it by --params",
    },
    "table": dict.fromkeys(
        ("--data", "-d", "--labels", "-l"), "breakdown has scores by label, with their counts"
    ),
    "translate": {"--length-penalty": "set length_penalty of the component in the config"},
    "vectors": dict.fromkeys(
        ("--algorithm", "-a"),
        "train word2vec's own with gensim, and convert them by `spacy init vectors`",
    ),
}
