"""The setting ``bfloat16`` of architectures: the precision of the products that may be rounded.

The modules do not know of it: their shims compute in the context that it asks for.
"""

import re
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, cleandoc, signature
from typing import Annotated, Any, TypeVar

from thinc.api import Model

from ..nn.fast.device import SETTING
from .checks import ADJUSTABLE

Build = TypeVar("Build", bound=Callable[..., Model])
TYPE = Annotated[bool, ADJUSTABLE]
ON_A_CPU = (
    "in bfloat16 on a CPU that has instructions for it (AVX-512 BF16 or AMX), and in single "
    "precision on others."
)


def rounds_products(
    computed: str, others: str = "", prepare: Callable[[], object] = bool
) -> Callable[[Build], Build]:
    """Give an architecture the setting ``bfloat16``.

    Args:
        computed: The beginning of its description, an imperative: what is rounded.
        others: A sentence on what is not.
        prepare: Called before a model is built that rounds.

    Returns:
        A decorator. The models that the function builds, but not those that it is given, compute
        in the precision that the setting says.
    """

    def decorate(build: Build) -> Build:
        @wraps(build)
        def built(*args: Any, bfloat16: bool = False, **settings: Any) -> Model:
            given = [x for x in (*args, *settings.values()) if isinstance(x, Model)]
            earlier = {id(shim) for model in given for shim in _shims(model)}
            if bfloat16:
                prepare()
            model = build(*args, **settings)
            for shim in _shims(model):
                if id(shim) not in earlier:
                    shim.settings[SETTING] = bfloat16
            return model

        own = signature(build)
        kind = Parameter(SETTING, Parameter.KEYWORD_ONLY, default=False, annotation=TYPE)
        named: Any = built
        named.__signature__ = own.replace(parameters=[*own.parameters.values(), kind])
        named.__annotations__ = {**build.__annotations__, SETTING: TYPE}
        arguments, *rest = re.split(
            r"\n\n(?=Returns:|Raises:)", cleandoc(build.__doc__ or ""), maxsplit=1
        )
        described = f"    {SETTING}: {computed} {ON_A_CPU} {others}".rstrip()
        named.__doc__ = "\n\n".join([f"{arguments}\n{described}", *rest])
        return named

    return decorate


def _shims(model: Model) -> list[Any]:
    return [shim for node in model.walk() for shim in node.shims]
