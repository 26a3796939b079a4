"""Random damage to files, seeded."""

import random

HOSTILE = [
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\x1b[2J", b"\xe2\x80\xa8",
    b"\xc2\xa0", b"\xe2\x80\xae", b"\xf0\x9f\x91\xbb", b"9" * 5000, b"1-\xc2\xb2", b"\xc2\xb2.1",
    b"-1", b"1.1", b"0", b"1-1", b"3-1", b"_", b"\t", b"\t\t\t", b"\n", b"\n\n", b" ", b"#", b"(",
    b")", b"((((", b"))))", b"()", b"(-NONE- *)", b"(NP )", b"=", b"|", b"A=B|", b"SpaceAfter=No",
    b"# text = ", b"# newdoc", b"-LRB-", b"-U+D800-", b"\\/", b"e\xcc\x81" * 50,
]  # fmt: skip


def mutated(data: bytes, rng: random.Random) -> bytes:
    """A copy with one to eight random faults: bytes changed, lines and columns lost or moved."""
    for _ in range(rng.randint(1, 8)):
        data = rng.choice(_FAULTS)(data, rng)
    return data


def _place(data: bytes, rng: random.Random) -> int:
    return rng.randint(0, len(data))


def _insert(data: bytes, rng: random.Random) -> bytes:
    at = _place(data, rng)
    return data[:at] + rng.choice(HOSTILE) + data[at:]


def _overwrite(data: bytes, rng: random.Random) -> bytes:
    at = _place(data, rng)
    new = rng.randbytes(rng.randint(1, 4))
    return data[:at] + new + data[at + len(new) :]


def _cut(data: bytes, rng: random.Random) -> bytes:
    start = _place(data, rng)
    return data[:start] + data[start + rng.randint(1, 40) :]


def _truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: _place(data, rng)] if rng.random() < 0.3 else data


def _repeat(data: bytes, rng: random.Random) -> bytes:
    start = _place(data, rng)
    part = data[start : start + rng.randint(1, 60)]
    return data[:start] + part * rng.randint(2, 4) + data[start + len(part) :]


def _lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    i, j = (rng.randrange(len(lines)) for _ in "12")
    if rng.random() < 0.5:
        lines[i], lines[j] = lines[j], lines[i]
    else:
        del lines[i]
    return b"\n".join(lines)


def _column(data: bytes, rng: random.Random) -> bytes:
    """Another value in one column of a line: one of the file's own, or a hostile one."""
    lines = data.split(b"\n")
    i = rng.randrange(len(lines))
    cells = lines[i].split(b"\t")
    others = rng.choice(lines).split(b"\t")
    cells[rng.randrange(len(cells))] = rng.choice([*others, rng.choice(HOSTILE)])
    lines[i] = b"\t".join(cells)
    return b"\n".join(lines)


_FAULTS = (_insert, _overwrite, _cut, _truncate, _repeat, _lines, _column, _column)
