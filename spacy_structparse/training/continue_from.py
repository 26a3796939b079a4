"""``spacy-structparse.continue_from.v1``: a training that goes on where another one ended.

``spacy train`` begins with new weights. With this, on its command line or in a config,

    --initialize.after_init '{"@callbacks":"spacy-structparse.continue_from.v1","path":"DIR"}'

components begin with those of a trained pipeline, ``model-last`` of the training before, say. The
optimizer begins anew, and so does its schedule.
"""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spacy.language import Language

from .load_whole import load_whole

_N_LISTED = 10


def create_continue_from(
    path: Path, components: list[str] | None = None
) -> Callable[[Language], Language]:
    """A callback for ``[initialize] after_init``: components begin with the weights of a trained
    pipeline. The optimizer and its schedule begin anew.

    Settings that change weights must be those of the trained pipeline. A component has the labels
    of the trained pipeline, too: labels that only the new data have are named in a warning, and are
    not learned.

    Args:
        path: Folder of the trained pipeline.
        components: Names of the components that begin with its weights. ``null``: all that both
            pipelines have.

    Raises:
        OSError: There is no pipeline at ``path``.
        NotPlainError: A part of it is a pipe or a device.
        ValueError: A component is missing in one of the pipelines, or its weights do not fit.
    """

    def load(nlp: Language) -> Language:
        trained = load_whole(path)
        here, there = nlp.pipe_names, trained.pipe_names
        names = [name for name in here if name in there] if components is None else components
        missing = [name for name in names if name not in here or name not in there]
        if missing or not names:
            raise ValueError(
                f"[initialize.after_init] components {', '.join(missing or here)} cannot go on "
                f"from {path}, which has {', '.join(there)}: the pipeline has {', '.join(here)}"
            )
        for name in names:
            pipe, other = nlp.get_pipe(name), trained.get_pipe(name)
            if hasattr(pipe, "from_bytes") and hasattr(other, "to_bytes"):
                _warn_of_labels(name, pipe, other, path)
                pipe.from_bytes(other.to_bytes())
        return nlp

    return load


def _warn_of_labels(name: str, pipe: Any, trained: Any, path: Path) -> None:
    """Warn of the labels that a component has from its data, and loses with its weights."""
    if getattr(pipe, "hide_labels", False):  # numbers, which mean other things in each training
        return
    lost = sorted(set(getattr(pipe, "labels", ())) - set(getattr(trained, "labels", ())))
    if lost:
        more = ", …" if len(lost) > _N_LISTED else ""
        warnings.warn(
            f"[{name}] the trained component in {path} lacks {len(lost)} labels of this training: "
            f"{', '.join(lost[:_N_LISTED])}{more}. It does not learn them. To learn them, "
            "train it from new weights: leave it out of `components` of continue_from",
            stacklevel=2,
        )
