"""What `spacy structparse silver` says on the terminal."""

from collections import Counter
from collections.abc import Mapping

from ....cli.messages import msg
from ..lengths import bucket_name
from ..report import SilverReport

OUTCOMES = {
    "read": "read",
    "excluded": "excluded, held out",
    "duplicates": "dropped as duplicates",
    "unsure": "dropped, confidence too low",
    "disagreed": "dropped, parsers disagree",
    "failed": "dropped, a parser failed",
    "agreed": "agreed",
    "unsampled": "left out by sampling",
    "written": "written",
}
N_LISTED = 20


def print_report(report: SilverReport) -> None:
    """Print what became of the sentences, agreement by length and by genre, and failures."""
    shown = [
        (text, f"{report.sentences[name]:,}")
        for name, text in OUTCOMES.items()
        if report.sentences[name] or name in ("read", "excluded", "agreed", "written")
    ]
    msg.table(shown, header=("Sentences", ""), aligns=("l", "r"), divider=True)
    lengths = {bucket_name(one): report.lengths[one] for one in sorted(report.lengths)}
    _print_agreement("Words", lengths, written=True)
    largest = sorted(report.genres.items(), key=lambda genre: -genre[1]["compared"])
    _print_agreement("Genre", dict(largest[:N_LISTED]), written=False)
    if len(largest) > N_LISTED:
        msg.text(f"{len(largest) - N_LISTED} more genres; --report FILE.json has them")
    failed = report.failed_documents + report.sentences["failed"]
    for failure in report.failures[:N_LISTED]:
        msg.warn(failure)
    if failed > N_LISTED:
        msg.warn(f"{failed - N_LISTED} more failures")
    if report.failed_documents:
        msg.warn(f"{report.failed_documents} of {report.documents} documents failed")


def _print_agreement(title: str, counts: Mapping[str, Counter[str]], *, written: bool) -> None:
    rows = [
        (
            name,
            f"{one['compared']:,}",
            f"{one['agreed']:,}",
            f"{100 * one['agreed'] / one['compared']:.1f}",
            *([f"{one['written']:,}"] if written else []),
        )
        for name, one in counts.items()
    ]
    header = (title, "Compared", "Agreed", "%", *(["Written"] if written else []))
    msg.table(rows, header=header, aligns=("l", *"r" * (len(header) - 1)), divider=True)
