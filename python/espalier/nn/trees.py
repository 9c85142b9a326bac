"""Modules for trees."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from .. import _core
from .._core import Expr, Parameter, State
from .native import Native

if TYPE_CHECKING:
    from .._core import Index, Row


class TreeLSTM(Native):
    """Binary Tree-LSTM (Tai et al. 2015): leaf(x), node(left, right). The state is a State(h, c)."""

    W: Parameter
    U: Parameter
    Uf: Parameter
    b: Parameter
    bf: Parameter

    if TYPE_CHECKING:
        def leaf(self, x: Row) -> State: ...
        def node(self, left: State, right: State) -> State: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("TreeLSTM", input_size, hidden_size)


class ChildSumTreeLSTM(Native):
    """Tree-LSTM with any number of unordered children (Tai et al. 2015): node(x, children)."""

    W: Parameter
    U: Parameter
    Wf: Parameter
    Uf: Parameter
    b: Parameter
    bf: Parameter

    if TYPE_CHECKING:
        def node(self, x: Row, children: Sequence[State] = ()) -> State: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("ChildSumTreeLSTM", input_size, hidden_size)


class NaryTreeLSTM(Native):
    """Tree-LSTM with up to `max_children` (2-6 or 8) ordered children (Tai et al. 2015): node(x, children); x may be None."""

    W: Parameter
    U: Parameter
    Wf: Parameter
    Uf: Parameter
    b: Parameter
    bf: Parameter

    if TYPE_CHECKING:
        def node(self, x: Row | None, children: Sequence[State] = ()) -> State: ...

    def __init__(self, input_size: int, hidden_size: int, max_children: int = 2) -> None:
        if f"NaryTreeLSTM{max_children}" not in _core.modules:
            raise _core.ShapeError(f"NaryTreeLSTM: max_children is {max_children}; it must be 2, 3, 4, 5, 6 or 8{_core.user_line()}")
        self._make(f"NaryTreeLSTM{max_children}", input_size, hidden_size)


class BidirectionalTreeLSTM(Native):
    """Leaves to root, then root to leaves (Miwa & Bansal 2016): module(rows, parents) -> [up; down] of every node."""

    if TYPE_CHECKING:
        def __call__(self, xs: Sequence[Row], parents: Sequence[int]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("BidirectionalTreeLSTM", input_size, hidden_size)


class TreeRNN(Native):
    """Socher et al. 2011: node(left, right) = tanh(W [l; r] + b)."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def node(self, left: Row, right: Row) -> Expr: ...

    def __init__(self, hidden_size: int) -> None:
        self._make("TreeRNN", hidden_size)


class RNTN(Native):
    """Recursive neural tensor network (Socher et al. 2013): node(left, right)."""

    tensor: Parameter
    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def node(self, left: Row, right: Row) -> Expr: ...

    def __init__(self, hidden_size: int) -> None:
        self._make("RNTN", hidden_size)


class MVRNN(Native):
    """A vector and a matrix per phrase (Socher et al. 2012): leaf(index), node(left, right), pairs (vector, matrix)."""

    weight: Parameter
    matrix_weight: Parameter
    vectors: Parameter
    matrices: Parameter

    if TYPE_CHECKING:
        def leaf(self, index: Index) -> tuple[Expr, Expr]: ...
        def node(self, left: tuple[Row, Row], right: tuple[Row, Row]) -> tuple[Expr, Expr]: ...

    def __init__(self, num_embeddings: int, hidden_size: int) -> None:
        self._make("MVRNN", num_embeddings, hidden_size)
