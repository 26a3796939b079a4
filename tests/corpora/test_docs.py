from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_structparse.corpora.docs import TreebankSentence, build_doc, group_sentences


@st.composite
def sentences(draw):
    """Sentences with any tree of heads over them, crossing arcs and unknown heads included."""
    n = draw(st.integers(1, 9))
    order = draw(st.permutations(range(n)))
    heads: list[int | None] = [None] * n
    heads[order[0]] = order[0]
    for position in range(1, n):
        heads[order[position]] = order[draw(st.integers(0, position - 1))]
    for word in draw(st.sets(st.integers(0, n - 1), max_size=2)):
        heads[word] = None
    return TreebankSentence(
        file="f",
        line=1,
        words=[f"w{i}" for i in range(n)],
        space_after=[True] * n,
        spaces_known=True,
        xpos=["T"] * n,
        heads=heads,
        deprels=[None] * n,
    )


@given(st.lists(sentences(), min_size=1, max_size=8), st.integers(1, 4))
def test_heads_and_sentences_survive_storage(originals, n_sents):
    vocab = Vocab()
    docs = DocBin(docs=[build_doc(vocab, group) for group in group_sentences(originals, n_sents)])
    loaded = list(DocBin().from_bytes(docs.to_bytes()).get_docs(Vocab()))
    assert all(len(list(doc.sents)) <= n_sents for doc in loaded)
    stored = [sent for doc in loaded for sent in doc.sents]
    assert len(stored) == len(originals)
    for sent, original in zip(stored, originals, strict=True):
        assert [token.text for token in sent] == original.words
        heads = [token.head.i - sent.start if token.has_head() else None for token in sent]
        assert heads == original.heads
