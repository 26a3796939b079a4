"""The config files that come with the package."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def shipped_configs() -> dict[str, Path]:
    """The shipped config files.

    They lie in the package where it was built (setup.py), and beside it in a checkout.

    Returns:
        The path of each config by its name, `"stack_lstm_dep"` for `stack_lstm_dep.cfg`, sorted.

    Raises:
        FileNotFoundError: The installation has no config files.
    """
    for folder in (_PACKAGE / "configs", _PACKAGE.parent / "configs"):
        paths = sorted(folder.glob("*.cfg"))
        if paths:
            return {path.stem: path for path in paths}
    raise FileNotFoundError(
        f"No config files found in {_PACKAGE / 'configs'}: the installation of spacy-structparse "
        "is incomplete; install it again."
    )
