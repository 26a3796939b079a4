"""The pages of ``docs/results/``: which results each shows, and how."""

from . import (
    confidence,
    constituency,
    dependencies,
    language_models,
    languages,
    large_corpora,
    papers,
    pipelines,
    search,
    transformers,
    translation,
)
from .page import Page

PAGES: tuple[Page, ...] = (
    pipelines.PAGE,
    dependencies.PAGE,
    constituency.PAGE,
    transformers.PAGE,
    languages.PAGE,
    search.PAGE,
    confidence.PAGE,
    language_models.PAGE,
    translation.PAGE,
    large_corpora.PAGE,
    papers.PAGE,
)
