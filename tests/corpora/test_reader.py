import pytest
import spacy
from spacy.cli.train import train
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example
from spacy.training.augment import (
    create_combined_augmenter,
    create_lower_casing_augmenter,
    create_orth_variants_augmenter,
)

from spacy_structparse.corpora.augment import keep_trees
from spacy_structparse.corpora.reader import create_corpus_reader
from spacy_structparse.errors import ReadError
from spacy_structparse.trees import Tree, get_tree
from tests.helpers.small_parser import tagger_config
from tests.helpers.tree_docs import doc_of_trees

READER = "spacy-structparse.Corpus.v1"
FIRST = Tree.from_string("(S (NP (DT The) (NN dog)) (VP (VP (VBZ barks))) (. .))")
SECOND = Tree.from_string("(S (NP (PRP It)) (VP (VBZ 's) (ADJP (JJ big))))")


@pytest.fixture
def nlp():
    return spacy.blank("en")


def make_doc(nlp, trees, spaces_known=True):
    words = [word for tree in trees for word in tree.words()]
    spaces = [word not in ("barks", "It") for word in words] if spaces_known else None
    return doc_of_trees(nlp.vocab, trees, spaces=spaces)


def save(path, docs):
    DocBin(docs=docs).to_disk(path)
    return path


def trees_of(example):
    return list(get_tree(example.reference).children)


def test_whole_docs_are_read_as_spacy_reads_them(nlp, tmp_path):
    docs = [make_doc(nlp, [FIRST, SECOND]), make_doc(nlp, [SECOND])]
    path = save(tmp_path / "x.spacy", docs)
    examples = list(create_corpus_reader(path)(nlp))
    assert [trees_of(example) for example in examples] == [[FIRST, SECOND], [SECOND]]
    assert [example.predicted.text for example in examples] == [doc.text for doc in docs]
    assert len(list(create_corpus_reader(path, limit=1)(nlp))) == 1


@pytest.mark.parametrize("settings", [{"gold_preproc": True}, {"max_length": 6}])
def test_cut_docs_keep_their_trees(nlp, tmp_path, settings):
    doc = make_doc(nlp, [FIRST, SECOND])
    doc.spans["other"] = [Span(doc, 5, 6, "X"), Span(doc, 3, 6, "crosses")]
    doc.spans["empty"] = []
    path = save(tmp_path / "x.spacy", [doc])
    one, two = create_corpus_reader(path, **settings)(nlp)
    assert [trees_of(one), trees_of(two)] == [[FIRST], [SECOND]]
    assert [(span.start, span.end, span.label_) for span in two.reference.spans["other"]] == [
        (1, 2, "X")
    ]
    assert "empty" in one.reference.spans


def test_sentences_too_long_are_left_out(nlp, tmp_path):
    path = save(tmp_path / "x.spacy", [make_doc(nlp, [FIRST, SECOND])])
    (only,) = create_corpus_reader(path, max_length=4)(nlp)
    assert trees_of(only) == [SECOND]


def test_gold_tokens_are_kept_where_spaces_are_unknown(nlp, tmp_path):
    odd = Tree.from_string("(S (X a.b.c.!) (Y it's))")
    path = save(tmp_path / "x.spacy", [make_doc(nlp, [odd, odd], spaces_known=False)])
    for settings in ({}, {"max_length": 3}):
        for example in create_corpus_reader(path, **settings)(nlp):
            assert example.predicted[1].text == "it's"


def test_tags_read_apart_are_on_the_predicted_side(nlp, tmp_path):
    docs = [make_doc(nlp, [FIRST, SECOND]), make_doc(nlp, [SECOND])]
    path = save(tmp_path / "x.spacy", docs)
    for doc in docs:
        for token in doc:
            token.tag_, token.pos_ = f"T{token.i}", "X"
    tags = save(tmp_path / "tags.spacy", docs)
    examples = list(create_corpus_reader(path, tags=tags)(nlp))
    assert [token.tag_ for token in examples[0].predicted] == [f"T{i}" for i in range(7)]
    assert examples[0].predicted[0].pos_ == "X"
    assert [token.tag_ for token in examples[0].reference][:2] == ["DT", "NN"]
    sentences = list(create_corpus_reader(path, tags=tags, gold_preproc=True)(nlp))
    assert [token.tag_ for token in sentences[1].predicted] == ["T4", "T5", "T6"]


def test_files_are_read_as_often_as_is_said(nlp, tmp_path):
    folder, tag_folder = tmp_path / "words", tmp_path / "tags"
    folder.mkdir()
    tag_folder.mkdir()
    for name, tree in [("a", FIRST), ("b", SECOND)]:
        doc = make_doc(nlp, [tree])
        save(folder / f"{name}.spacy", [doc])
        for token in doc:
            token.tag_ = name
        save(tag_folder / f"{name}-tags.spacy", [doc])
    read = create_corpus_reader(folder, repeat={"b": 3}, tags=tag_folder)
    examples = list(read(nlp))
    assert [(trees_of(example), example.predicted[0].tag_) for example in examples] == [
        ([FIRST], "a"),
        *[([SECOND], "b")] * 3,
    ]
    assert len(list(create_corpus_reader(folder, repeat={"b": 3}, limit=2)(nlp))) == 2
    assert len(list(create_corpus_reader(folder, repeat={"b": 0}, tags=tag_folder)(nlp))) == 1


def test_a_file_to_repeat_that_is_none_is_an_error(nlp, tmp_path):
    path = save(tmp_path / "a.spacy", [make_doc(nlp, [FIRST])])
    with pytest.raises(ValueError, match=r"repeat names c, and 0 files .*/a\."):
        list(create_corpus_reader(path, repeat={"c": 2})(nlp))


def test_files_of_one_name_are_told_apart_by_their_folders(nlp, tmp_path):
    for folder, tree in [("a", FIRST), ("b", SECOND)]:
        (tmp_path / folder).mkdir()
        save(tmp_path / folder / "news.spacy", [make_doc(nlp, [tree])])
    save(tmp_path / "gold.spacy", [make_doc(nlp, [FIRST, SECOND])])
    examples = create_corpus_reader(tmp_path, repeat={"b/news": 2, "gold": 2})(nlp)
    found = [trees_of(example) for example in examples]
    assert [found.count(trees) for trees in ([FIRST], [SECOND], [FIRST, SECOND])] == [1, 2, 2]
    with pytest.raises(ValueError, match=r"2 files .*: a/news, b/news, .*/gold\."):
        list(create_corpus_reader(tmp_path, repeat={"news": 2})(nlp))


def test_tags_follow_the_tokenizers_tokens(nlp, tmp_path):
    gold = Tree.from_string("(S (X can) (Y not) (Z don't))")
    doc = Doc(
        nlp.vocab,
        words=gold.words(),
        spaces=[False, True, False],
        tags=["A", "B", "C"],
        sent_starts=[True, False, False],
    )
    path = save(tmp_path / "x.spacy", [doc])
    (example,) = create_corpus_reader(path, tags=path)(nlp)
    tagged = [(token.text, token.tag_) for token in example.predicted]
    assert tagged == [("can", "A"), ("not", "B"), ("do", "C"), ("n't", "C")]


def test_tags_over_other_tokens_name_file_and_doc(nlp, tmp_path):
    one, two = make_doc(nlp, [FIRST]), make_doc(nlp, [SECOND])
    path = save(tmp_path / "x.spacy", [one, two])
    other = Doc(nlp.vocab, words=["It", "is", "big"])
    for docs, number in [([one], 1), ([one, one], 1), ([one, two, two], 2), ([one, other], 1)]:
        tags = save(tmp_path / "tags.spacy", docs)
        with pytest.raises(ValueError, match=rf"doc {number} of .*x\.spacy .*tags\.spacy"):
            list(create_corpus_reader(path, tags=tags)(nlp))


VARIANTS = {"single": [{"tags": ["NN"], "variants": ["dog", "hound"]}], "paired": []}


def change_first_noun(nlp, example):
    """What spaCy's orth variants do, without its chance."""
    data = example.to_dict()
    data["token_annotation"]["ORTH"][1] = "hounds"
    yield Example.from_dict(nlp.make_doc("The hounds barks."), data)


@pytest.mark.parametrize(
    "augmenter",
    [
        create_lower_casing_augmenter(1.0),
        create_orth_variants_augmenter(1.0, 1.0, VARIANTS),
        change_first_noun,
    ],
)
def test_augmented_examples_keep_their_trees(nlp, tmp_path, augmenter):
    doc = make_doc(nlp, [FIRST])
    doc.spans["other"] = [Span(doc, 1, 2, "X", span_id="id", kb_id="kb")]
    path = save(tmp_path / "x.spacy", [doc])
    (example,) = create_corpus_reader(path, augmenter=keep_trees(augmenter))(nlp)
    assert get_tree(example.reference[:]).spans() == FIRST.spans()
    (other,) = example.reference.spans["other"]
    assert (other.start, other.end) == (1, 2)
    assert (other.label_, other.id_, other.kb_id_) == ("X", "id", "kb")


def test_inserted_whitespace_goes_around_trees_and_tags(nlp, tmp_path):
    path = save(tmp_path / "x.spacy", [make_doc(nlp, [FIRST])])
    augmenter = create_combined_augmenter(0.0, 0.0, None, 1.0, 1.0, ["\n"])
    reader = create_corpus_reader(path, augmenter=keep_trees(augmenter), tags=path)
    (example,) = reader(nlp)
    assert len(example.reference) > 4
    words = [token for token in example.reference if not token.is_space]
    assert [token.text for token in words] == FIRST.words()
    assert get_tree(example.reference[:]).spans() == FIRST.spans()
    tagged = [token.tag_ for token in example.predicted if not token.is_space]
    assert tagged == FIRST.tags()


def test_letters_that_grow_in_lower_case(nlp):
    tree = Tree.from_string("(S (NP (NNP İİ) (NNP B)) (VP (VB C)))")
    doc = make_doc(nlp, [tree])
    (example,) = keep_trees(create_lower_casing_augmenter(1.0))(
        nlp, Example(nlp.make_doc(doc.text), doc)
    )
    assert get_tree(example.reference[:]).spans() == tree.spans()


def test_an_augmenter_that_drops_words_is_an_error(nlp):
    def drop(nlp, example):
        yield Example(example.predicted, Doc(nlp.vocab, words=["The"]))

    doc = make_doc(nlp, [FIRST])
    with pytest.raises(ValueError, match="made 1 tokens of 4"):
        list(keep_trees(drop)(nlp, Example(nlp.make_doc(doc.text), doc)))

    def double(nlp, example):
        yield Example(example.predicted, Doc(nlp.vocab, words=[t.text for t in doc] * 2))

    with pytest.raises(ValueError, match="made 8 tokens of 4"):
        list(keep_trees(double)(nlp, Example(nlp.make_doc(doc.text), doc)))


def test_config_resolves_reader_and_augmenter(nlp, tmp_path):
    path = save(tmp_path / "x.spacy", [make_doc(nlp, [FIRST])])
    config = {
        "corpus": {
            "@readers": "spacy-structparse.Corpus.v1",
            "path": str(path),
            "tags": str(path),
            "augmenter": {
                "@augmenters": "spacy-structparse.keep_trees.v1",
                "augmenter": {"@augmenters": "spacy.lower_case.v1", "level": 1.0},
            },
        }
    }
    corpus = spacy.registry.resolve(config)["corpus"]
    (example,) = corpus(nlp)
    assert example.reference.text.startswith("the dog")
    assert [token.tag_ for token in example.predicted] == FIRST.tags()


def test_a_path_without_data_is_an_error(nlp, tmp_path):
    words = save(tmp_path / "x.spacy", [make_doc(nlp, [FIRST])])
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "dev.conllu").write_text("# text = x\n")
    for path, says in [
        (tmp_path / "absent.spacy", r"absent\.spacy does not exist"),
        (tmp_path / "absent", "absent does not exist"),
        (empty, r"the folder .*empty has no \.spacy files"),
    ]:
        with pytest.raises(ReadError, match=says):
            list(create_corpus_reader(path)(nlp))
        with pytest.raises(ReadError, match=says):
            list(create_corpus_reader(words, tags=path)(nlp))
    with pytest.raises(ReadError, match=r"dev\.conllu is not a whole \.spacy file"):
        list(create_corpus_reader(empty / "dev.conllu")(nlp))


def test_training_ends_where_its_data_are_absent(nlp, tmp_path):
    """A reader that training does not use needs no data."""
    data = save(tmp_path / "x.spacy", [make_doc(nlp, [FIRST])])
    paths = {f"corpora.{part}.path": str(data) for part in ("train", "dev")}
    paths["corpora.test"] = {"@readers": READER, "path": "no-data"}
    train(tagger_config(tmp_path, READER), tmp_path / "out", overrides=paths)
    for part in ("train", "dev"):
        absent = {**paths, f"corpora.{part}.path": str(tmp_path / "no-data")}
        with pytest.raises(ReadError, match="no-data does not exist"):
            train(tagger_config(tmp_path, READER), tmp_path / "out", overrides=absent)


def test_docs_without_words_are_no_data(nlp, tmp_path):
    empty = save(tmp_path / "empty.spacy", [Doc(nlp.vocab), Doc(nlp.vocab)])
    with pytest.raises(ReadError, match=r"empty\.spacy has no documents with words"):
        list(create_corpus_reader(empty)(nlp))
    long = save(tmp_path / "long.spacy", [make_doc(nlp, [FIRST])])
    says = r"long\.spacy has no .* fewer than 3 tokens .*max_length"
    with pytest.raises(ReadError, match=says):
        list(create_corpus_reader(long, max_length=3)(nlp))


def test_docs_without_trees_are_augmented_too(nlp):
    doc = Doc(nlp.vocab, words=["The", "Dog"])
    example = Example(nlp.make_doc("The Dog"), doc)
    (augmented,) = keep_trees(create_lower_casing_augmenter(1.0))(nlp, example)
    assert augmented.reference.text.strip() == "the dog"


def test_docs_without_sentence_starts_are_not_cut(nlp, tmp_path):
    doc = Doc(nlp.vocab, words=["a", "b", "c"])
    path = save(tmp_path / "x.spacy", [doc, doc[:2].as_doc()])
    found = [len(example.reference) for example in create_corpus_reader(path, max_length=3)(nlp)]
    assert found == [2]
    with pytest.raises(ValueError, match="E913"):
        create_corpus_reader(None)
