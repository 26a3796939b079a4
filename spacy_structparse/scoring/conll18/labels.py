"""The relations and features of Universal Dependencies that the CoNLL 2018 scores tell apart."""

CONTENT_RELATIONS = frozenset(
    """
    nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos
    nummod acl amod conj fixed flat compound list parataxis orphan goeswith reparandum root dep
    """.split()
)
"""Relations of words that CLAS, MLAS and BLEX count."""

FUNCTIONAL_RELATIONS = frozenset("aux cop mark det clf case cc".split())
"""Relations of words that MLAS judges together with the content word they hang on."""

UNIVERSAL_FEATURES = frozenset(
    """
    PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm
    Mood Tense Aspect Voice Evident Polarity Person Polite
    """.split()
)
"""Features that are compared; a treebank's other features, layered ones included, are not."""


def universal_features(feats: str) -> str:
    """Keep the universal features of a column FEATS, sorted; ``_`` becomes empty."""
    return "|".join(
        sorted(one for one in feats.split("|") if one.split("=", 1)[0] in UNIVERSAL_FEATURES)
    )


def universal_relation(deprel: str) -> str:
    """Drop the subtype of a relation: ``nmod:poss`` is ``nmod``."""
    return deprel.split(":", 1)[0]
