"""A column of a table as a picture: a row of dots on one axis."""

from html import escape

WIDTH, LABELS, ROW = 640, 300, 26


def draw_column(table: str, heading: str) -> str:
    """Draw a column of a Markdown table as SVG; the words before the first number are labels."""
    header, _, *rows = (
        [cell.strip(" *`") for cell in line[1:-1].split(" | ")] for line in table.splitlines()
    )
    at = header.index(heading)
    first = min(i for row in rows for i, cell in enumerate(row) if cell[:1].isdigit())
    points = [
        (" ".join(row[:first]).replace("`", ""), float(row[at].replace(",", "")), row[at])
        for row in rows
        if row[at]
    ]
    low, high = min(x for _, x, _ in points), max(x for _, x, _ in points)
    scale = (WIDTH - LABELS - 80) / ((high - low) or 1)
    height = ROW * (len(points) + 1) + 8
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" aria-label="{escape(heading)}">',
        '<rect width="100%" height="100%" fill="white"/>',
        '<g font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#1f2328">',
        f'<text x="{LABELS + 12}" y="18" font-weight="bold">{escape(heading)}</text>',
    ]
    for i, (label, value, shown) in enumerate(points, 1):
        x, y = LABELS + 12 + (value - low) * scale, ROW * i + 18
        lines += [
            f'<text x="{LABELS}" y="{y}" text-anchor="end">{escape(label)}</text>',
            f'<path d="M{LABELS + 12} {y - 4}H{WIDTH}" stroke="#1f2328" opacity="0.15"/>',
            f'<circle cx="{x:.1f}" cy="{y - 4}" r="5" fill="#2f6fdb"/>',
            f'<text x="{x + 10:.1f}" y="{y}">{shown}</text>',
        ]
    return "\n".join([*lines, "</g>", "</svg>", ""])
