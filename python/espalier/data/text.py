"""Plain text, one sentence per line: lists of word indices. Only ASCII whitespace separates words."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import os
from typing import Iterator

from .. import _core
from ._build import path_of


def stream(path: str | os.PathLike[str], words: _core.data.Vocabulary) -> Iterator[list[int]]:
    """The sentences of a plain or gzip file one by one; empty lines are skipped."""
    return iter(_core.data.text(path_of(path), words))


def read(path: str | os.PathLike[str], words: _core.data.Vocabulary) -> list[list[int]]:
    """All sentences of a file."""
    return list(stream(path, words))


def parse(line: str, words: _core.data.Vocabulary) -> list[int]:
    return list(_core.data.text_parse(line, words))


def generate(n: int, words: _core.data.Vocabulary, *, seed: int = 0) -> list[list[int]]:
    """Sentences with the lengths and word frequencies of the English Web Treebank."""
    return list(_core.data.text_generate(n, seed, words))
