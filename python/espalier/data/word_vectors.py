"""Pretrained word vectors in text form, as written by GloVe (Pennington et al. 2014) and word2vec (Mikolov et al. 2013)."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import os
from typing import Any, Iterator, Mapping, NamedTuple

from .. import _core
from ..module import Module
from ._build import path_of


class WordVectors(Mapping[str, Any]):
    """The vectors of a file by word: vectors["the"] is a read-only row of `matrix`.

    words: a Vocabulary, in the order of the file; matrix: an array [len(words), columns]. rows: vectors in the file, kept
    or not; repeated: lines ignored because their word occurred before.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self.words: _core.data.Vocabulary = handle.words
        self.matrix = handle.matrix
        self.rows: int = handle.rows
        self.repeated: int = handle.repeated

    @property
    def columns(self) -> int:
        """The number of elements per word."""
        return int(self.matrix.shape[1])

    def find(self, word: str, lower_case: bool = False) -> Any:
        """The vector of a word, or None. lower_case: also tries its lower-case form (ASCII letters)."""
        row = self._handle.row(word, lower_case)
        return None if row < 0 else self.matrix[row]

    def __getitem__(self, word: str) -> Any:
        vector = self.find(word)
        if vector is None:
            raise KeyError(word)
        return vector

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __repr__(self) -> str:
        return f"<WordVectors: {len(self)} words, {self.columns} columns>"


class Filled(NamedTuple):
    """words: those with a vector; lower_case: of these, the words found only by their lower-case form."""

    words: int
    lower_case: int


def read(path: str | os.PathLike[str], only: _core.data.Vocabulary | None = None) -> WordVectors:
    """Reads a plain or gzip file. only: keeps only these words and their lower-case forms, and memory use depends only on
    them. DataError with file:line:column: another number of columns, or a value that is not a finite number."""
    return WordVectors(_core.data.read_vectors(path_of(path), only))


def fill(table: Any, words: _core.data.Vocabulary, vectors: WordVectors, lower_case: bool = False) -> Filled:
    """Sets row i of an Embedding or a Parameter [n, columns] to the vector of word i; rows of words without a vector are
    unchanged. lower_case: a word without a vector gets the vector of its lower-case form."""
    parameter = table["weight"] if isinstance(table, Module) else table
    return Filled(*_core.data.fill(parameter, words, vectors._handle, lower_case))
