"""Checks of arguments that C++ would refuse in its own words."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import operator
from typing import Any

from . import _core


def type_of(x: Any) -> str:
    """"a list", "an ndarray"."""
    if x is None:
        return "None"
    name = type(x).__name__
    return ("an " if name[0] in "aeioAEIO" or name.startswith("ndarray") else "a ") + name


def integer(who: str, name: str, x: Any, most: int = 2**64 - 1) -> int:
    try:
        n = operator.index(x)
    except TypeError:
        raise TypeError(f"{who}: {name} is {x!r}; it must be an integer{_core.user_line()}") from None
    if not 0 <= n <= most:
        raise ValueError(f"{who}: {name} is {n}; it must be at least 0 and at most {most}{_core.user_line()}")
    return n


def number(who: str, name: str, x: Any) -> float:
    if not isinstance(x, (str, bytes)):
        try:
            return float(x)
        except (TypeError, ValueError):
            pass
    raise TypeError(f"{who}: {name} is {x!r}; it must be a number{_core.user_line()}")


def text(who: str, name: str, x: Any) -> str:
    if not isinstance(x, str):
        raise TypeError(f"{who}: {name} is {x!r}; it must be a string{_core.user_line()}")
    return x


def mode(who: str, x: Any) -> bool:
    """Whether the mode is "train"."""
    if x not in ("train", "infer"):
        raise _core.OptionError(f"{who}: mode {x!r} is unknown; it must be train or infer{_core.user_line()}")
    return bool(x == "train")


def handle(who: str, x: Any, *kinds: type) -> Any:
    """The C++ object of an instance of one of these classes."""
    if not isinstance(x, kinds):
        names = " or ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"{who}: {type_of(x)} is given; it must be a {names}{_core.user_line()}")
    return x._handle
