"""The model card of a released pipeline: README.md, LICENSE and meta.json in its folder.

    python -m benchmarks.model_card training/release/sm/model-best \\
        benchmarks/results/release-sm.json sm

Every figure comes from the file of results, which `python -m benchmarks.release` wrote.
"""

from pathlib import Path
from typing import Annotated, Any

import srsly
import typer

from spacy_structparse.files import write_atomically

from .pages.markdown import table
from .pages.pipelines import gold_scores, raw_scores
from .record import ROOT, core_speed

SOURCES = ROOT / "assets" / "pipelines" / "sources.json"
"""What the pipelines are made of, and their versions."""


def read_sources(kind: str) -> dict[str, Any]:
    """The content of `SOURCES`, which has a pipeline of this kind."""
    sources: dict[str, Any] = srsly.read_json(SOURCES)
    if kind not in sources["pipelines"]:
        raise SystemExit(f"{SOURCES} has no pipeline '{kind}'; add it, or choose one of those")
    return sources


def data_rows(sources: list[dict[str, str]]) -> str:
    """The table of treebanks and pretrained parts."""
    rows = [
        [
            f"[{one['name']}]({one['url']})" if one["url"] else one["name"],
            one["license"],
            one["used"],
        ]
        for one in sources
    ]
    return table(["data", "licence", "what is used"], rows)


def readme(meta: dict[str, Any], sources: dict[str, Any], kind: str, result: dict[str, Any]) -> str:
    """The text of the card."""
    figures, own = result["figures"], sources["pipelines"][kind]
    package = f"{meta['lang']}_{meta['name']}"
    speed, memory, latency = figures["speed"], figures["memory"], figures["latency"]
    shares = sorted(figures["percent_of_time"].items(), key=lambda item: -item[1])
    machine = result["machine"]
    core = " ".join([machine["cpu"], *(f"({speed})" for speed in core_speed(machine))])
    components = ", ".join(f"`{name}`" for name in meta["pipeline"])
    genres = [
        [name, licence, "used" if used else "left out"] for name, licence, used in sources["genres"]
    ]
    return f"""# {package} {meta["version"]}

{own["description"]}. It needs [spaCy](https://spacy.io) and spacy-structparse.

```python
import spacy

nlp = spacy.load("{package}")
doc = nlp("Time flies like an arrow.")
for token in doc:
    print(token.text, token.pos_, token.lemma_, token.dep_, token.head.text)
for sent in doc.sents:
    print(sent._.constituency_tree)
```

- Components: {components}. The `senter` finds sentences.
- Words and multiword tokens are those of Universal Dependencies: *don't* is *do* and *n't*.
- Dependencies, `pos_`, `morph` and lemmas are those of Universal Dependencies, `tag_` and labels of
  phrases those of the Penn Treebank. Relative and interrogative words are in `WHNP`: where GUM has
  `NP`, it was changed before training.
- Licence: [{sources["license"]}]({sources["license_url"]}), as that of the treebanks asks. You may
  use it in a company, change it and give it away under the same licence.

## Data

{data_rows([*sources["treebanks"], *own["pretrained"]])}

GUM's genres, by the licence of their texts:

{table(["genre", "licence", "decision"], genres)}

## Accuracy

Percent on the test parts of the three treebanks, all genres of GUM. LAS and UAS are those of the
CoNLL 2018 shared task: they count punctuation and drop subtypes of labels. "No punctuation" leaves
out tokens with the UPOS `PUNCT` and counts subtypes. Bracket F1 is by the rules of COLLINS.prm,
over all sentences. GUM's trees are a parser's; CRAFT's are gold. CRAFT's dependencies, UPOS,
morphology and lemmas are of another scheme, and not scored.

Gold tokens and sentences:

{gold_scores(figures["gold_tokens"])}

From raw text, words and sentences predicted:

{raw_scores(figures["raw_text"])}

## Speed and memory

One core of {core}, no GPU.

- {speed["words_per_second"]:,} words/s from raw text through all components, in batches of
  {speed["batch_size"]}. Percent of the time: {", ".join(f"{k} {v:.1f}" for k, v in shares)}.
- {latency["milliseconds"]} ms for one sentence of {latency["tokens"]} tokens.
- {figures["seconds_to_load"]} s to load.
- {memory["peak_megabytes"]:,} MB of memory at most over {memory["text_megabytes"]} MB of text as a
  stream; {memory["peak_megabytes_after_a_tenth"]:,} MB after a tenth of it.

## Limits and biases

- It is trained on edited and web English of the 2000s and 2010s and on biomedical articles. Other
  varieties, speech, verse and other times will be parsed worse, and names of groups that the data
  seldom mentions may be tagged worse. Nothing of this was measured.
- {own["trees"]}
- It was selected on the dev parts of the same treebanks. The scores above say nothing of other
  domains.
- Text in another language gets an analysis, too, which means nothing.

## How it was made

`python -m spacy project run release . --vars.pipeline {kind}` in a clone of spacy-structparse makes
such a pipeline, and `docs/pipelines.md` says in which steps this one was trained. The config is
`config.cfg` in this package. The scores are those of `benchmarks/results/{result["name"]}.json`, of
commit {result["commit"]}, {result["date"]}.
"""


def main(
    pipeline: Annotated[Path, typer.Argument(help="The folder of the trained pipeline")],
    result: Annotated[Path, typer.Argument(help="The results of benchmarks.release")],
    kind: Annotated[str, typer.Argument(help="sm or trf")],
) -> None:
    """Write the card into the pipeline's folder."""
    sources, measured = read_sources(kind), srsly.read_json(result)
    own = sources["pipelines"][kind]
    meta = srsly.read_json(pipeline / "meta.json")
    # `spacy package` adds them, beside those of the package that the pipeline was trained from.
    meta.pop("requirements", None)
    meta |= {
        "name": f"structparse_{kind}",
        "version": own["version"],
        "description": own["description"],
        "author": "the spacy-structparse developers",
        "license": sources["license"],
        "sources": [*sources["treebanks"], *own["pretrained"]],
        "performance": meta.get("performance", {}) | {"test": measured["figures"]["gold_tokens"]},
    }
    notice = (
        f"{meta['lang']}_{meta['name']} is licensed under {sources['license']}: "
        f"{sources['license_url']}\n\nIt was made of the data and models that README.md names, by "
        "their authors, under the licences given there.\n"
    )
    card = readme(meta, sources, kind, measured)
    write_atomically(pipeline / "README.md", card.encode())
    write_atomically(pipeline / "LICENSE", notice.encode())
    content = srsly.json_dumps(meta, indent=2)
    write_atomically(pipeline / "meta.json", content.encode())
    typer.echo(f"{pipeline}: README.md, LICENSE, meta.json")


if __name__ == "__main__":
    typer.run(main)
