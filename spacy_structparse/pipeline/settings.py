"""Settings of components: those that a factory takes, those that can be changed after loading, and
their defaults."""

from collections.abc import Callable, Iterable
from inspect import Parameter, signature
from typing import Any, TypeVar, get_type_hints

from ..models.checks import Limits, check_number

Factory = TypeVar("Factory", bound=Callable[..., Any])


def takes_settings(component: type, settings: Iterable[str]) -> Callable[[Factory], Factory]:
    """Let a factory of a component take settings of its classes, as they are typed there.

    Args:
        component: The component.
        settings: Attributes of the component, which the factory sets.

    Returns:
        A decorator of a function with the argument ``**settings``.
    """
    kinds = get_type_hints(component)

    def decorate(factory: Factory) -> Factory:
        *own, _ = signature(factory).parameters.values()
        passed = [
            Parameter(name, Parameter.KEYWORD_ONLY, annotation=kinds[name]) for name in settings
        ]
        factory.__signature__ = signature(factory).replace(  # type: ignore[attr-defined]
            parameters=[*own, *passed]
        )
        del factory.__annotations__["settings"]
        factory.__annotations__ |= {name: kinds[name] for name in settings}
        return factory

    return decorate


def changeable(name: str, limits: Limits, description: str, *, whole: bool = False) -> Any:
    """A property for a setting of a component's model, which can be changed after loading.

    Args:
        name: The setting, a number.
        limits: Its least and its largest value.
        description: The docstring.
        whole: It is a whole number.
    """

    def read(pipe: Any) -> Any:
        return pipe._shim.settings[name]

    def change(pipe: Any, value: Any) -> None:
        check_number(f"[{pipe.name}]", name, value, limits, whole=whole)
        pipe._shim.settings[name] = int(value) if whole else float(value)

    return property(read, change, doc=description)


BEAM_WIDTH = changeable(
    "beam_width",
    Limits(1),
    "The number of hypotheses in decoding; 1 is greedy. Can be changed after loading.",
    whole=True,
)


_ARCHITECTURE = {"@architectures": "spacy-structparse.TokenEmbedding.v1"}


def default_model(architecture: str, tok2vec: dict[str, Any], **settings: Any) -> dict[str, Any]:
    """Return the config of a component's model. Settings that are not given have the architecture's
    defaults; nlp.config has them all.

    Args:
        architecture: The architecture's name.
        tok2vec: The config of its embedding.
        settings: Its settings, but ``bfloat16``, which all have.
    """
    name = f"spacy-structparse.{architecture}.v1"
    return {"@architectures": name, **settings, "bfloat16": True, "tok2vec": tok2vec}


def default_embedding(width: int, word_width: int) -> dict[str, Any]:
    """The config of a parser's embedding: words, and hashed features of their form."""
    return {
        **_ARCHITECTURE,
        "width": width,
        "word_width": word_width,
        "features": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
        "feature_rows": [5000, 2500, 2500, 2500],
    }


def word_embedding(word_width: int, max_vocabulary: int) -> dict[str, Any]:
    """The config of a language model's embedding: frequent words alone."""
    return {
        **_ARCHITECTURE,
        "width": 0,
        "word_width": word_width,
        "features": [],
        "feature_rows": [],
        "relu": False,
        "unk_prob": 0.0,
        "max_vocabulary": max_vocabulary,
        "dropout": "none",
    }
