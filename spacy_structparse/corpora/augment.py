"""Augmenters: one keeps trees, whose spans follow tokens, and one leaves unknown tags out."""

import warnings
from collections.abc import Callable, Iterator

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..trees.span_group import copy_spans

Augmenter = Callable[[Language, Example], Iterator[Example]]


def keep_trees(augmenter: Augmenter) -> Augmenter:
    """An augmenter that does the same as another one and keeps trees and all other span groups.

    spaCy's augmenters carry spans over by character offsets: words that change their length
    raise E855, and whitespace is never inserted where spans are. Here the spans are set aside and
    put back on the same tokens; inserted whitespace tokens are skipped. An augmenter that removes,
    adds or splits other tokens is an error in training, since trees cannot follow.

    Args:
        augmenter: The augmenter that changes the Examples.
    """

    def augment(nlp: Language, example: Example) -> Iterator[Example]:
        original = example.reference
        if not original.spans:
            yield from augmenter(nlp, example)
            return
        bare = original.copy()
        bare.spans.clear()
        for augmented in augmenter(nlp, Example(example.predicted, bare)):
            positions = aligned_positions(original, augmented.reference)
            copy_spans(original[:], augmented.reference, positions)
            yield augmented

    return augment


def known_tags() -> Augmenter:
    """Make an augmenter that leaves out the tags which a trained `tagger` does not know.

    A trained `tagger` cannot learn a new tag: spaCy raises a KeyError at the first one. Such tags
    count as missing here, and each is named once in a warning.
    """
    named: set[str] = set()

    def augment(nlp: Language, example: Example) -> Iterator[Example]:
        taggers = [name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory == "tagger"]
        labels = [set(nlp.get_pipe(name).labels) for name in taggers]  # type: ignore[attr-defined]
        for token in example.reference:
            if token.tag and any(token.tag_ not in of_tagger for of_tagger in labels):
                if token.tag_ not in named:
                    named.add(token.tag_)
                    warnings.warn(
                        f"[{', '.join(taggers)}] the tag '{token.tag_}' of '{token.text[:20]}' is "
                        "new: it is left out of training. A tagger learns it only from scratch",
                        stacklevel=2,
                    )
                token.tag_ = ""
        yield example

    return augment


def aligned_positions(original: Doc, changed: Doc) -> list[int]:
    """For every token of `original`, its position in `changed`, which may hold more whitespace.

    Raises ValueError if the tokens other than whitespace are not as many as before.
    """
    positions: list[int] = []
    for token in changed:
        waiting = original[len(positions)] if len(positions) < len(original) else None
        if waiting is not None and waiting.is_space == token.is_space:
            positions.append(token.i)
        elif not token.is_space:
            break
    else:
        if len(positions) == len(original):
            return positions
    raise ValueError(
        f"The augmenter made {len(changed)} tokens of {len(original)} ({original.text[:60]!r}), "
        "so trees and tags cannot follow. Use augmenters that change words one by one."
    )
