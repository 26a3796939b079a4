"""The pages of ``docs/results/``: which results each shows, and how."""

from . import constituency, dependencies, language_models, search, transformers, translation
from .page import Page

PAGES: tuple[Page, ...] = (
    dependencies.PAGE,
    constituency.PAGE,
    transformers.PAGE,
    search.PAGE,
    language_models.PAGE,
    translation.PAGE,
)
