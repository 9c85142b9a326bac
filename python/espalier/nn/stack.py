"""A recurrent module whose steps can be undone."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from .._core import Expr, Parameter, State
from .native import Native

if TYPE_CHECKING:
    from .._core import Row


class StackLSTM(Native):
    """An LSTM whose steps can be undone (Dyer et al. 2015): stack = module.start(); stack.push(x); stack.pop(); stack.top()."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias: Parameter
    empty: Parameter

    if TYPE_CHECKING:
        def step(self, x: Row, state: State | None = None) -> State: ...
        def bottom(self) -> Expr: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("StackLSTM", input_size, hidden_size)

    def start(self) -> "Stack":
        """An empty stack."""
        return Stack(self)


class Stack:
    """One stack of one example. fork() shares all states."""

    def __init__(self, module: StackLSTM, states: list[State] | None = None) -> None:
        self._module = module
        self._states: list[State] = states if states is not None else []

    def push(self, x: Row) -> None:
        """Adds a step of the LSTM with the row x."""
        self._states.append(self._module.step(x, self._states[-1] if self._states else None))

    def pop(self) -> None:
        """Undoes the last push."""
        if not self._states:
            raise _core.IndexError(f"StackLSTM: pop of an empty stack{_core.user_line()}")
        self._states.pop()

    def top(self) -> Expr:
        """The hidden state after the last push; a learned row if the stack is empty."""
        return self._states[-1].h if self._states else self._module.bottom()

    def fork(self) -> "Stack":
        """A copy, whose pushes do not change this stack."""
        return Stack(self._module, list(self._states))

    def __len__(self) -> int:
        return len(self._states)
