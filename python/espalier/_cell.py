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

    Also a decorator: @esp.cell(x=(3,), h=(4,)). explain() and errors show the name of the function, or, if an attribute of
    a Module holds the cell, that of the parameters beside it: "encoder.step", or "Gru.step" if the module has no name.
    """
    if f is None:

        def decorate(function: Callable[..., Any]) -> Cell:
            return cell(function, **arguments)

        return decorate
    return Cell(f, _name_of(f), **arguments)


def _name_of(f: Any) -> str:
    """"plus_one", or "Gru.step" of a method _step; a Module that has the cell as an attribute renames it."""
    owner, dot, name = getattr(f, "__qualname__", type(f).__name__).split("<locals>.")[-1].rpartition(".")
    if name == "<lambda>":
        return "cell"
    return owner.strip("_") + dot + (name.strip("_") or name)
