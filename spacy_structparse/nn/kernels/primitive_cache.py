"""The cache of oneDNN, which computes products in bfloat16 on a CPU.

oneDNN compiles a function for each shape of a product and keeps the last 1,024. Texts of all
lengths have many shapes: under a transformer the functions take much memory, and few are used
again.
"""

import os

KEPT = 64
"""Functions of the same batch are used again, in each layer."""


def limit_primitive_cache() -> None:
    """Let oneDNN keep `KEPT` functions, unless ``ONEDNN_PRIMITIVE_CACHE_CAPACITY`` is set.

    It must be called before the first product in bfloat16: oneDNN reads the variable once.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", str(KEPT))
