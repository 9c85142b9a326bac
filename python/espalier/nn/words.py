"""Words from letters, and losses over large vocabularies."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

from .._core import Expr, Parameter
from .native import Native

if TYPE_CHECKING:
    from .._core import Row


class CharLSTM(Native):
    """The word embedding of Ling et al. 2015 from letters: module(list of ints) -> [2 hidden]."""

    if TYPE_CHECKING:
        def __call__(self, word: Sequence[int]) -> Expr: ...

    def __init__(self, letters: int, dim: int, hidden_size: int) -> None:
        self._make("CharLSTM", letters, dim, hidden_size)


class CharCNN(Native):
    """The word embedding of dos Santos & Zadrozny 2014 from windows of 3 letters."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, word: Sequence[int]) -> Expr: ...

    def __init__(self, letters: int, dim: int, filters: int) -> None:
        self._make("CharCNN", letters, dim, filters)


class ClassFactoredSoftmax(Native):
    """Goodman 2001, for large vocabularies: module(h, word) is the loss -log p(word)."""

    if TYPE_CHECKING:
        def __call__(self, h: Row, word: int) -> Expr: ...
        def words(self, c: int) -> list[int]: ...
        def class_log_probabilities(self, h: Row) -> Expr: ...
        def word_log_probabilities(self, h: Row, c: int) -> Expr: ...
        def log_probabilities(self, h: Row) -> Expr: ...

    def __init__(self, in_features: int, class_of_words: Sequence[int]) -> None:
        self._make("ClassFactoredSoftmax", in_features, class_of_words)


class HierarchicalSoftmax(Native):
    """Morin & Bengio 2005 over a Huffman tree of the counts: module(h, word) is the loss."""

    weight: Parameter
    bias: Parameter

    if TYPE_CHECKING:
        def __call__(self, h: Row, word: int) -> Expr: ...

    def __init__(self, in_features: int, counts: Sequence[int]) -> None:
        self._make("HierarchicalSoftmax", in_features, counts)
