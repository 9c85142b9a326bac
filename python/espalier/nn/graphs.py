"""Modules for graphs."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from .._core import Expr, Parameter
from .native import Native

if TYPE_CHECKING:
    from .._core import Row


class GraphConvolution(Native):
    """Kipf & Welling 2017: module(nodes, neighbours); neighbours[v] lists those of node v."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, nodes: Sequence[Row], neighbours: Sequence[Sequence[int]]) -> list[Expr]: ...

    def __init__(self, in_features: int, out_features: int, activation: str = "relu") -> None:
        self._make("GraphConvolution", in_features, out_features, activation)


class Weave(Native):
    """Kearnes et al. 2016: module(atoms, pairs, ends) -> (atoms, pairs)."""

    if TYPE_CHECKING:
        def __call__(self, atoms: Sequence[Row], pairs: Sequence[Row], ends: Sequence[Sequence[int]]) -> tuple[list[Expr], list[Expr]]: ...

    def __init__(self, atom_size: int, pair_size: int, hidden_size: int, out_features: int) -> None:
        self._make("Weave", atom_size, pair_size, hidden_size, out_features)
