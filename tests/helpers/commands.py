"""Commands of `spacy structparse`, run in this process."""

from click.testing import Result
from typer.testing import CliRunner

from spacy_structparse.cli import app


def run(*arguments: object, status: int = 0, text: str | None = None) -> Result:
    """Run a command, which ends with a status. text: its standard input."""
    result = CliRunner().invoke(app, list(map(str, arguments)), input=text)
    assert result.exit_code == status, (result.output, result.exception)
    return result


def said(*arguments: object, status: int = 0) -> str:
    """The output of a command on one line, its messages among it."""
    return " ".join(run(*arguments, status=status).output.split())
