"""The sample of parallel text in `parallel/`: German and English from a small lexicon and grammar.

    python assets/parallel_text.py assets/parallel

German puts the verb second and its participle last, where English keeps both behind the subject, so
that a translator has to learn where to look.
"""

import random
import sys
from itertools import product
from pathlib import Path

SIZES = {"train": 600, "dev": 60, "test": 60}
# German and English; whether the verb is in the plural.
SUBJECTS = (
    ("der hund", "the dog", False),
    ("die katze", "the cat", False),
    ("der alte mann", "the old man", False),
    ("eine frau", "a woman", False),
    ("das kleine mädchen", "the little girl", False),
    ("mein bruder", "my brother", False),
    ("zwei kinder", "two children", True),
    ("wir", "we", True),
)
# German singular, plural and participle; English singular, plural and participle.
VERBS = (
    ("sieht", "sehen", "gesehen", "sees", "see", "seen"),
    ("findet", "finden", "gefunden", "finds", "find", "found"),
    ("kauft", "kaufen", "gekauft", "buys", "buy", "bought"),
    ("malt", "malen", "gemalt", "paints", "paint", "painted"),
    ("sucht", "suchen", "gesucht", "seeks", "seek", "sought"),
)
OBJECTS = (
    ("den roten ball", "the red ball"),
    ("einen apfel", "an apple"),
    ("das haus", "the house"),
    ("ein buch", "a book"),
    ("die blumen", "the flowers"),
    ("kein brot", "no bread"),
)
PLACES = (("", ""), ("im garten", "in the garden"), ("am fluss", "by the river"))
TIMES = (("", ""), ("heute", "today"), ("oft", "often"))


def all_pairs() -> list[tuple[str, str]]:
    """Every sentence of the grammar in both languages."""
    pairs = []
    for subject, verb, thing, place, time, perfect in product(
        SUBJECTS, VERBS, OBJECTS, PLACES, TIMES, (False, True)
    ):
        plural = subject[2]
        if perfect:
            finite = ("haben", "have") if plural else ("hat", "has")
            german_end, english_verb = verb[2], f"{finite[1]} {verb[5]}"
            german_verb = finite[0]
        else:
            german_verb, english_verb = (verb[1], verb[4]) if plural else (verb[0], verb[3])
            german_end = ""
        german = [german_verb, thing[0], place[0], german_end, "."]
        german = [time[0], german[0], subject[0], *german[1:]] if time[0] else [subject[0], *german]
        english = [time[1], subject[1], english_verb, thing[1], place[1], "."]
        pairs.append((" ".join(filter(None, german)), " ".join(filter(None, english))))
    return pairs


def main(folder: Path) -> None:
    """Write the parts, each with different sentences."""
    pairs = all_pairs()
    random.Random(0).shuffle(pairs)
    folder.mkdir(parents=True, exist_ok=True)
    for name, size in SIZES.items():
        part, pairs = pairs[:size], pairs[size:]
        for language, lines in zip(("de", "en"), zip(*part, strict=True), strict=True):
            text = "".join(f"{line}\n" for line in lines)
            (folder / f"{name}.{language}").write_text(text, encoding="utf8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
