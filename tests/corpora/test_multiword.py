from hypothesis import given
from hypothesis import strategies as st

from spacy_structparse.corpora.conllu import ConlluSentence, SurfaceToken
from spacy_structparse.corpora.join import merged_leaves, rebuild
from spacy_structparse.corpora.multiword import merge_multiword
from spacy_structparse.cycles import find_cycle
from spacy_structparse.trees import Tree


def sentence(words, heads, tokens, **columns):
    n = len(words)
    return ConlluSentence(
        file="f",
        line=1,
        words=words,
        heads=heads,
        surface_tokens=tokens,
        lemmas=columns.get("lemmas", words),
        upos=columns.get("upos", ["X"] * n),
        xpos=columns.get("xpos", ["x"] * n),
        feats=columns.get("feats", [""] * n),
        deprels=columns.get("deprels", ["dep"] * n),
        space_after=[True] * n,
    )


def test_merged_token_takes_the_place_of_its_topmost_word():
    source = sentence(
        ["We", "gon", "na", "go"],
        [1, 1, 3, 1],
        [SurfaceToken(1, 3, "gonna", False)],
        lemmas=["we", "go", "to", "go"],
        upos=["PRON", "VERB", "PART", "VERB"],
        xpos=["PRP", "VBG", "TO", "VB"],
        feats=["", "Tense=Pres|VerbForm=Part", "VerbForm=Fin", ""],
        deprels=["nsubj", "root", "mark", "xcomp"],
    )
    merged, groups = merge_multiword(source)
    assert merged.words == ["We", "gonna", "go"]
    assert merged.heads == [1, 1, 1]
    assert merged.deprels == ["nsubj", "root", "xcomp"]
    assert merged.upos == ["PRON", "VERB", "VERB"]
    assert merged.xpos == ["PRP", "VBG_TO", "VB"]
    assert merged.lemmas == ["we", "go to", "go"]
    assert merged.feats[1] == "Tense=Pres|VerbForm=Fin,Part"
    assert merged.space_after == [True, False, True]
    assert [(group.start, group.end, group.main) for group in groups] == [(1, 3, 1)]


def test_words_of_a_merged_token_bring_their_dependents():
    # "It 's the dog": It <- dog, 's <- dog; a word on 's hangs on the token afterwards.
    source = sentence(["It", "'s", "n't", "dog"], [3, 3, 1, 3], [SurfaceToken(0, 2, "It's", True)])
    merged, _ = merge_multiword(source)
    assert merged.words == ["It's", "n't", "dog"]
    assert merged.heads == [2, 0, 2]


@given(st.data())
def test_merging_keeps_a_tree_of_heads(data):
    n = data.draw(st.integers(2, 9))
    order = data.draw(st.permutations(range(n)))
    heads: list[int | None] = [0] * n
    heads[order[0]] = order[0]
    for position in range(1, n):
        heads[order[position]] = order[data.draw(st.integers(0, position - 1))]
    for word in data.draw(st.sets(st.integers(0, n - 1), max_size=2)):
        heads[word] = None
    cuts = sorted(data.draw(st.sets(st.integers(0, n), min_size=2, max_size=6)))
    tokens = [
        SurfaceToken(start, end, "m", True)
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
        if end - start > 1
    ]
    merged, _ = merge_multiword(sentence(["w"] * n, heads, tokens))
    assert len(merged.heads) == n - sum(token.end - token.start - 1 for token in tokens)
    assert find_cycle(merged.heads) is None
    roots = [word for word, head in enumerate(merged.heads) if head == word]
    assert len(roots) <= 1
    if None not in heads:
        assert len(roots) == 1 and None not in merged.heads


def test_trees_are_merged_where_the_main_word_stands():
    tree = Tree.from_string("(S (NP (PRP It)) (VP (VBZ 's) (NP (DT the) (NN dog))))")
    source = sentence(["It", "'s", "the", "dog"], [1, 1, 3, 1], [SurfaceToken(0, 2, "It's", True)])
    _, groups = merge_multiword(source)
    merged = rebuild(tree, merged_leaves(tree.leaves(), groups), "bare")
    assert str(merged) == "(S (VP (VBZ 's) (NP (DT the) (NN dog))))"
