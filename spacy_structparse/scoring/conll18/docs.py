"""Docs as annotated texts.

- A word is a token of the Doc that is not whitespace.
- A token, in the sense of CoNLL-U, is a word too, or a multiword token of
  ``doc.spans["multiword"]`` with all its words.
- A sentence is one of ``doc.sents``; a Doc without sentence starts is one sentence.
- ``token.dep_`` is DEPREL (``ROOT`` is ``root``), ``token.tag_`` XPOS, ``token.pos_`` UPOS,
  ``token.morph`` FEATS, ``token.lemma_`` LEMMA; an empty lemma is ``_``.
- A word without a head, or whose head is whitespace, has an unknown head, which is never right.
"""

from collections.abc import Iterable, Iterator

from spacy.tokens import Doc
from spacy.training import Example

from ...extensions.multiword import MULTIWORD, SurfaceUnit, surface_units
from ...trees.words import is_word, sentences_of, words_of
from .annotation import NO_HEAD, ROOT, Annotation, Span, Word


def example_annotations(example: Example) -> tuple[Annotation, Annotation]:
    """The gold and the predicted annotation of an Example.

    A predicted Doc without multiword tokens has those of the gold Doc, where Example.alignment
    says that their words are its words. If the texts still differ, as multiword tokens of one Doc
    only are spelled unlike their words, all words of both Docs are single tokens.

    Raises:
        ValueError: The characters of the words differ, spaces and case left out.
    """
    gold, predicted = example.reference, example.predicted
    units: Iterable[SurfaceUnit] = surface_units(predicted)
    if MULTIWORD in gold.spans and MULTIWORD not in predicted.spans:
        units = _units_of_gold(example)
    annotations = annotation_of(gold, surface_units(gold)), annotation_of(predicted, units)
    if annotations[0].text != annotations[1].text:
        annotations = (
            annotation_of(gold, _single(gold, 0, len(gold))),
            annotation_of(predicted, _single(predicted, 0, len(predicted))),
        )
    if annotations[0].text != annotations[1].text:
        raise ValueError(
            "The predicted text is not the gold text, so words cannot be aligned: "
            f"{gold.text[:80]!r} became {predicted.text[:80]!r}. Parse the text of the gold Docs."
        )
    return annotations


def _units_of_gold(example: Example) -> Iterator[SurfaceUnit]:
    """The surface tokens of the predicted Doc: gold ones over the same words, or single ones."""
    to_predicted, to_gold = example.alignment.y2x, example.alignment.x2y
    place = 0
    for unit in surface_units(example.reference):
        if unit.end == unit.start + 1:
            continue
        words = range(unit.start, unit.end)
        tokens = [int(i) for word in words for i in to_predicted[word]]
        one_to_one = all(len(to_predicted[word]) == 1 for word in words) and all(
            len(to_gold[i]) == 1 for i in tokens
        )
        if one_to_one and tokens == list(range(tokens[0], tokens[0] + len(words))):
            yield from _single(example.predicted, place, tokens[0])
            place = tokens[-1] + 1
            yield SurfaceUnit(tokens[0], place, unit.form, unit.space)
    yield from _single(example.predicted, place, len(example.predicted))


def _single(doc: Doc, start: int, end: int) -> Iterator[SurfaceUnit]:
    return (SurfaceUnit(i, i + 1, doc[i].text, doc[i].whitespace_) for i in range(start, end))


def annotation_of(doc: Doc, units: Iterable[SurfaceUnit]) -> Annotation:
    """The annotation of a Doc.

    The text is lower-cased: that is what spaCy aligns the Docs of an Example by.

    Args:
        doc: The Doc.
        units: Its surface tokens.
    """
    annotation = Annotation("Doc")
    forms: list[str] = []
    words: dict[int, Word] = {}
    length = 0
    for unit in units:
        members = [token for token in doc[unit.start : unit.end] if is_word(token)]
        if not members:
            continue
        form = "".join(unit.form.lower().split())
        span = Span(length, length + len(form))
        forms.append(form)
        length = span.end
        annotation.tokens.append(span)
        for token in members:
            words[token.i] = Word(
                span,
                token.text,
                len(members) > 1,
                ROOT if token.head.i == token.i else token.head.i,
                "root" if token.dep_ == "ROOT" else token.dep_,
                token.pos_,
                token.tag_,
                str(token.morph),
                token.lemma_ or "_",
            )
    # From tokens to words: a word hangs on no whitespace.
    places = {ROOT: ROOT, **{i: place for place, i in enumerate(words)}}
    for i, word in words.items():
        word.head = places.get(word.head, NO_HEAD) if doc[i].has_head() else NO_HEAD
    annotation.words = list(words.values())
    annotation.text = "".join(forms)
    for sentence in sentences_of(doc):
        tokens = words_of(sentence)
        first, last = tokens[0], tokens[-1]
        annotation.sentences.append(Span(words[first.i].span.start, words[last.i].span.end))
    return annotation
