"""`nlp.tokenizer = other.tokenizer`, so that the pipeline is saved and loaded with it.

spaCy does not record an assigned tokenizer in the config, and the saved pipeline cannot be loaded.
So `Language.tokenizer` becomes a property here, which stores the tokenizer where spaCy does.
"""

from typing import Any

from spacy.language import Language
from spacy.tokenizer import Tokenizer as SpacyTokenizer
from spacy.util import registry

from .wrapped_tokenizer import WrappedTokenizer

_OF_SPACY = {"@tokenizers": "spacy.Tokenizer.v1"}
_PREFIX = "spacy-structparse."


def tokenizer_config(tokenizer: Any) -> dict[str, Any] | None:
    """Return the section `[nlp.tokenizer]` that makes a tokenizer of the same kind.

    Returns:
        The section. None if the tokenizer, or one that it wraps, is neither of this package nor
        spaCy's own.
    """
    if type(tokenizer) is SpacyTokenizer:
        return dict(_OF_SPACY)
    if not isinstance(tokenizer, WrappedTokenizer):
        return None
    base = tokenizer_config(tokenizer.base)
    name = f"{_PREFIX}{tokenizer.NAME}.v1"
    # spaCy's own is the default, as in the config of a pipeline that was trained with it.
    return base and {"@tokenizers": name, "tokenizer": None if base == _OF_SPACY else base}


def record_assignments() -> None:
    """Let `nlp.tokenizer = …` record a tokenizer of this package in the config of `nlp`.

    One with the vocabulary of another pipeline is copied, with what it has learned.
    """
    if not isinstance(vars(Language).get("tokenizer"), property):
        Language.tokenizer = property(_get, _set)  # type: ignore[assignment,misc]


def _get(nlp: Language) -> Any:
    try:
        return vars(nlp)["tokenizer"]
    except KeyError:
        raise AttributeError("tokenizer") from None


def _set(nlp: Language, tokenizer: Any) -> None:
    config = tokenizer_config(tokenizer)
    if config is not None:
        is_ours = isinstance(tokenizer, WrappedTokenizer)
        settings = nlp.config["nlp"]
        if is_ours or str(settings["tokenizer"].get("@tokenizers")).startswith(_PREFIX):
            settings["tokenizer"] = config
        if is_ours and tokenizer.vocab is not nlp.vocab:
            create = registry.resolve({"tokenizer": config})["tokenizer"]
            tokenizer = create(nlp).from_bytes(tokenizer.to_bytes())
    vars(nlp)["tokenizer"] = tokenizer
