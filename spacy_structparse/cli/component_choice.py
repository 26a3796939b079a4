"""The component of a pipeline that a command looks into."""

from collections.abc import Sequence


class TracingError(ValueError):
    """A pipeline, a component or a text that cannot be looked into."""


def choose(
    model: str, fitting: Sequence[str], names: Sequence[str], wanted: str | None, what: str
) -> str:
    """The component to use: the one that was asked for, or the only one that fits.

    Raises TracingError, which names what there is."""
    present = ", ".join(names) or "none"
    if wanted is None:
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise TracingError(
                f"More than one component of '{model}' {what}: choose with --component one of "
                f"{', '.join(fitting)}"
            )
        raise TracingError(f"No component of '{model}' {what}; its components: {present}")
    if wanted not in names:
        raise TracingError(f"'{model}' has no component '{wanted}'; its components: {present}")
    if wanted not in fitting:
        there = f"; there is {', '.join(fitting)}" if fitting else ""
        raise TracingError(f"The component '{wanted}' of '{model}' is not one that {what}{there}")
    return wanted
