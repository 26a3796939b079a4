"""Dependency labels (the set of spaCy's English models) from the place of a phrase in a tree."""

from __future__ import annotations

from phrases import CLAUSES, NOUN_TAGS, PUNCT_TAGS, VERB_TAGS, Node, head_child, is_possessive

ADVERBIAL = frozenset({"ADV", "TMP", "PRP", "MNR", "LOC", "DIR", "EXT", "VOC", "CND"})
NEGATIONS = frozenset({"not", "n't", "never"})
BE = frozenset({"be", "is", "are", "am", "was", "were", "been", "being", "'s", "'re", "'m"})
GET = frozenset({"get", "gets", "got", "getting"})


def _main_verb(phrase: Node) -> Node | None:
    """The verb token a verb phrase starts its chain with: ``being`` in ``being built``."""
    for child in phrase.overt:
        if child.label in VERB_TAGS:
            return child
        if child.label == "VP":
            return _main_verb(child)
    return None


def _auxiliary(token: Node, parent: Node) -> str:
    below = next((c for c in parent.overt if c.label == "VP"), None)
    verb = _main_verb(below) if below else None
    passive = verb is not None and verb.label == "VBN"
    return "auxpass" if passive and token.form.lower() in BE | GET else "aux"


def is_passive(clause: Node) -> bool:
    """True where the clause's verb has a passive auxiliary, or is a participle without any."""
    node = next((c for c in clause.overt if c.label == "VP"), None)
    verbs = [c for c in clause.overt if c.label in VERB_TAGS]
    while node is not None:
        if any(_auxiliary(v, v.parent or clause) == "auxpass" for v in verbs):
            return True
        verbs = [c for c in node.overt if c.label in VERB_TAGS]
        node = next((c for c in node.overt if c.label == "VP"), None)
    return False


def _has_subject(clause: Node) -> bool:
    inner = clause
    while inner.label in ("S", "SQ", "SINV", "SBAR", "SBARQ"):
        if any("SBJ" in c.functions for c in inner.overt):
            return True
        below = next((c for c in inner.overt if c.label in CLAUSES), None)
        if below is None:
            return False
        inner = below
    return False


def token_label(token: Node, parent: Node, head: Node) -> str:
    """The label of a bare token that is not the head of its phrase."""
    tag, kind, form = token.label, parent.label, token.form.lower()
    before = parent.children.index(token) < parent.children.index(head)
    if tag in PUNCT_TAGS:
        return "punct"
    if tag == "CC":
        return "preconj" if before else "cc"
    if form in NEGATIONS and tag == "RB":
        return "neg"
    if tag in ("MD", "TO") or tag in VERB_TAGS:
        if kind in ("VP", "SQ", "SINV", "S"):
            return _auxiliary(token, parent)
        return "mark" if kind == "SBAR" else "amod"
    if tag == "IN":
        return {"PP": "pcomp", "WHPP": "pcomp", "QP": "quantmod", "SBAR": "mark"}.get(
            kind, "advmod"
        )
    if tag == "CD":
        return "compound" if kind == "QP" else "nummod"
    if tag in NOUN_TAGS:
        return "npadvmod" if kind in ("ADJP", "ADVP") else "compound"
    if tag == "DT":
        return "advmod" if kind in ("ADJP", "ADVP") else "det"
    return {
        "PDT": "predet", "WDT": "det", "WP": "det", "PRP$": "poss", "WP$": "poss", "POS": "case",
        "$": "nmod", "JJ": "amod", "JJR": "amod", "JJS": "amod", "RB": "advmod", "RBR": "advmod",
        "RBS": "advmod", "WRB": "advmod", "RP": "prt", "UH": "intj", "LS": "meta", "SYM": "nmod",
    }.get(tag, "dep")  # fmt: skip


def _noun_phrase(node: Node, parent: Node, head: Node, content: Node) -> str:
    kind = parent.label
    before = parent.children.index(node) < parent.children.index(head)
    if "SBJ" in node.functions:
        if any(c.label == "EX" for c in content.overt):
            return "expl"
        return "nsubjpass" if is_passive(parent) else "nsubj"
    if "PRD" in node.functions:
        return "attr"
    if node.functions & ADVERBIAL:
        return "npadvmod"
    if is_possessive(content):
        return "poss"
    if kind in ("NP", "WHNP", "NML"):
        return "nmod" if before else "appos"
    if kind in ("ADJP", "ADVP", "WHADVP", "WHADJP") or (kind in ("PP", "SBAR") and before):
        return "npadvmod"
    if kind in ("PP", "WHPP"):
        return "pobj"
    if kind in ("VP", "SQ"):
        later = parent.children[parent.children.index(node) + 1 :]
        objects = [c for c in later if c.label == "NP" and not c.functions & (ADVERBIAL | {"PRD"})]
        return "dative" if objects and not before else "dobj"
    return "dep"


def _clause(node: Node, parent: Node, head: Node, content: Node) -> str:
    kind, inner = parent.label, node.functions
    if "SBJ" in inner:
        return "csubjpass" if is_passive(parent) else "csubj"
    if inner & ADVERBIAL:
        return "advcl"
    if kind in ("PP", "WHPP"):
        return "pcomp"
    if content.label == "SBAR":
        first = content.overt[0]
        word = next(content.tokens()).form.lower()
        if word in ("than", "as") and first.label == "IN":
            return "advcl"
        if kind in ("NP", "WHNP"):
            relative = any(c.label.startswith("WH") for c in content.children)
            return "relcl" if relative else "acl"
        if kind in ("ADJP", "ADVP"):
            return "ccomp" if head.is_token else "advcl"
        return "ccomp" if kind in ("VP", "SQ", "S", "SINV") else "dep"
    if kind == "NP":
        return "acl"
    if kind in ("ADJP", "ADVP"):
        return "xcomp"
    if kind == "VP" and "TPC" not in content.functions:
        return "ccomp" if _has_subject(content) or content.label != "S" else "xcomp"
    return "ccomp" if "TPC" in content.functions else "parataxis"


def phrase_label(node: Node, parent: Node, head: Node, content: Node | None = None) -> str:
    """The label of the phrase ``node`` below ``parent``, whose head child is ``head``.

    ``content`` is the moved phrase where ``node`` is the trace that it left.
    """
    content = content or node
    kind = head_child(content).label if node.label == "UCP" else node.label
    before = parent.children.index(node) < parent.children.index(head)
    if kind == "PRN":
        inner = head_child(content)
        if inner.label == "NP" and parent.label in ("NP", "S"):
            return "appos" if parent.label == "NP" else "parataxis"
        return (
            "parataxis"
            if inner.label in CLAUSES or inner.label == "NP"
            else phrase_label(inner, content, inner)
        )
    if kind in ("NP", "WHNP"):
        return _noun_phrase(node, parent, head, content)
    if kind in CLAUSES or kind == "SBAR":
        return _clause(node, parent, head, content)
    if kind in ("PP", "WHPP"):
        if "DTV" in node.functions:
            return "dative"
        if any("LGS" in c.functions for c in content.children):
            return "agent"
        return "prep"
    if kind in ("ADVP", "WHADVP"):
        word = next(content.tokens()).form.lower()
        if word in NEGATIONS:
            return "neg"
        return "pcomp" if parent.label == "PP" and not before else "advmod"
    if kind in ("ADJP", "WHADJP"):
        if parent.label in ("VP", "SQ", "SBARQ", "SINV"):
            return "acomp"
        if parent.label in ("ADJP", "ADVP", "WHADJP"):
            return "advmod"
        return {"S": "advcl", "PP": "pcomp"}.get(parent.label, "amod")
    if kind == "CONJP":
        return "preconj" if before else "cc"
    if kind in ("NML", "NX"):
        return "compound"
    return {"PRT": "prt", "INTJ": "intj", "LST": "meta", "QP": "nummod", "VP": "acl"}.get(
        kind, "dep"
    )
