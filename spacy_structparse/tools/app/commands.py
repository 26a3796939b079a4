"""`spacy structparse app`: parses in a browser."""

from pathlib import Path
from typing import Annotated

import typer
from spacy.util import is_package

from ...cli.app import app
from ...cli.messages import msg
from ...cli.shared_options import Code
from .parsing import MAX_CHARACTERS

PAGE = Path(__file__).with_name("page.py")
FLAGS = (
    "--server.fileWatcherType=none",
    "--browser.gatherUsageStats=false",
    "--client.toolbarMode=viewer",
    "--client.showErrorDetails=none",
)


@app.command("app", rich_help_panel="Parse")
def app_cli(
    models: Annotated[
        list[str],
        typer.Argument(metavar="MODEL", help="Paths or names of trained pipelines"),
    ],
    host: Annotated[
        str,
        typer.Option(
            "--host",
            help="The address to listen on. The page has no password: with another address than "
            "localhost, whoever reaches it can use it",
        ),
    ] = "localhost",
    port: Annotated[
        int, typer.Option("--port", "-p", help="The port; 0: a free one", min=0, max=65535)
    ] = 8501,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser")
    ] = True,
    max_characters: Annotated[
        int,
        typer.Option("--max-characters", help="Length of the longest text", min=1, max=1_000_000),
    ] = MAX_CHARACTERS,
    code: Code = None,
) -> None:
    """Look at parses in a browser: arcs, trees, attention, search, and two pipelines side by side.

    Needs the extra `app`. Ends with Ctrl+C.
    """
    try:
        from streamlit.web.cli import main as streamlit
    except ImportError:
        msg.fail(
            "The page needs Streamlit, which is not installed",
            "python -m pip install 'spacy-structparse[app]'",
            exits=1,
        )
    for model in models:
        if not is_package(model) and not Path(model).is_dir():
            msg.fail("No page to show", f"There is no pipeline '{model}'", exits=1)
    options = [f"--server.address={host}", f"--server.port={port}"]
    options.append(f"--server.headless={str(not browser).lower()}")
    arguments = [f"--max-characters={max_characters}"]
    if code is not None:
        arguments.append(f"--code={code}")
    # A name that begins with a dash is no option of the page.
    streamlit(["run", str(PAGE), *FLAGS, *options, "--", *arguments, "--", *models])
