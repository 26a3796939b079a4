"""``spacy-structparse.continue_from.v1``: a training that goes on where another one ended.

``spacy train`` begins with new weights. With this, on its command line or in a config,

    --initialize.after_init '{"@callbacks":"spacy-structparse.continue_from.v1","path":"DIR"}'

components begin with those of a trained pipeline, ``model-last`` of the training before, say. The
optimizer begins anew, and so does its schedule.
"""

from collections.abc import Callable
from pathlib import Path

import spacy
from spacy.language import Language


def create_continue_from(
    path: Path, components: list[str] | None = None
) -> Callable[[Language], Language]:
    """An ``[initialize] after_init`` callback that loads weights.

    path: the folder of the trained pipeline. components: those that begin with its weights; by
    default all that both pipelines have under one name. Their settings must be those that they
    were trained with, but for those that change no weight.

    Raises OSError where there is no pipeline, ValueError where a component is missing on a side or
    its weights do not fit.
    """

    def load(nlp: Language) -> Language:
        trained = spacy.load(path)
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
                pipe.from_bytes(other.to_bytes())
        return nlp

    return load
