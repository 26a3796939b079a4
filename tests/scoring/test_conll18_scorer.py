"""The CoNLL 2018 scores of Docs: those of the same annotation in files."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_structparse.corpora.conllu_writer import doc_to_conllu
from spacy_structparse.corpora.convert import convert_treebank
from spacy_structparse.corpora.docbins import read_docs
from spacy_structparse.corpora.options import ConversionOptions, TreebankPart
from spacy_structparse.extensions.multiword import MULTIWORD, set_multiword_tokens
from spacy_structparse.scoring.conll18.reader import score_files
from spacy_structparse.scoring.conll18.scorer import evaluate_examples, score_conll18
from spacy_structparse.scoring.conll18.scores import METRICS
from tests.helpers.paths import CONLL18

VOCAB = Vocab()


def docs_of(path, folder):
    """The whole file as one Doc."""
    output = folder / f"{path.stem}.spacy"
    convert_treebank([TreebankPart(conllu=path)], output, ConversionOptions(n_sents=10**6))
    (doc,) = read_docs(output, VOCAB)
    return doc


def scores_of_written(gold, system, folder):
    """The scores of the Docs as CoNLL-U files."""
    paths = folder / "gold.conllu", folder / "system.conllu"
    for path, doc in zip(paths, (gold, system), strict=True):
        path.write_text(doc_to_conllu(doc), encoding="utf-8")
    return score_files(*paths)


def test_scores_of_docs_are_those_of_files(tmp_path):
    gold, system = (docs_of(CONLL18 / f"sample-{name}.conllu", tmp_path) for name in
                    ("gold", "system"))  # fmt: skip
    found = evaluate_examples([Example(system, gold)])
    # The sample has no features and no lemmas.
    assert set(METRICS) - set(found) == {"UFeats", "AllTags", "Lemmas", "MLAS", "BLEX"}
    assert scores_of_written(gold, system, tmp_path).items() >= found.items()
    assert 0 < found["LAS"].correct < found["UAS"].correct < found["Words"].correct


def test_multiword_tokens_that_the_parser_does_not_split(tmp_path):
    gold, system = (docs_of(CONLL18 / f"french-{name}.conllu", tmp_path) for name in
                    ("gold", "system"))  # fmt: skip
    example = Example(system, gold)
    assert evaluate_examples([example]) == scores_of_written(gold, system, tmp_path)
    scores = score_conll18([example])
    # The official figures of these files: french-expected.txt.
    assert scores["conll18_las"] == 12 / 25
    assert round(100 * scores["conll18_tokens"], 2) == 84.21
    assert round(100 * scores["conll18_mlas"], 2) == 28.57


def test_gold_words_have_the_gold_multiword_tokens():
    """A parser that is given the gold words knows nothing of the tokens that they were."""
    gold = Doc(VOCAB, ["Va", "à", "le", "lit"], heads=[0, 3, 3, 0], deps=["ROOT", *["dep"] * 3])
    set_multiword_tokens(gold, [(1, 3, "au")])
    for words, correct in ((["Va", "à", "le", "lit"], 3), (["Va", "àl", "e", "lit"], 2)):
        heads = [0, 3, 3, 0]
        system = Doc(VOCAB, words, heads=heads, deps=["ROOT", *["dep"] * 3])
        scores = evaluate_examples([Example(system, gold)])
        assert MULTIWORD not in system.spans
        assert scores["Tokens"].correct == correct
        assert scores["LAS"].correct == (4 if correct == 3 else 2)


def test_layers_that_nobody_annotated_have_no_score():
    gold = Doc(VOCAB, ["Go", "\n", "home"], heads=[0, 0, 0], deps=["ROOT", "", "advmod"])
    system = Doc(VOCAB, ["Go", "home"], pos=["VERB", "ADV"], heads=[0, 0], deps=["ROOT", "obj:x"])
    scores = score_conll18([Example(system, gold)])
    assert scores["conll18_words"] == scores["conll18_uas"] == 1.0
    assert scores["conll18_las"] == 0.5
    for name in ("upos", "xpos", "ufeats", "lemmas", "mlas", "blex"):
        assert scores[f"conll18_{name}"] is None
    assert set(score_conll18([]).values()) == {None}


def test_the_scorer_of_a_component():
    nlp = spacy.blank("en")
    nlp.add_pipe(
        "stack_lstm_dep",
        config={"scorer": {"@scorers": "spacy-structparse.conll18_scorer.v1"}},
    )
    gold = Doc(nlp.vocab, ["dogs", "bark"], heads=[1, 1], deps=["nsubj", "ROOT"])
    nlp.initialize(lambda: [Example(nlp.make_doc("dogs bark"), gold)])
    scores = nlp.evaluate([Example(nlp.make_doc("dogs bark"), gold)])
    assert scores["conll18_words"] == 1.0 and 0 <= scores["conll18_las"] <= 1


def test_another_text_has_no_score():
    docs = [Doc(VOCAB, words=words, heads=[0], deps=["ROOT"]) for words in (["dogs"], ["cats"])]
    with pytest.raises(ValueError, match="cats"):
        score_conll18([Example(*docs)])
