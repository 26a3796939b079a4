"""Settings of earlier releases, which configs and saved pipelines still name."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def removed_settings(remedy: str, **defaults: Any) -> Callable[[Function], Function]:
    """Let a registered function or class accept settings that it no longer has, at their defaults
    alone.

    Args:
        remedy: What to do instead: the end of the message, an imperative.
        defaults: The settings with their defaults, or a tuple of the values that earlier releases
            had as defaults, the last one first.

    Returns:
        A decorator. The decorated function raises a ValueError for a removed setting that has
        another value than its default.
    """

    accepted = {name: v if isinstance(v, tuple) else (v,) for name, v in defaults.items()}

    def decorate(function: Function) -> Function:
        if isinstance(function, type):
            kind: Any = function
            kind.__init__ = decorate(kind.__init__)
            kind.removed_settings = kind.__init__.removed_settings
            return function

        @wraps(function)
        def checked(*args: Any, **settings: Any) -> Any:
            for name, values in accepted.items():
                value = settings.pop(name, values[0])
                if value not in values:
                    raise ValueError(
                        f"{name} = {value!r}: this release has no such setting. {remedy}"
                    )
            return function(*args, **settings)

        own = signature(function)
        removed = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=values[0], annotation=Any)
            for name, values in accepted.items()
        ]
        checked.__signature__ = own.replace(  # type: ignore[attr-defined]
            parameters=[*own.parameters.values(), *removed]
        )
        earlier: frozenset[str] = getattr(function, "removed_settings", frozenset())
        checked.removed_settings = earlier | set(defaults)  # type: ignore[attr-defined]
        return checked  # type: ignore[return-value]

    return decorate
