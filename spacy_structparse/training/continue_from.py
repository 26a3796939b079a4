"""``spacy-structparse.continue_from.v1``: a training that goes on where another one ended.

``spacy train`` begins with new weights. With this, on its command line or in a config,

    --initialize.after_init '{"@callbacks":"spacy-structparse.continue_from.v1","path":"DIR"}'

components begin with those of a trained pipeline, ``model-last`` of the training before, say, and
the tokenizer is its tokenizer. The optimizer begins anew, and so does its schedule.
"""

import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.pipeline import EditTreeLemmatizer, TrainablePipe
from spacy.util import logger

from ..models.edit_trees import loading_edit_trees
from ..models.parser_model import parser_shims
from ..removed_settings import removed_settings
from .atomic_to_disk import load_whole

_N_LISTED = 10
_loading: ContextVar[frozenset[Path]] = ContextVar("_loading", default=frozenset())
"""The folders of the pipelines that are being loaded."""


@removed_settings("Give the other components other names.", components=None)
def create_continue_from(path: Path) -> Callable[[Language], Language]:
    """A callback for ``[initialize] after_init``: the components that a trained pipeline has, by
    their names, begin with its weights. The optimizer and its schedule begin anew.

    The tokenizer is that of the trained pipeline, if both configs have the same, unless
    `[initialize.tokenizer]` has `learn = "always"`. So is a `lemma_table`, unless its section of
    `[initialize.components]` has it.

    A trained pipeline keeps this callback in its config. If it is loaded and initialized elsewhere,
    for example to train a component beside those that it has, a missing folder is no error.

    Settings that change weights must be those of the trained pipeline. A parser of this package
    has the labels of the trained pipeline, too: labels that only the new data have are named in a
    warning, and are not learned. spaCy's components, such as ``tagger``, cannot drop labels: theirs
    must be those of the trained pipeline.

    Args:
        path: Folder of the trained pipeline.

    Raises:
        OSError: There is no pipeline at ``path``, and the pipeline is a new one.
        ValueError: The pipelines have no component in common, weights do not fit, or a component of
            spaCy's has other labels; or the config of the trained pipeline goes on from itself
            whenever it is loaded.
    """

    def load(nlp: Language) -> Language:
        if nlp.path is not None and not Path(path).exists():
            logger.info("[initialize.after_init] no pipeline at %s: nothing goes on from it", path)
            return nlp
        trained = _load_once(path)
        names = [name for name in nlp.pipe_names if name in trained.pipe_names]
        if not names:
            raise ValueError(
                f"[initialize.after_init] none of the components {', '.join(nlp.pipe_names)} can "
                f"go on from {path}, which has {', '.join(trained.pipe_names)}"
            )
        pairs = {name: (nlp.get_pipe(name), trained.get_pipe(name)) for name in names}
        for name, (pipe, other) in pairs.items():
            if isinstance(pipe, TrainablePipe):
                _check_labels(name, pipe, other, path)
        settings = nlp.config["initialize"]["components"]
        for name, (pipe, other) in pairs.items():
            if settings.get(name, {}).get("learn") == "always":
                continue
            with (
                loading_edit_trees(pipe) if isinstance(pipe, EditTreeLemmatizer) else nullcontext()
            ):
                if hasattr(pipe, "from_bytes") and hasattr(other, "to_bytes"):
                    pipe.from_bytes(other.to_bytes())
        _carry_tokenizer(nlp, trained)
        return nlp

    return load


def _carry_tokenizer(nlp: Language, trained: Language) -> None:
    """Load what the tokenizer of a trained pipeline has learned into one of the same kind."""
    here: Any = nlp.tokenizer
    there: Any = trained.tokenizer
    learn = nlp.config["initialize"]["tokenizer"].get("learn")
    same = nlp.config["nlp"]["tokenizer"] == trained.config["nlp"]["tokenizer"]
    # spaCy's own is saved with its special cases. One that has learned nothing is not carried.
    learned = getattr(there, "has_learned", True)
    if same and learned and learn != "always" and hasattr(there, "to_bytes"):
        here.from_bytes(there.to_bytes(exclude=["vocab"]), exclude=["vocab"])


def _load_once(path: Path) -> Language:
    """Load a pipeline, unless it is being loaded: its config may call this again."""
    folder = Path(path).resolve()  # from_config gives text
    if folder in _loading.get():
        raise ValueError(
            f"{path} continues from itself: its config calls continue_from when it is loaded. Use "
            "it in [initialize] after_init"
        )
    token = _loading.set(_loading.get() | {folder})
    try:
        return load_whole(path)
    finally:
        _loading.reset(token)


def _check_labels(name: str, pipe: TrainablePipe, trained: Any, path: Path) -> None:
    """Warn of the labels that a parser of this package loses. Raise ValueError where another
    component has other labels than its weights."""
    labels, trained_labels = _labels_of(pipe), _labels_of(trained)
    new, old = sorted(labels - trained_labels), sorted(trained_labels - labels)
    if parser_shims(pipe.model):
        if new:
            warnings.warn(
                f"[{name}] the trained component in {path} lacks labels of the data, and does not "
                f"learn them: {_listed(new)}. To learn them, give it another name",
                stacklevel=3,
            )
        return
    if new or old:
        # spaCy's components stop at a label of the data that they do not have.
        remedy = "" if new else f"Set [initialize.components.{name}.labels]. "
        raise ValueError(
            f"[{name}] the trained component in {path} has other labels. Only in the data: "
            f"{_listed(new)}. Only in the component: {_listed(old)}. {remedy}To begin with "
            "new weights, give it another name"
        )


def _labels_of(pipe: Any) -> set[str]:
    """The labels of a component; the rules of a lemmatizer, whose labels are numbers of them."""
    if isinstance(pipe, EditTreeLemmatizer):
        return {pipe.trees.tree_to_str(label) for label in pipe.labels}
    return set(map(str, getattr(pipe, "labels", ())))


def _listed(labels: Sequence[str]) -> str:
    shown = ", ".join(labels[:_N_LISTED]) + (", …" if len(labels) > _N_LISTED else "")
    return f"{len(labels)} ({shown})" if labels else "none"
