"""Attention over lists of rows."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from .._core import Expr, Parameter
from .native import Native

if TYPE_CHECKING:
    from .._core import Row


class DotProductAttention(Native):
    """Vaswani et al. 2017, without parameters: module(query, keys, values)."""

    if TYPE_CHECKING:
        def __call__(self, query: Row, keys: Sequence[Row], values: Sequence[Row]) -> Expr: ...

    def __init__(self, dim: int) -> None:
        self._make("DotProductAttention", dim)


class AdditiveAttention(Native):
    """Bahdanau et al. 2015: memory = module.remember(rows), then module(query, memory)."""

    weight_query: Parameter
    weight_key: Parameter
    weight: Parameter

    if TYPE_CHECKING:
        def remember(self, rows: Sequence[Row]) -> list[Expr]: ...
        def __call__(self, query: Row, memory: Sequence[Row]) -> Expr: ...

    def __init__(self, query_size: int, input_size: int, hidden_size: int) -> None:
        self._make("AdditiveAttention", query_size, input_size, hidden_size)


class FeedForwardAttention(Native):
    """A learned weighted mean of any number of rows (Raffel & Ellis 2016)."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, rows: Sequence[Row]) -> Expr: ...

    def __init__(self, input_size: int) -> None:
        self._make("FeedForwardAttention", input_size)


class MultiheadAttention(Native):
    """Self-attention over a list of rows, with the parameters of torch.nn.MultiheadAttention."""

    in_proj_weight: Parameter
    in_proj_bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, rows: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, embed_dim: int, num_heads: int) -> None:
        self._make("MultiheadAttention", embed_dim, num_heads)
