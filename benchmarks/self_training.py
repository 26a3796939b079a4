"""Self-training on few gold trees, with one parser and with two (Vinyals et al. 2015, section 3.1).

    python -m benchmarks.self_training corpus/craft --name craft --gold-sentences 5000

The parser that is measured is trained on

- the first gold sentences of the training part (``gold``);
- these and the rest, as parsed by the parser trained on ``gold`` (``one parser``);
- these and those of the rest of which a second parser, trained on ``gold`` too, finds the same
  parse (``two parsers``);
- all gold parses (``all gold``).

With ``--text`` the training part of another treebank takes the place of the rest, and its dev part
is scored, too. Trees are compared if both parsers write trees, dependencies otherwise.

The silver parses are those of the first parser, or with ``--second-parses`` those of the second
one. Every seed has its own parsers. The gold parses of the rest are not read until ``all gold``.
What is finished, a training run or a silver file, is not made again.
"""

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import spacy
import srsly
import torch
import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_structparse.corpora.docbins import load_docbin, read_docs, subset_of
from spacy_structparse.corpora.pipeline_outputs import words_alone
from spacy_structparse.files import write_atomically
from spacy_structparse.tools.agreement.agreement import Parser, choose_rule
from spacy_structparse.tools.agreement.duplicates import fingerprint, keys_of
from spacy_structparse.tools.agreement.lengths import count_lengths
from spacy_structparse.tools.agreement.selection import make_silver
from spacy_structparse.trees.words import sentences_of

from .evaluation import CONSTITUENCY_SCORES, DEPENDENCY_SCORES, evaluate
from .options import WORK, Corpus, GpuId, Name, Overrides, ScoreTest, Work, named_values
from .record import Figures, write_result
from .training_runs import (
    chosen_rows,
    folder_name,
    means,
    run_folder,
    spreads,
    stop_after,
    time_and_gpu,
    train,
)

GOLD, SECOND, ONE, TWO, ALL = "gold", "second parser", "one parser", "two parsers", "all gold"
# The rows that a row is made from.
NEEDED = {GOLD: (), SECOND: (), ONE: (GOLD,), TWO: (GOLD, SECOND), ALL: ()}


def take_gold(corpus: Path, folder: Path, sentences: int | None) -> tuple[int, int]:
    """Write the first Docs of the training part that have so many sentences together.

    Args:
        corpus: The folder of the treebank.
        folder: A file ``gold.spacy`` is written here, if there is none.
        sentences: The number of sentences. None: all of them.

    Returns:
        The number of Docs, and that of their sentences.

    Raises:
        typer.BadParameter: The training part has no more sentences than these.
    """
    found = count = 0
    for doc in read_docs(corpus / "train.spacy", Vocab(), spans=False):
        if sentences is not None and found >= sentences:
            break
        found += len(sentences_of(doc))
        count += 1
    docs = load_docbin(corpus / "train.spacy")
    if sentences is not None and count == len(docs):
        raise typer.BadParameter(
            f"the training part has {found} sentences, and --gold-sentences is {sentences}"
        )
    if not (folder / "gold.spacy").exists():
        write_atomically(folder / "gold.spacy", subset_of(docs, range(count)).to_bytes())
    return count, found


def sources(corpus: Path, skipped: int, vocab: Vocab) -> Iterator[Doc]:
    """The words of the training part, but for its first Docs."""
    docs = read_docs(corpus / "train.spacy", vocab, spans=False)
    for number, doc in enumerate(docs):
        if number >= skipped:
            yield words_alone(doc)


def held_out(corpora: Sequence[Path]) -> frozenset[int]:
    """The keys of the sentences that parsers are scored on."""
    paths = [corpus / f"{split}.spacy" for corpus in corpora for split in ("dev", "test")]
    docs = (doc for path in paths if path.exists() for doc in read_docs(path, Vocab(), spans=False))
    return frozenset(keys_of(docs, fingerprint))


def all_gold(corpus: Path, text: Path | None, folder: Path) -> Path:
    """The gold parses of a treebank, and of the text: a file, or a folder of two.

    Args:
        corpus: The folder of the treebank.
        text: That of the other treebank, if there is one.
        folder: The two files are copied here.
    """
    if text is None:
        return corpus / "train.spacy"
    for name, source in (("gold", corpus), ("text", text)):
        write_atomically(folder / f"{name}.spacy", (source / "train.spacy").read_bytes())
    return folder


def make_mixture(
    folder: Path,
    gold: Path,
    models: Sequence[Path],
    texts: Iterable[Doc],
    nlp: Language,
    share: float,
    **options: Any,
) -> dict[str, Any]:
    """Write gold and silver sentences into a folder, unless they are there.

    Args:
        folder: The folder. ``report.json`` in it says that it is finished.
        gold: The file of gold sentences.
        models: The pipelines after the first one.
        texts: What is parsed.
        nlp: The first pipeline.
        share: The least share of two parses that is the same.
        options: Those of `make_silver`.

    Returns:
        What became of the sentences.

    Raises:
        SilverError: The parsers write different things, or no sentence is left.
    """
    done = folder / "report.json"
    if not done.exists():
        others = [Parser(model.parent.name, spacy.load(model)) for model in models]
        parsers = [Parser("first", nlp), *others]
        rule = choose_rule(parsers, None, share if others else None, None)
        made = make_silver(texts, parsers, rule, **options)
        write_atomically(folder / "silver.spacy", made.docs.to_bytes())
        shutil.copyfile(gold, folder / "gold.spacy")
        report = {"sentences": dict(made.sentences)}
        write_atomically(done, srsly.json_dumps(report, indent=2).encode())
    return srsly.read_json(done)


def main(
    corpus: Corpus,
    name: Name,
    gold_sentences: Annotated[
        int | None, typer.Option(help="Gold sentences that are trained on; all with --text")
    ] = None,
    text: Annotated[
        Path | None,
        typer.Option(help="Folder of a treebank that is parsed in place of the corpus's rest"),
    ] = None,
    updates: Annotated[
        int | None, typer.Option(help="Updates of every training run; by default the config's")
    ] = None,
    seeds: Annotated[int, typer.Option(help="Seeds of every row, from 0 on")] = 1,
    student: Annotated[
        Path, typer.Option(help="Config of the parser that is measured, and parses")
    ] = Path("configs/seq2seq_constituency_datt.cfg"),
    second: Annotated[Path, typer.Option(help="Config of the second parser")] = Path(
        "configs/seq2seq_constituency.cfg"
    ),
    share: Annotated[
        float, typer.Option(help="Bracket F1 of two trees that agree, or LAS of two parses")
    ] = 1.0,
    second_parses: Annotated[
        bool,
        typer.Option("--second-parses", help="Keep the second parser's parses of agreed sentences"),
    ] = False,
    repeat_gold: Annotated[
        int, typer.Option(help="How often gold sentences are read in an epoch with silver ones")
    ] = 1,
    resample: Annotated[
        bool, typer.Option(help="Sample silver sentences to the lengths of the gold ones")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="A row to train, with those it needs; repeatable"),
    ] = None,
    work: Work = WORK,
    override: Overrides = None,
    second_override: Annotated[
        list[str] | None,
        typer.Option("--second-override", help="KEY=VALUE for the second parser, repeatable"),
    ] = None,
    test: ScoreTest = False,
    gpu_id: GpuId = -1,
) -> None:
    """Train configs/seq2seq_constituency_datt.cfg on gold trees, and on silver trees beside them.

    The second parser is configs/seq2seq_constituency.cfg: it has LSTMs in place of GRUs, and reads
    features of words. Name others by --student and --second.
    """
    if gold_sentences is None and text is None:
        raise typer.BadParameter("give --gold-sentences, --text or both: nothing is left to parse")
    torch.set_num_threads(1)
    result = f"self_training-{name}"
    folder = work / result / f"gold-{gold_sentences or 'all'}"
    n_gold, n_sentences = take_gold(corpus, folder, gold_sentences)
    parts = {"": corpus / "dev.spacy"}
    if text is not None:
        parts["text_"] = text / "dev.spacy"
    if test:
        parts["test_"] = corpus / "test.spacy"
    gold = folder / "gold.spacy"
    everything = all_gold(corpus, text, folder / "all-gold-corpus")
    settings = named_values("--override", override)
    second_settings = named_values("--second-override", second_override)
    repeat = {"corpora.train.repeat": srsly.json_dumps({"gold": repeat_gold})}
    options: dict[str, Any] = {
        "held_out": held_out([corpus, text] if text else [corpus]),
        "like": count_lengths(read_docs(gold, Vocab(), spans=False)) if resample else None,
    }
    chosen = chosen_rows(NEEDED, only)
    needed = {*chosen, *(row for others in chosen.values() for row in others)}
    runs: dict[str, list[Figures]] = {row: [] for row in NEEDED if row in needed}
    silver: dict[str, list[Figures]] = {row: [] for row in (ONE, TWO) if row in needed}

    def run(row: str, seed: int, config: Path, path: Path, more: Mapping[str, object]) -> Path:
        """Train one row on a file or a folder, score it, and give its pipeline."""
        output = run_folder(folder, row, seed)
        fixed = stop_after(config, updates) if updates else {}
        changed = {**fixed, **settings, **more, "paths.train": path}
        trained = train(config, corpus, output, seed, changed, gpu_id=gpu_id)
        nlp = spacy.load(output / "model-best")
        scores = {
            prefix + key: value
            for prefix, part in parts.items()
            for key, value in evaluate(nlp, part).items()
        }
        facts = {"updates": trained["max_updates"], **time_and_gpu(trained)}
        runs[row].append({"seed": seed, **facts, **scores})
        print(row, runs[row][-1], flush=True)
        return output / "model-best"

    for seed in range(seeds):
        pipelines = {
            row: run(row, seed, config, gold, more)
            for row, config, more in ((GOLD, student, {}), (SECOND, second, second_settings))
            if row in runs
        }
        for row in silver:
            parsers = [pipelines[part] for part in NEEDED[row]]
            first, *models = reversed(parsers) if second_parses else parsers
            mixture = folder / f"{folder_name(row)}-{seed}-corpus"
            nlp = spacy.load(first)
            texts = sources(text or corpus, 0 if text else n_gold, nlp.vocab)
            report = make_mixture(mixture, gold, models, texts, nlp, share, seed=seed, **options)
            silver[row].append(report)
            print(row, report["sentences"], flush=True)
            run(row, seed, student, mixture, repeat)
        if ALL in runs:
            run(ALL, seed, student, everything, {})
    scores = [
        f"{part}{key}" for part in parts for key in (*CONSTITUENCY_SCORES, *DEPENDENCY_SCORES)
    ]
    figures: Figures = {
        "gold_sentences": n_sentences if gold_sentences is None else gold_sentences,
        "text": text.name if text else None,
        "updates": updates,
        "configs": {"student": str(student), "second": str(second)},
        "share": share,
        "silver_parses": SECOND if second_parses else GOLD,
        "repeat_gold": repeat_gold,
        "resample": resample,
        "rows": {
            row: {"runs": found, **means(found, scores), **spreads(found, scores)}
            for row, found in runs.items()
        },
        "silver": silver,
    }
    write_result(result, 0, figures)


if __name__ == "__main__":
    typer.run(main)
