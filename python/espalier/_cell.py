"""cell: a function of rows, traced once."""
from __future__ import annotations

from typing import Any, Callable, overload

from ._core import Cell


@overload
def cell(f: Callable[..., Any], /, **arguments: Any) -> Cell: ...
@overload
def cell(f: None = None, /, **arguments: Any) -> Callable[[Callable[..., Any]], Cell]: ...
def cell(f: Callable[..., Any] | None = None, /, **arguments: Any) -> Any:
    """Traces f once, now, and returns a function that records it as one call.

    Each argument of f is described by name: (n,) a row of this shape, () a number that is computed, int an index, float a
    number of the call, State(n) the state of an LSTM, [(n,)] or [State(n)] any number of rows or states.

        step = esp.cell(lambda x, h: esp.tanh(esp.linear(x, W) + esp.linear(h, U)), x=(3,), h=(4,))

    Also a decorator: @esp.cell(x=(3,), h=(4,)).
    """
    if f is None:

        def decorate(function: Callable[..., Any]) -> Cell:
            return cell(function, **arguments)

        return decorate
    name = getattr(f, "__qualname__", type(f).__name__).split("<locals>.")[-1]
    if name == "<lambda>":
        name = "cell"
    return Cell(f, name.lstrip("_"), **arguments)
