"""Modules of the literature, with PyTorch's names and argument order where PyTorch has them.

A recurrent module is called with a row and the state before, and returns the state after; state=None is the first step.
`run(rows)` returns the output of every step.
"""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

from . import _core
from ._core import Expr, Parameter, State
from .module import Module

if TYPE_CHECKING:
    from ._core import Index, Row


class _Parts:
    """What a module of the library is made of."""

    def __init__(self, made: tuple[Any, list[tuple[str, Parameter]], dict[str, Any]]) -> None:
        self.prefix, self.parameters, self.methods = made
        self.path = ""  # the prefix that is set


class _Native(Module):
    """A module of the C++ library. Its parameters are attributes, those with a dot in the name by module["0.weight"]."""

    def _make(self, name: str, *args: Any) -> None:
        parts = _Parts(_core.modules[name](*args))
        self.__dict__["_parts"] = parts
        for full, parameter in parts.parameters:
            if "." not in full:
                self.__dict__[full] = parameter
        for method, function in parts.methods.items():
            if method:
                self.__dict__[method] = function
            else:
                self._call = function

    def __setattr__(self, name: str, value: Any) -> None:
        self._refuse_own(name)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._refuse_own(name)
        super().__delattr__(name)

    def _refuse_own(self, name: str) -> None:
        """The C++ module computes with its own parameters, whatever its attributes are."""
        parts = self.__dict__.get("_parts")
        if parts is not None and any(name == full for full, _ in parts.parameters):
            raise AttributeError(
                f"{type(self).__name__}.{name} cannot be replaced or deleted; {name}.assign(array) sets its values"
            )


class Linear(_Native):
    """y = W x + b. weight [out, in], bias [out]."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row) -> Expr: ...

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        self._make("Linear", in_features, out_features, bias)


class Embedding(_Native):
    """Row `index` of weight [num_embeddings, embedding_dim]; only the rows read are updated."""

    weight: Parameter

    if TYPE_CHECKING:
        def __call__(self, index: Index) -> Expr: ...

    def __init__(self, num_embeddings: int, embedding_dim: int) -> None:
        self._make("Embedding", num_embeddings, embedding_dim)


class MLP(_Native):
    """Multilayer perceptron: sizes [in, hidden, ..., out]; parameters 0.weight, 0.bias, 1.weight, ..."""

    if TYPE_CHECKING:
        def __call__(self, x: Row) -> Expr: ...

    def __init__(self, sizes: Sequence[int], activation: str = "relu", dropout: float = 0.0) -> None:
        self._make("MLP", sizes, activation, dropout)


class FC(_Native):
    """Dropout, Linear, layer normalisation and activation in one cell."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row) -> Expr: ...

    def __init__(self, in_features: int, out_features: int, activation: str | None = "relu", dropout: float = 0.0, layer_norm: bool = False) -> None:
        self._make("FC", in_features, out_features, activation, dropout, layer_norm)


class LayerNorm(_Native):
    """Ba et al. 2016, as in PyTorch, along the last axis. weight [dim], bias [dim]."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row) -> Expr: ...

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        self._make("LayerNorm", dim, eps)


class LSTM(_Native):
    """Long short-term memory with forget gates; gates i, f, g, o as in PyTorch. The state is a State(h, c)."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row, state: State | None = None) -> State: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("LSTM", input_size, hidden_size)


class CoupledLSTM(_Native):
    """An LSTM whose forget gate is 1 - i (Greff et al. 2017)."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row, state: State | None = None) -> State: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("CoupledLSTM", input_size, hidden_size)


class LayerNormLSTM(_Native):
    """An LSTM with layer normalisation (Ba et al. 2016)."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row, state: State | None = None) -> State: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("LayerNormLSTM", input_size, hidden_size)


class VariationalLSTM(_Native):
    """An LSTM that drops the same elements at every step (Gal & Ghahramani 2016). Its state is a tuple."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row, state: tuple[Expr, Expr, Expr, Expr] | None = None) -> tuple[Expr, Expr, Expr, Expr]: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int, p: float = 0.5) -> None:
        self._make("VariationalLSTM", input_size, hidden_size, p)


class GRU(_Native):
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


class RNN(_Native):
    """Elman 1990: h' = tanh(W x + U h + b). The state is h."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, x: Row, state: Row | None = None) -> Expr: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int, activation: str = "tanh") -> None:
        self._make("RNN", input_size, hidden_size, activation)


class DeepLSTM(_Native):
    """LSTMs on top of each other. The state is a list, one State per layer."""

    if TYPE_CHECKING:
        def __call__(self, x: Row, states: Sequence[State] | None = None) -> list[State]: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int, num_layers: int, dropout: float = 0.0) -> None:
        self._make("DeepLSTM", input_size, hidden_size, num_layers, dropout)


class DeepGRU(_Native):
    """GRUs on top of each other. The state is a list of rows."""

    if TYPE_CHECKING:
        def __call__(self, x: Row, states: Sequence[Row] | None = None) -> list[Expr]: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int, num_layers: int, dropout: float = 0.0) -> None:
        self._make("DeepGRU", input_size, hidden_size, num_layers, dropout)


class DeepRNN(_Native):
    """RNNs on top of each other. The state is a list of rows."""

    if TYPE_CHECKING:
        def __call__(self, x: Row, states: Sequence[Row] | None = None) -> list[Expr]: ...
        def run(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int, num_layers: int, dropout: float = 0.0) -> None:
        self._make("DeepRNN", input_size, hidden_size, num_layers, dropout)


class BiLSTM(_Native):
    """One LSTM from each end: a list of [forward; backward], one per row."""

    if TYPE_CHECKING:
        def __call__(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("BiLSTM", input_size, hidden_size)


class BiGRU(_Native):
    """One GRU from each end."""

    if TYPE_CHECKING:
        def __call__(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("BiGRU", input_size, hidden_size)


class BiRNN(_Native):
    """One RNN from each end."""

    if TYPE_CHECKING:
        def __call__(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("BiRNN", input_size, hidden_size)


class DeepBiLSTM(_Native):
    """BiLSTMs on top of each other."""

    if TYPE_CHECKING:
        def __call__(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int, num_layers: int, dropout: float = 0.0) -> None:
        self._make("DeepBiLSTM", input_size, hidden_size, num_layers, dropout)


class DeepBiGRU(_Native):
    """BiGRUs on top of each other."""

    if TYPE_CHECKING:
        def __call__(self, xs: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int, num_layers: int, dropout: float = 0.0) -> None:
        self._make("DeepBiGRU", input_size, hidden_size, num_layers, dropout)


class TreeLSTM(_Native):
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


class ChildSumTreeLSTM(_Native):
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


class BidirectionalTreeLSTM(_Native):
    """Leaves to root, then root to leaves (Miwa & Bansal 2016): module(rows, parents) -> [up; down] of every node."""

    if TYPE_CHECKING:
        def __call__(self, xs: Sequence[Row], parents: Sequence[int]) -> list[Expr]: ...

    def __init__(self, input_size: int, hidden_size: int) -> None:
        self._make("BidirectionalTreeLSTM", input_size, hidden_size)


class TreeRNN(_Native):
    """Socher et al. 2011: node(left, right) = tanh(W [l; r] + b)."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def node(self, left: Row, right: Row) -> Expr: ...

    def __init__(self, hidden_size: int) -> None:
        self._make("TreeRNN", hidden_size)


class RNTN(_Native):
    """Recursive neural tensor network (Socher et al. 2013): node(left, right)."""

    tensor: Parameter
    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def node(self, left: Row, right: Row) -> Expr: ...

    def __init__(self, hidden_size: int) -> None:
        self._make("RNTN", hidden_size)


class MVRNN(_Native):
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


class DotProductAttention(_Native):
    """Vaswani et al. 2017, without parameters: module(query, keys, values)."""

    if TYPE_CHECKING:
        def __call__(self, query: Row, keys: Sequence[Row], values: Sequence[Row]) -> Expr: ...

    def __init__(self, dim: int) -> None:
        self._make("DotProductAttention", dim)


class AdditiveAttention(_Native):
    """Bahdanau et al. 2015: memory = module.remember(rows), then module(query, memory)."""

    weight_query: Parameter
    weight_key: Parameter
    weight: Parameter

    if TYPE_CHECKING:
        def remember(self, rows: Sequence[Row]) -> list[Expr]: ...
        def __call__(self, query: Row, memory: Sequence[Row]) -> Expr: ...

    def __init__(self, query_size: int, input_size: int, hidden_size: int) -> None:
        self._make("AdditiveAttention", query_size, input_size, hidden_size)


class FeedForwardAttention(_Native):
    """A learned weighted mean of any number of rows (Raffel & Ellis 2016)."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, rows: Sequence[Row]) -> Expr: ...

    def __init__(self, input_size: int) -> None:
        self._make("FeedForwardAttention", input_size)


class MultiheadAttention(_Native):
    """Self-attention over a list of rows, with the parameters of torch.nn.MultiheadAttention."""

    in_proj_weight: Parameter
    in_proj_bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, rows: Sequence[Row]) -> list[Expr]: ...

    def __init__(self, embed_dim: int, num_heads: int) -> None:
        self._make("MultiheadAttention", embed_dim, num_heads)


class GraphConvolution(_Native):
    """Kipf & Welling 2017: module(nodes, neighbours); neighbours[v] lists those of node v."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, nodes: Sequence[Row], neighbours: Sequence[Sequence[int]]) -> list[Expr]: ...

    def __init__(self, in_features: int, out_features: int, activation: str = "relu") -> None:
        self._make("GraphConvolution", in_features, out_features, activation)


class Weave(_Native):
    """Kearnes et al. 2016: module(atoms, pairs, ends) -> (atoms, pairs)."""

    if TYPE_CHECKING:
        def __call__(self, atoms: Sequence[Row], pairs: Sequence[Row], ends: Sequence[Sequence[int]]) -> tuple[list[Expr], list[Expr]]: ...

    def __init__(self, atom_size: int, pair_size: int, hidden_size: int, out_features: int) -> None:
        self._make("Weave", atom_size, pair_size, hidden_size, out_features)


class CharLSTM(_Native):
    """The word embedding of Ling et al. 2015 from letters: module(list of ints) -> [2 hidden]."""

    if TYPE_CHECKING:
        def __call__(self, word: Sequence[int]) -> Expr: ...

    def __init__(self, letters: int, dim: int, hidden_size: int) -> None:
        self._make("CharLSTM", letters, dim, hidden_size)


class CharCNN(_Native):
    """The word embedding of dos Santos & Zadrozny 2014 from windows of 3 letters."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, word: Sequence[int]) -> Expr: ...

    def __init__(self, letters: int, dim: int, filters: int) -> None:
        self._make("CharCNN", letters, dim, filters)


class ClassFactoredSoftmax(_Native):
    """Goodman 2001, for large vocabularies: module(h, word) is the loss -log p(word)."""

    if TYPE_CHECKING:
        def __call__(self, h: Row, word: int) -> Expr: ...
        def words(self, c: int) -> list[int]: ...
        def class_log_probabilities(self, h: Row) -> Expr: ...
        def word_log_probabilities(self, h: Row, c: int) -> Expr: ...
        def log_probabilities(self, h: Row) -> Expr: ...

    def __init__(self, in_features: int, class_of_words: Sequence[int]) -> None:
        self._make("ClassFactoredSoftmax", in_features, class_of_words)


class HierarchicalSoftmax(_Native):
    """Morin & Bengio 2005 over a Huffman tree of the counts: module(h, word) is the loss."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, h: Row, word: int) -> Expr: ...

    def __init__(self, in_features: int, counts: Sequence[int]) -> None:
        self._make("HierarchicalSoftmax", in_features, counts)


class NaryTreeLSTM(_Native):
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


class StackLSTM(_Native):
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
