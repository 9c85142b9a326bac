"""Layers for one row."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from .._core import Expr, Parameter
from .native import Native

if TYPE_CHECKING:
    from .._core import Index, Row


class Linear(Native):
    """y = W x + b. weight [out, in], bias [out]."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row) -> Expr: ...

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        self._make("Linear", in_features, out_features, bias)


class Embedding(Native):
    """Row `index` of weight [num_embeddings, embedding_dim]; only the rows read are updated."""

    weight: Parameter

    if TYPE_CHECKING:
        def __call__(self, index: Index) -> Expr: ...

    def __init__(self, num_embeddings: int, embedding_dim: int) -> None:
        self._make("Embedding", num_embeddings, embedding_dim)


class MLP(Native):
    """Multilayer perceptron: sizes [in, hidden, ..., out]; parameters 0.weight, 0.bias, 1.weight, ..."""

    if TYPE_CHECKING:
        def __call__(self, x: Row) -> Expr: ...

    def __init__(self, sizes: Sequence[int], activation: str = "relu", dropout: float = 0.0) -> None:
        self._make("MLP", sizes, activation, dropout)


class FC(Native):
    """Dropout, Linear, layer normalisation and activation in one cell."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row) -> Expr: ...

    def __init__(self, in_features: int, out_features: int, activation: str | None = "relu", dropout: float = 0.0, layer_norm: bool = False) -> None:
        self._make("FC", in_features, out_features, activation, dropout, layer_norm)


class LayerNorm(Native):
    """Ba et al. 2016, as in PyTorch, along the last axis. weight [dim], bias [dim]."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row) -> Expr: ...

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        self._make("LayerNorm", dim, eps)
