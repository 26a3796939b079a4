"""Rules of multiword tokens: what they learn, and what they do with a text."""

from spacy_structparse.extensions.multiword import MultiwordToken
from spacy_structparse.tokenization.split_rules import Pieces, SplitRules


def tokenize(text):
    """Tokens by spaces, with `n't`, `'s` and full stops cut off."""
    for end in ("n't", "'s", "."):
        text = text.replace(end, f"|{end}")
    words, touching, starts = [], [], []
    place = 0
    for chunk in text.split(" "):
        parts = chunk.split("|")
        for number, part in enumerate(parts, 1):
            words.append(part)
            starts.append(place)
            touching.append(number < len(parts))
            place += len(part)
        place += 1
    return Pieces(words, touching, starts)


def learn(*texts):
    """Rules of texts in which a multiword token is written `form=word+word`."""

    def read():
        for text in texts:
            surface, gold = "", []
            for chunk in text.split(" "):
                form, _, words = chunk.partition("=")
                start = len(surface) + bool(surface)
                surface = f"{surface} {form}".strip()
                if words:
                    gold.append(MultiwordToken(start, start + len(form), tuple(words.split("+"))))
            yield surface, gold

    return SplitRules.learn(read, tokenize)


def split(rules, text):
    return [(found.form, found.words) for found in rules.find(tokenize(text))]


def test_a_form_with_one_analysis_is_always_split():
    rules = learn("il va au=à+le lit", "le chat")
    assert split(rules, "au chat du roi") == [("au", ("à", "le"))]
    assert not rules.classifiers


def test_an_ambiguous_form_is_split_by_its_neighbours():
    rules = learn(
        "le toit des=de+les maisons", "le bruit des=de+les rues", "la porte des=de+les murs",
        "il voit des rues", "elle voit des maisons", "on voit des murs",
    )  # fmt: skip
    assert split(rules, "le toit des murs") == [("des", ("de", "les"))]
    assert split(rules, "il voit des toits") == []


def test_words_of_a_form_in_unseen_case_have_its_capitals():
    rules = learn("Du=de+le pain", "du=de+le pain", "au=à+le lit")
    assert split(rules, "Du pain") == [("Du", ("de", "le"))]  # as the treebank has it
    assert split(rules, "Au lit") == [("Au", ("À", "le"))]
    assert split(rules, "AU LIT") == [("AU", ("À", "LE"))]
    assert split(rules, "aU lit") == [("aU", ("à", "le"))]


def test_tokens_that_make_up_a_multiword_token_are_one():
    rules = learn("they don't=do+n't bark", "he cannot=can+not go")
    assert split(rules, "we don't go.") == [("don't", ("do", "n't"))]
    assert split(rules, "we do n't go.") == []


NAMES = ("Ann", "Bob", "Carl", "Dora", "Emil", "Fay", "Gina", "Hans", "Ida", "Jon")


def test_an_ending_of_many_forms_makes_new_ones():
    rules = learn(*[f"{name}'s={name}+'s car" for name in NAMES])
    assert rules.endings == ["'s"]
    assert split(rules, "see Zoe's car") == [("Zoe's", ("Zoe", "'s"))]
    assert split(rules, "see 7's and Zoe 's") == []
    # An ending that is often a word makes none.
    apart = [f"{name}'s car" for name in "Kim Lea Max".split()]
    assert learn(*[f"{name}'s={name}+'s car" for name in NAMES], *apart).endings == []


def test_a_form_that_the_tokenizer_cuts_otherwise_is_never_found():
    rules = learn("a.b=a+b c")
    assert rules.analyses == {"a.b": [("a", "b")]}
    rules = learn("l'=le+a homme")
    assert split(rules, "x.l'homme") == []
