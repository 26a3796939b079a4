"""`spacy-structparse.TokenEmbedding.v1` over Docs: vocabulary, UNK, tags, vectors."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed
from spacy.vectors import Vectors
from thinc.api import Model, set_dropout_rate

from spacy_structparse.models.token_embedding import build_token_embedding, collect_vocabulary

WORDS = ["the", "dog", "saw", "the", "cat", "and", "the", "cat", "saw", "a", "bird"]
ONLY_WORDS = {"width": 6, "word_width": 5, "relu": False, "unk_prob": 0.5}


@pytest.fixture
def nlp() -> Language:
    return spacy.blank("en")


def doc_of(nlp: Language, words: Iterable[str] = WORDS) -> Doc:
    return Doc(nlp.vocab, words=list(words))


def initialized(nlp: Language, docs: list[Doc], **settings: object) -> Model:
    fix_random_seed(0)
    model = build_token_embedding(**{**ONLY_WORDS, **settings})
    collect_vocabulary(model, docs)
    return model.initialize(X=docs)


@pytest.mark.parametrize(("unit", "variance"), [(True, 1.0), (False, 2 / 401)])
def test_how_large_embeddings_begin(nlp: Language, unit: bool, variance: float) -> None:
    settings = {"width": 0, "word_width": 400, "unit_variance": unit}
    model = initialized(nlp, [doc_of(nlp)], **settings)
    assert model.predict([doc_of(nlp)])[0].var() == pytest.approx(variance, rel=0.1)


def test_shape_and_empty_docs(nlp: Language) -> None:
    model = initialized(nlp, [doc_of(nlp)], features=["NORM"], feature_rows=[50])
    output = model.predict([doc_of(nlp), doc_of(nlp, []), doc_of(nlp, ["dog"])])
    assert [vectors.shape for vectors in output] == [(11, 6), (0, 6), (1, 6)]
    assert output[2][0] == pytest.approx(output[0][1])
    assert model.get_dim("nO") == 6


def test_unknown_words_share_one_vector(nlp: Language) -> None:
    model = initialized(nlp, [doc_of(nlp)])
    known, one, other = model.predict([doc_of(nlp, ["dog", "quokka", "wombat"])])[0]
    assert one == pytest.approx(other)
    assert known != pytest.approx(one)


def test_a_vocabulary_can_be_cut(nlp: Language) -> None:
    model = initialized(nlp, [doc_of(nlp)], max_vocabulary=4)
    # The most frequent; of those seen as often the first by the alphabet.
    assert model.attrs["vocabulary"]["words"] == ["a", "cat", "saw", "the"]
    assert model.attrs["vocabulary"]["singletons"] == [0]
    known, dog, bird = model.predict([doc_of(nlp, ["cat", "dog", "bird"])])[0]
    assert dog == pytest.approx(bird)
    assert known != pytest.approx(dog)
    rare_left_out = initialized(nlp, [doc_of(nlp)], max_vocabulary=4, min_freq=2)
    assert rare_left_out.attrs["vocabulary"]["words"] == ["cat", "saw", "the"]
    unlimited = initialized(nlp, [doc_of(nlp)], max_vocabulary=0)
    assert len(unlimited.attrs["vocabulary"]["words"]) == len(set(WORDS))


def test_without_a_width_the_parts_stay_side_by_side(nlp: Language) -> None:
    data = with_vectors(nlp)
    tagged = Doc(nlp.vocab, words=["dog", "the"], tags=["NN", "DT"])
    model = initialized(
        nlp,
        [tagged],
        width=0,
        relu=True,
        use_pos=True,
        pos_width=3,
        use_vectors=True,
        features=["NORM", "SHAPE"],
        feature_rows=[20, 20],
        feature_width=2,
    )
    assert model.get_dim("nO") == 5 + 4 + 3 + 2 * 2
    module = model.shims[0].module
    assert module.project is None
    dog, the = model.predict([tagged])[0]
    rows = {word: 1 + i for i, word in enumerate(model.attrs["vocabulary"]["words"])}
    tags = {tag: 1 + i for i, tag in enumerate(model.attrs["vocabulary"]["tags"])}
    words, of_tags = (x.weight.detach().numpy() for x in (module.words, module.tags))
    assert dog[:5] == pytest.approx(words[rows["dog"]])
    assert dog[5:9] == pytest.approx(data[0])
    assert dog[9:12] == pytest.approx(of_tags[tags["NN"]])
    # No ReLU either: some of the sixteen are below 0.
    assert min(dog.min(), the.min()) < 0
    output, backprop = model.begin_update([tagged])
    backprop([np.ones_like(output[0])])
    assert module.words.weight.grad[rows["dog"]].tolist() == [1.0] * 5


def test_words_seen_once_become_unknown_in_training_alone(nlp: Language) -> None:
    doc = doc_of(nlp)
    model = initialized(nlp, [doc], unk_prob=0.5)
    once = {"dog", "and", "a", "bird"}
    expected = model.predict([doc])[0]
    unknown = model.predict([doc_of(nlp, ["quokka"])])[0][0]
    replaced = {word: 0 for word in WORDS}
    for _ in range(200):
        output = model.begin_update([doc])[0][0]
        for word, vector, own in zip(WORDS, output, expected, strict=True):
            if np.allclose(vector, unknown, atol=1e-6):
                replaced[word] += 1
            else:
                assert vector == pytest.approx(own, abs=1e-6)
        assert model.predict([doc])[0] == pytest.approx(expected)
    assert {word for word, n in replaced.items() if n} == once
    assert all(60 <= replaced[word] <= 140 for word in once)


@pytest.mark.parametrize("dropout", ["units", "parts", "none"])
def test_dropout_can_be_kept_off(nlp: Language, dropout: str) -> None:
    docs = [doc_of(nlp)]
    model = initialized(nlp, docs, dropout=dropout, unk_prob=0.0, features=["SHAPE"])
    before = model.predict(docs)[0]
    set_dropout_rate(model, 0.5)
    in_training = [model(docs, is_train=True)[0][0] for _ in range(5)]
    assert any(not np.allclose(x, before) for x in in_training) == (dropout != "none")


def test_dropout_of_whole_parts(nlp: Language) -> None:
    """Each part of a token is there or not, and larger where others are not."""
    docs = [Doc(nlp.vocab, words=["saw"] * 500, tags=["NN"] * 500)]
    settings: dict[str, object] = {"use_pos": True, "pos_width": 3, "word_width": 2, "width": 0}
    model = initialized(nlp, docs, dropout="parts", unk_prob=0.0, features=["SHAPE"], **settings)
    whole = model.predict(docs)[0][0]
    set_dropout_rate(model, 0.4)
    seen = set()
    for token in model(docs, is_train=True)[0][0]:
        kept = tuple(bool(part.any()) for part in np.split(token, [2, 5]))
        seen.add(kept)
        for part, was, is_there in zip(
            np.split(token, [2, 5]), np.split(whole, [2, 5]), kept, strict=True
        ):
            assert part == pytest.approx(was * 3 / max(sum(kept), 1) * is_there, abs=1e-6)
    assert len(seen) == 8


def test_characters_tell_unknown_words_apart(nlp: Language) -> None:
    docs = [doc_of(nlp)]
    settings: dict[str, object] = {"word_width": 0, "char_width": 8, "width": 0}
    model = initialized(nlp, docs, **settings)
    # Characters of one word alone, as the b of bird, are those that are not known.
    assert model.attrs["vocabulary"]["characters"] == ["a", "d", "t"]
    unseen = doc_of(nlp, ["saw", "tab", "xab", "bab", "dab", "saw"])
    saw, tab, xab, bab, dab, again = model.predict([unseen])[0]
    assert saw == pytest.approx(again)
    assert xab == pytest.approx(bab)
    assert tab != pytest.approx(xab)
    assert tab != pytest.approx(dab)
    alone = model.predict([doc_of(nlp, ["dab"]), doc_of(nlp, []), doc_of(nlp, ["saw"])])
    assert alone[0][0] == pytest.approx(dab, abs=1e-6)
    assert alone[2][0] == pytest.approx(saw, abs=1e-6)


def test_tags(nlp: Language) -> None:
    tagged = Doc(nlp.vocab, words=["saw", "saw", "saw"], tags=["VBD", "NN", "NN"])
    model = initialized(nlp, [tagged], use_pos=True, pos_width=3)
    verb, noun, other = model.predict([tagged])[0]
    assert verb != pytest.approx(noun)
    assert noun == pytest.approx(other)
    with pytest.raises(ValueError, match="use_pos is true but the docs have no TAG"):
        model.predict([doc_of(nlp)])
    spaces = Doc(nlp.vocab, words=[" "])
    assert model.predict([spaces])[0].shape == (1, 6)


def with_vectors(nlp: Language, width: int = 4) -> np.ndarray:
    data = np.arange(3 * width, dtype="f").reshape(3, width) / 10 + 0.1
    nlp.vocab.vectors = Vectors(data=data, keys=["dog", "cat", "quokka"], strings=nlp.vocab.strings)
    return data


def test_fixed_vectors(nlp: Language) -> None:
    data = with_vectors(nlp)
    docs = [doc_of(nlp)]
    model = initialized(nlp, docs, word_width=0, use_vectors=True)
    project = model.shims[0].module.project
    weight, bias = project.weight.detach().numpy(), project.bias.detach().numpy()
    dog, quokka, absent = model.predict([doc_of(nlp, ["dog", "quokka", "wombat"])])[0]
    assert dog == pytest.approx(weight @ data[0] + bias, abs=1e-5)
    assert quokka == pytest.approx(weight @ data[2] + bias, abs=1e-5)
    assert absent == pytest.approx(bias, abs=1e-6)
    assert set(model.shims[0].module.state_dict()) == {"project.weight", "project.bias", "features"}


@pytest.mark.parametrize("tuned", [False, True])
def test_a_word_without_a_vector_has_that_of_its_lower_cased_form(
    nlp: Language, tuned: bool, tmp_path: Path
) -> None:
    """spaCy forgets the attribute of vectors when they are saved."""
    data = np.eye(3, 4, dtype="float32")
    nlp.vocab.vectors = Vectors(
        data=data, keys=["dog", "us", "US"], strings=nlp.vocab.strings, attr="LOWER"
    )
    nlp.to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    doc = Doc(nlp.vocab, words=["dog", "Dog", "DOG", "us", "US", "Us", "Xyz"])
    settings = {"width": 0, "word_width": 0, "use_vectors": True, "tune_vectors": tuned}
    known = [doc_of(nlp, [])]
    [found] = initialized(nlp, known, **settings, lower_vectors=True).predict([doc])
    expected = [data[0], data[0], data[0], data[1], data[2], data[1], np.zeros(4)]
    np.testing.assert_array_equal(found, expected)
    [found] = initialized(nlp, known, **settings).predict([doc])
    expected[1] = expected[2] = expected[5] = np.zeros(4)
    np.testing.assert_array_equal(found, expected)


def test_tuned_vectors(nlp: Language) -> None:
    data = with_vectors(nlp)
    docs = [doc_of(nlp)]
    model = initialized(nlp, docs, word_width=0, use_vectors=True, tune_vectors=True)
    fixed = initialized(nlp, docs, word_width=0, use_vectors=True)
    fixed.shims[0].module.project.load_state_dict(model.shims[0].module.project.state_dict())
    words = [doc_of(nlp, ["dog", "quokka", "wombat"])]
    assert model.predict(words)[0] == pytest.approx(fixed.predict(words)[0], abs=1e-6)
    output, backprop = model.begin_update(words)
    backprop([np.ones_like(output[0])])
    table = model.shims[0].module.vectors
    assert table.weight.grad[0].abs().sum() > 0
    assert table.weight.grad[1].abs().sum() == 0
    table.weight.data[0] += 1
    assert (nlp.vocab.vectors.data == data).all()
    restored = build_token_embedding(
        **{**ONLY_WORDS, "word_width": 0, "use_vectors": True, "tune_vectors": True}
    ).from_bytes(model.to_bytes())
    assert restored.predict(words)[0] == pytest.approx(model.predict(words)[0])


@pytest.mark.parametrize("lower", [False, True])
def test_words_without_a_vector_are_learned_beside_tuned_vectors(
    nlp: Language, lower: bool, tmp_path: Path
) -> None:
    with_vectors(nlp)
    docs = [doc_of(nlp, [*WORDS, "Dog", "Dog"])]
    settings: dict[str, object] = {
        **{"width": 0, "word_width": 0, "unk_prob": 1.0},
        **{"use_vectors": True, "tune_vectors": True, "lower_vectors": lower},
    }
    model = initialized(nlp, docs, **settings)
    words = ["dog", "Dog", "the", "bird", "wombat", "saw"]
    dog, capital, the, bird, wombat, saw = model.predict([doc_of(nlp, words)])[0]
    assert (capital == dog).all() == lower
    assert not wombat.any()
    learned = [the, bird, saw, *([] if lower else [capital])]
    assert all(one.any() for one in learned)
    assert len({one.tobytes() for one in learned}) == len(learned)
    # In training a word seen once is the unknown word, unless it has a vector.
    trained, backprop = model.begin_update([doc_of(nlp, words)])
    assert not trained[0][3].any()
    np.testing.assert_array_equal(trained[0][[0, 1, 2, 5]], [dog, capital, the, saw])
    backprop([np.ones_like(trained[0])])
    gradient = model.shims[0].module.vectors.weight.grad.sum(1)
    assert int((gradient != 0).sum()) == (4 if lower else 5)
    restored = build_token_embedding(**{**ONLY_WORDS, **settings}).from_bytes(model.to_bytes())
    np.testing.assert_array_equal(restored.predict(docs)[0], model.predict(docs)[0])


def test_floret_vectors(nlp: Language) -> None:
    data = np.random.default_rng(0).normal(size=(40, 4)).astype("f")
    nlp.vocab.vectors = Vectors(
        data=data, mode="floret", minn=2, maxn=3, hash_count=2, strings=nlp.vocab.strings
    )
    docs = [doc_of(nlp)]
    model = initialized(nlp, docs, word_width=0, use_vectors=True)
    project = model.shims[0].module.project
    vector = model.predict([doc_of(nlp, ["dog", "unheard-of"])])[0][1]
    own = nlp.vocab.vectors.get_batch(["unheard-of"])[0]
    expected = project.weight.detach().numpy() @ own + project.bias.detach().numpy()
    assert vector == pytest.approx(expected, abs=1e-5)
    with pytest.raises(ValueError, match=r"floret.*tune_vectors"):
        initialized(nlp, docs, use_vectors=True, tune_vectors=True)


def test_vectors_that_are_not_there(nlp: Language) -> None:
    with pytest.raises(ValueError, match=r"use_vectors.*\[initialize\] vectors"):
        initialized(nlp, [doc_of(nlp)], use_vectors=True)
    with_vectors(nlp)
    model = initialized(nlp, [doc_of(nlp)], use_vectors=True)
    other = spacy.blank("en")
    with pytest.raises(ValueError, match=r"width 4, .* 0 of width 0"):
        model.predict([doc_of(other)])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"features": ["NORM"], "feature_rows": [1, 2]}, "1 features but 2 feature_rows"),
        ({"features": ["COLOUR"], "feature_rows": [5]}, "COLOUR.*not a token attribute"),
        ({"max_vocabulary": -2}, "max_vocabulary is -2, it must be at least 0"),
        ({"word_width": 0}, "nothing to embed"),
    ],
)
def test_settings_that_cannot_be(settings: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build_token_embedding(**{**ONLY_WORDS, **settings})


def test_the_same_seed_gives_the_same_vectors(nlp: Language) -> None:
    docs = [doc_of(nlp)]
    one, other = (initialized(nlp, docs) for _ in range(2))
    assert one.to_bytes() == other.to_bytes()
    # Nor does the order of the training data matter.
    turned = initialized(nlp, [doc_of(nlp, reversed(WORDS))])
    assert turned.predict(docs)[0] == pytest.approx(one.predict(docs)[0])


def test_a_vocabulary_comes_from_docs_or_a_file(nlp: Language, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no vocabulary"):
        build_token_embedding(**ONLY_WORDS).initialize(X=[doc_of(nlp)])
    path = tmp_path / "vocabulary.json"
    path.write_text('{"words": {"dog": 2, "the": 1}, "tags": []}', encoding="utf-8")
    model = initialized(nlp, [doc_of(nlp)], vocabulary=str(path))
    assert model.attrs["vocabulary"]["words"] == ["dog", "the"]


def test_tuned_vectors_begin_with_unit_variance(nlp: Language) -> None:
    with_vectors(nlp)
    settings = {"use_vectors": True, "tune_vectors": True, "unit_variance": True}
    model = initialized(nlp, [doc_of(nlp)], **settings)
    n_rows = nlp.vocab.vectors.shape[0]
    given = model.shims[0].module.vectors.weight.detach()[:n_rows]
    assert float(given.square().mean()) == pytest.approx(1.0, rel=1e-4)


def test_vectors_of_another_attribute(nlp: Language) -> None:
    nlp.vocab.vectors = Vectors(
        data=np.eye(2, dtype="f"), keys=["dog", "the"], strings=nlp.vocab.strings, attr="LOWER"
    )
    settings = {"width": 0, "word_width": 0, "use_vectors": True}
    model = initialized(nlp, [doc_of(nlp)], **settings)
    assert model.predict([doc_of(nlp, ["The", "DOG", "cat"])])[0].tolist() == [
        [0, 1],
        [1, 0],
        [0, 0],
    ]
