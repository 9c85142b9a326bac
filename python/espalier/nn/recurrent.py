"""Recurrent modules: called with a row and the state before, they return the state after."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from .._core import Expr, Parameter, State
from .native import Native

if TYPE_CHECKING:
    from .._core import Row


class LSTM(Native):
    """Long short-term memory with forget gates; gates i, f, g, o as in PyTorch. The state is a State(h, c)."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row, state: State | None = None) -> State: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("LSTM", input_size, hidden_size)


class CoupledLSTM(Native):
    """An LSTM whose forget gate is 1 - i (Greff et al. 2017)."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row, state: State | None = None) -> State: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("CoupledLSTM", input_size, hidden_size)


class LayerNormLSTM(Native):
    """An LSTM with layer normalisation (Ba et al. 2016)."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row, state: State | None = None) -> State: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("LayerNormLSTM", input_size, hidden_size)


class VariationalLSTM(Native):
    """An LSTM that drops the same elements at every step (Gal & Ghahramani 2016). Its state is a tuple."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row, state: tuple[Expr, Expr, Expr, Expr] | None = None) -> tuple[Expr, Expr, Expr, Expr]: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int, p: float = 0.5) -> None:
        self._make("VariationalLSTM", input_size, hidden_size, p)


class GRU(Native):
    """Gated recurrent unit in PyTorch's variant; gates r, z, n. The state is h."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter
    bias_hh: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row, state: Row | None = None) -> Expr: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("GRU", input_size, hidden_size)


class RNN(Native):
    """Elman 1990: h' = tanh(W x + U h + b). The state is h."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row, state: Row | None = None) -> Expr: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int, activation: str = "tanh") -> None:
        self._make("RNN", input_size, hidden_size, activation)


class DeepLSTM(Native):
    """LSTMs on top of each other. The state is a list, one State per layer."""

    if TYPE_CHECKING:
        def __call__(self, x: Row, states: Sequence[State] | None = None) -> list[State]: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int, num_layers: int, dropout: float = 0.0) -> None:
        self._make("DeepLSTM", input_size, hidden_size, num_layers, dropout)


class DeepGRU(Native):
    """GRUs on top of each other. The state is a list of rows."""

    if TYPE_CHECKING:
        def __call__(self, x: Row, states: Sequence[Row] | None = None) -> list[Expr]: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int, num_layers: int, dropout: float = 0.0) -> None:
        self._make("DeepGRU", input_size, hidden_size, num_layers, dropout)


class DeepRNN(Native):
    """RNNs on top of each other. The state is a list of rows."""

    if TYPE_CHECKING:
        def __call__(self, x: Row, states: Sequence[Row] | None = None) -> list[Expr]: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int, num_layers: int, dropout: float = 0.0) -> None:
        self._make("DeepRNN", input_size, hidden_size, num_layers, dropout)


class BiLSTM(Native):
    """One LSTM from each end: a list of [forward; backward], one per row."""

    if TYPE_CHECKING:
        def __call__(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("BiLSTM", input_size, hidden_size)


class BiGRU(Native):
    """One GRU from each end."""

    if TYPE_CHECKING:
        def __call__(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("BiGRU", input_size, hidden_size)


class BiRNN(Native):
    """One RNN from each end."""

    if TYPE_CHECKING:
        def __call__(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("BiRNN", input_size, hidden_size)


class DeepBiLSTM(Native):
    """BiLSTMs on top of each other."""

    if TYPE_CHECKING:
        def __call__(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int, num_layers: int, dropout: float = 0.0) -> None:
        self._make("DeepBiLSTM", input_size, hidden_size, num_layers, dropout)


class DeepBiGRU(Native):
    """BiGRUs on top of each other."""

    if TYPE_CHECKING:
        def __call__(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int, num_layers: int, dropout: float = 0.0) -> None:
        self._make("DeepBiGRU", input_size, hidden_size, num_layers, dropout)
