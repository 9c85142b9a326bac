"""Initial values of parameters: esp.Parameter((3, 2), init=esp.init.he())."""
from typing import Any

from ._core.init import (
    constant,
    from_file,
    glorot,
    he,
    identity,
    normal,
    ones,
    orthogonal,
    uniform,
    zeros,
)

__all__ = ["constant", "from_file", "glorot", "he", "identity", "normal", "ones", "orthogonal", "uniform", "zeros"]


def _make(name: str, arguments: tuple[Any, ...]) -> Any:  # pyright: ignore[reportUnusedFunction]
    """For pickle."""
    return globals()[name](*arguments)
