"""Sentences with a tag for every word, one sentence per line, such as "Espalier|I-ORG grows|O .|O": the format of WikiNER
(Nothman et al. 2013)."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import os
from typing import Iterator, NamedTuple, Sequence

from .. import _core
from ._build import examples, path_of


class Token(NamedTuple):
    """Indices of the vocabularies."""

    word: int
    tag: int


def _sentence(tokens: Sequence[tuple[int, int]]) -> list[Token]:
    return [Token(*token) for token in tokens]


def stream(
    path: str | os.PathLike[str], words: _core.data.Vocabulary, tags: _core.data.Vocabulary
) -> Iterator[list[Token]]:
    """The sentences of a plain or gzip file one by one."""
    return examples(_core.data.tagged(path_of(path), words, tags), _sentence)


def read(path: str | os.PathLike[str], words: _core.data.Vocabulary, tags: _core.data.Vocabulary) -> list[list[Token]]:
    """All sentences of a file. DataError with file:line:column: a token without a word or a tag; its line adds nothing."""
    return list(stream(path, words, tags))


def generate(
    n: int, words: _core.data.Vocabulary, tags: _core.data.Vocabulary, *, seed: int = 0
) -> list[list[Token]]:
    """Sentences with the lengths, word frequencies and number of tags of WikiNER."""
    return [_sentence(tokens) for tokens in _core.data.tagged_generate(n, seed, words, tags)]
