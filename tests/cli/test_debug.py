import json

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.training import Example

from spacy_structparse.trees import Tree, set_trees
from tests.helpers.commands import said

VOCAB = spacy.blank("en").vocab
LEARNERS = ("tagger", "morphologizer", "trainable_lemmatizer", "backoff_lemmatizer")


def config_of(folder, *factories, frozen=(), section="factory"):
    """A config file with these components, of which a parser reads tags."""
    parts = [f'[nlp]\nlang = "en"\npipeline = {json.dumps(factories)}', "[components]"]
    for name in factories:
        parts.append(f'[components.{name}]\n{section} = "{name}"')
        if name in ("stack_lstm_dep", "seq2seq_constituency"):
            parts.append(f"[components.{name}.model]\nuse_pos = true")
    parts.append(f"[training]\nfrozen_components = {json.dumps(frozen)}")
    path = folder / "config.cfg"
    path.write_text("\n".join(parts), encoding="utf-8")
    return "--config", str(path)


def sentence(text="the dog barks", heads=(1, 2, 2), deps=("det", "nsubj", "ROOT"), **options):
    return Doc(VOCAB, words=text.split(" "), heads=list(heads), deps=list(deps), **options)


def debug(tmp_path, train, dev=None, *options, status=0):
    """The command's output in one line and its JSON."""
    paths = []
    for name, docs in (("train", train), ("dev", dev)):
        if docs is not None:
            paths.append(tmp_path / f"{name}.spacy")
            DocBin(docs=docs).to_disk(paths[-1])
    path = tmp_path / "report.json"
    output = said("debug", *paths, "--json", path, *options, status=status)
    return output, json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def test_counts_words_lengths_and_tags(tmp_path):
    spaced = Doc(VOCAB, words=["a", "\n", "b"], tags=["X", "_SP", ""], sent_starts=[1, 0, 0])
    _, found = debug(tmp_path, [sentence(), spaced, Doc(VOCAB)])
    corpus = found["train"]["corpus"]
    assert (corpus["docs"], corpus["empty_docs"], corpus["sentences"]) == (3, 1, 2)
    assert (corpus["words"], corpus["whitespace_tokens"]) == (5, 1)
    assert corpus["words_without_tag"] == 4
    assert corpus["tags"] == {"X": 1}
    assert corpus["longest_sentence"] == "doc 0, tokens 0 to 2"
    assert corpus["sentence_lengths"]["longest"] == 3


def test_crossing_arcs(tmp_path):
    # "scheduled" takes "on", which hangs on "hearing" across it.
    crossing = sentence(
        "a hearing is scheduled on it",
        (1, 3, 3, 3, 1, 4),
        ("det", "nsubjpass", "auxpass", "ROOT", "prep", "pobj"),
    )
    _, found = debug(tmp_path, [sentence(), crossing])
    dependencies = found["train"]["dependencies"]
    assert (dependencies["nonprojective_sentences"], dependencies["nonprojective_arcs"]) == (1, 1)
    assert dependencies["labels"]["prep"] == 1
    assert dependencies["learnable_sentences"] == 2


def test_half_annotated_and_unreachable_sentences_are_placed(tmp_path):
    half = sentence(deps=("", "nsubj", "ROOT"))
    # Known arcs 0-2 and 1-3 cross, and a tree with unknown heads cannot be lifted.
    crossed = sentence("a b c d e", (2, 3, 4, 4, 4), ("x", "x", "", "x", "ROOT"))
    bare = Doc(VOCAB, words=["no", "heads"], sent_starts=[True, False])
    output, found = debug(tmp_path, [sentence(), half, crossed, bare])
    dependencies = found["train"]["dependencies"]
    assert dependencies["complete_sentences"] == 1
    assert dependencies["partial_sentences"] == ["doc 1, tokens 0 to 2", "doc 2, tokens 0 to 4"]
    assert dependencies["unannotated_sentences"] == 1
    assert list(dependencies["unreachable"].values()) == [["doc 2, tokens 0 to 4"]]
    assert dependencies["learnable_sentences"] == 2
    assert "1 sentences are skipped in training" in output


def test_layers_that_disagree(tmp_path):
    agreeing, treeless = sentence(), sentence()
    set_trees(agreeing, [Tree.from_string("(S (NP (DT the) (NN dog)) (VP (VBZ barks)))")])
    headless = Doc(VOCAB, words=["a", "b"], sent_starts=[True, False])
    headless.spans["constituency"] = [Span(headless, 0, 1, label="NP")]
    two = Doc(
        VOCAB, words=["a", "b", "c"], heads=[0, 1, 1], deps=["ROOT", "ROOT", "x"]
    )  # sentences: a; b c
    two.spans["constituency"] = [Span(two, 0, 3, label="S")]
    crossing = sentence()
    spans = [Span(crossing, 0, 2, label="A"), Span(crossing, 1, 3, label="B")]
    crossing.spans["constituency"] = SpanGroup(crossing, name="constituency", spans=spans)
    output, found = debug(tmp_path, [agreeing, treeless, headless, two, crossing])
    trees = found["train"]["trees"]
    assert trees["only_dependencies"] == ["doc 1, tokens 0 to 2", "doc 3, tokens 1 to 2"]
    assert trees["only_trees"] == ["doc 2, tokens 0 to 1"]
    assert trees["words_outside"] == ["doc 2, tokens 0 to 1"]
    assert trees["across_sentences"] == ["doc 3, tokens 0 to 0"]
    assert len(trees["unreadable"]) == 1 and "doc 4" in trees["unreadable"][0]
    assert "have words outside of their tree" in output


def test_dev_is_compared_with_train(tmp_path):
    dev = sentence("the cat barks", deps=("det", "agent", "ROOT"))
    output, found = debug(tmp_path, [sentence()], [dev])
    assert found["dev"]["unknown_words"] == pytest.approx({"tokens": 1 / 3, "types": 1 / 3})
    assert found["dev"]["labels_train_does_not_have"]["dependency labels"] == {"agent": 1}
    assert "33.3% of dev's words are unknown to train" in output
    assert "dependency labels in dev that train does not have: agent (1)" in output


@pytest.mark.parametrize(
    ("docs", "error"),
    [
        ([Doc(VOCAB)], "train has no words"),
        ([Doc(VOCAB, words=["a"])], "train has no dependencies and no trees"),
        ([sentence("a", (0,), ("ROOT",))], "train has no labels"),
        (
            [sentence("a b c d e", (2, 3, 4, 4, 4), ("x", "x", "", "x", "ROOT"))],
            "no sentence whose dependencies can be learned from",
        ),
    ],
)
def test_exit_code_where_training_is_impossible(tmp_path, docs, error):
    output, found = debug(tmp_path, docs, status=1)
    assert error in output
    assert found["errors"]


def test_trees_alone_are_no_error_unless_a_dependency_parser_is_to_learn(tmp_path):
    doc = Doc(VOCAB, words=["a"], sent_starts=[True])
    set_trees(doc, [Tree.from_string("(NP (DT a))")])
    debug(tmp_path, [doc])
    config = config_of(tmp_path, "tagger", "stack_lstm_dep")
    output, _ = debug(tmp_path, [doc], None, *config, status=1)
    assert "train has no dependencies, which stack_lstm_dep learns from" in output


def test_a_parser_of_trees_needs_trees(tmp_path):
    config = config_of(tmp_path, "seq2seq_constituency")
    output, content = debug(tmp_path, [sentence()], None, *config, status=1)
    assert "train has no trees, which seq2seq_constituency learns from" in output
    assert any("use_pos" in warning for warning in content["warnings"])
    doc = sentence(tags=["D", "N", "V"])
    set_trees(doc, [Tree.from_string("(S (NP (D the) (N dog)) (VP (V barks)))")])
    debug(tmp_path, [doc], None, *config)


def test_what_cannot_be_read_is_named(tmp_path):
    broken = tmp_path / "broken.spacy"
    broken.write_bytes(b"nothing")
    for path, text in ((broken, "broken.spacy"), (tmp_path / "none.spacy", "does not exist")):
        assert text in said("debug", path, status=1)


def test_a_config_that_is_not_there(tmp_path):
    options = "--config", "no_such_pipeline"
    output, found = debug(tmp_path, [sentence()], None, *options, status=2)
    assert "no_such_pipeline" in output and found is None


@pytest.mark.parametrize("factory", LEARNERS)
def test_annotation_that_a_component_learns_from_is_missing(tmp_path, factory):
    nlp = spacy.blank("en")
    nlp.add_pipe(factory)
    bare = sentence()
    with pytest.raises(ValueError, match="E143"):
        nlp.initialize(lambda: [Example(bare, bare)])
    _, found = debug(tmp_path, [bare], None, *config_of(tmp_path, factory), status=1)
    (error,) = found["errors"]
    assert f"which {factory} learns from" in error
    nlp.to_disk(tmp_path / "saved")
    debug(tmp_path, [bare], None, "--config", tmp_path / "saved", status=1)
    # A frozen component learns nothing, and a sourced one has learned.
    for options in ({"frozen": [factory]}, {"section": "source"}):
        debug(tmp_path, [bare], None, *config_of(tmp_path, factory, **options))


def test_a_quiet_report_has_the_findings_alone(tmp_path):
    """Long sentences, layers that dev lacks, and components that are not installed."""
    DocBin(docs=[sentence()]).to_disk(tmp_path / "dev.spacy")
    tree = Doc(VOCAB, words=["a"], heads=[0], deps=["ROOT"])
    set_trees(tree, [Tree.from_string("(NP (DT a))")])
    long = Doc(VOCAB, words=["a"] * 500, heads=[0] * 500, deps=["ROOT"] + ["dep"] * 499)
    DocBin(docs=[tree, long]).to_disk(tmp_path / "train.spacy")
    DocBin(docs=[Doc(VOCAB, words=["a"])]).to_disk(tmp_path / "dev.spacy")
    _, config = config_of(tmp_path, "spa_dep", "of_another_package")
    paths = [tmp_path / f"{name}.spacy" for name in ("train", "dev")]
    out = said("debug", *paths, "--config", config, "--quiet")
    assert "500 words (doc 1, tokens 0 to 499)" in out
    assert "dev has no dependencies" in out and "dev has no trees" in out
    assert "--json FILE" in out and "corpus: words" not in out
