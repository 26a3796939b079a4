"""``model-best.previous``: a whole copy of the best pipeline while spaCy replaces ``model-best``.

spaCy's training loop removes ``model-best`` and copies ``model-last`` to it, file by file, after it
has saved ``model-last``. What is copied there cannot be ours, but the last good one can be kept.
"""

import os
import shutil
from pathlib import Path

from spacy.language import Language
from spacy.training.loop import DIR_MODEL_BEST, DIR_MODEL_LAST

from ..files import finish_folder, temporary_folder
from .replace_folder import remove_pipeline, replace_folder

Listing = dict[str, int]


class KeptBest:
    """Keeps the best pipeline of one training run under another name, whenever ``model-last`` is
    about to be saved and spaCy may replace ``model-best`` afterwards."""

    def __init__(self) -> None:
        self._whole: list[Listing] = []  # what model-last was, and model-best when it was whole
        self._performance: object = None  # of the last save

    def before_saving(self, nlp: Language, path: Path) -> None:
        """Keep ``model-best`` beside ``path``, if that is ``model-last``, as
        ``model-best.previous``; or remove that name if ``model-best`` is whole and stays.

        spaCy saves once more when training ends, without a new evaluation.
        """
        best = path.with_name(DIR_MODEL_BEST)
        if path.name != DIR_MODEL_LAST:
            return
        performance = nlp.meta.get("performance")
        is_last = performance is self._performance
        self._performance = performance
        if not best.is_dir() or (listing := _listing(best)) not in self._whole:
            return  # none, or one that spaCy did not finish: the kept one is needed
        self._whole = [listing]
        previous = best.with_name(f"{DIR_MODEL_BEST}.previous")
        if is_last:
            finish_folder(best, None)  # spaCy copied it without bringing it to the disk
            remove_pipeline(previous)
            return
        with temporary_folder(previous) as folder:
            shutil.copytree(best, folder, copy_function=_link, dirs_exist_ok=True)
            replace_folder(folder, previous)

    def after_saving(self, path: Path) -> None:
        """Remember what was saved, of which spaCy may make ``model-best``."""
        if path.name == DIR_MODEL_LAST:
            self._whole = [*self._whole[:1], _listing(path)]


def _listing(folder: Path) -> Listing:
    """The files of a folder and their sizes in bytes."""
    return {
        str(path.relative_to(folder)): path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file()
    }


def _link(source: str, target: str) -> None:
    """Give a file a second name, where the file system can, or copy it. spaCy never changes a saved
    file: it writes new ones."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
