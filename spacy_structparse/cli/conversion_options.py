"""The arguments and options of `spacy structparse convert`."""

import typer

Inputs = typer.Argument(
    help="Penn-bracket files (.ptb, .mrg, .psd), CoNLL-U/CoNLL-X files (.conllu, .conll, .conllx), "
    "or folders of them"
)
Output = typer.Argument(help="A .spacy file, or a folder for one file per input (train, dev, …)")
NSents = typer.Option(
    "--n-sents", "-n", help="Sentences per Doc, fewer at a paragraph's end", min=1, max=10**9
)
Tags = typer.Option(
    help="CoNLL-U column that becomes token.tag_. Without any XPOS the tags of the trees stand in "
    "for it, without trees UPOS"
)
LabelParts = typer.Option(
    help="Brackets' labels: bare (NP), with function tags (NP-SBJ), or in full with indices "
    "(NP-SBJ-1). Traces are no tokens and always go, with what they leave empty"
)
Heads = typer.Option(help="Skip sentences whose heads are no tree, or keep their words alone")
Differing = typer.Option(
    help="Where tree and dependencies are over different tokens, keep the dependencies, or skip",
    hidden=True,
)
Quotes = typer.Option(
    "--straight-quotes", help="In trees alone, make `` and '' the text's quotes", hidden=True
)
WhPhrases = typer.Option(
    "--wh-phrases",
    help="Label the NP of a relative or an interrogative word WHNP, as in the Penn Treebank (GUM "
    "has NP there)",
)
SpansKey = typer.Option(help="Span group for the trees, the parser's setting", hidden=True)
Only = typer.Option(
    metavar="REGEX",
    help="Keep the sentences whose sent_id it matches from the beginning: some genres, say",
)
Report = typer.Option(help="JSON file for the counts and every problem", dir_okay=False)
