"""Alignment of gold and system words over one text.

Outside multiword tokens two words are aligned if they are the same characters. Around multiword
tokens a stretch of both texts is taken that cuts no multiword token, and its words are aligned by
a longest common subsequence of their lower-cased forms.
"""

from collections.abc import Iterator, Sequence

from .annotation import Word

Words = Sequence[Word]


def align_words(gold: Words, system: Words) -> list[tuple[int, int]]:
    """Align the words of two annotations of one text.

    Returns:
        Pairs of positions of a gold word and a system word, in order; each word is in one pair at
        most.
    """
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold[g].multiword or system[s].multiword:
            first_g, first_s, g, s = _stretch(gold, system, g, s)
            forms = [word.form.lower() for word in gold[first_g:g]]
            others = [word.form.lower() for word in system[first_s:s]]
            pairs += ((first_g + i, first_s + j) for i, j in _common(forms, others))
        elif gold[g].span == system[s].span:
            pairs.append((g, s))
            g += 1
            s += 1
        elif gold[g].span.start <= system[s].span.start:
            g += 1
        else:
            s += 1
    return pairs


def _stretch(gold: Words, system: Words, g: int, s: int) -> tuple[int, int, int, int]:
    """Find the words around a multiword token that must be aligned together.

    Returns:
        The first gold and system word of the stretch, and those after its last ones.
    """
    if gold[g].multiword:
        end = gold[g].span.end
        # A single word that begins earlier has no counterpart among the words of the token.
        if not system[s].multiword and system[s].span.start < gold[g].span.start:
            s += 1
    else:
        end = system[s].span.end
        if gold[g].span.start < system[s].span.start:
            g += 1
    first_g, first_s = g, s
    while _inside(gold, g, end) or _inside(system, s, end):
        if s == len(system) or (g < len(gold) and gold[g].span.start <= system[s].span.start):
            word = gold[g]
            g += 1
        else:
            word = system[s]
            s += 1
        if word.multiword:
            end = max(end, word.span.end)
    return first_g, first_s, g, s


def _inside(words: Words, index: int, end: int) -> bool:
    """Return whether a word belongs to the stretch up to ``end``.

    A part of a multiword token is enough; a single word must be inside as a whole.
    """
    if index == len(words):
        return False
    span = words[index].span
    return span.start < end if words[index].multiword else span.end <= end


def _common(forms: Sequence[str], others: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the positions of a longest common subsequence, the earliest forms first."""
    # length[i][j]: of the longest one of forms[i:] and others[j:].
    length = [[0] * (len(others) + 1) for _ in range(len(forms) + 1)]
    for i in reversed(range(len(forms))):
        for j in reversed(range(len(others))):
            if forms[i] == others[j]:
                length[i][j] = length[i + 1][j + 1] + 1
            else:
                length[i][j] = max(length[i + 1][j], length[i][j + 1])
    i = j = 0
    while i < len(forms) and j < len(others):
        if forms[i] == others[j]:
            yield i, j
            i += 1
            j += 1
        elif length[i][j] == length[i + 1][j]:
            i += 1
        else:
            j += 1
