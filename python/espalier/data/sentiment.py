"""The Stanford Sentiment Treebank (Socher et al. 2013): binary trees with a label 0 ... 4 at every node, one per line, such
as (3 (2 It) (4 (2 's) (4 great)))."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import os
from typing import Iterator

from .. import _core
from ._build import examples, path_of
from .trees import Tree, binary

labels = 5
generated_words = 18_280  # the words of generate() are 0 ... generated_words - 1


def stream(path: str | os.PathLike[str], words: _core.data.Vocabulary) -> Iterator[Tree]:
    """The trees of a plain or gzip file one by one. Words become indices of the vocabulary, which grows."""
    return examples(_core.data.sentiment(path_of(path), words), binary)


def read(path: str | os.PathLike[str], words: _core.data.Vocabulary) -> list[Tree]:
    """All trees of a file. DataError with file:line:column: a malformed line, which adds no words."""
    return list(stream(path, words))


def parse(line: str, words: _core.data.Vocabulary) -> Tree:
    """The tree of one line."""
    return binary(_core.data.sentiment_parse(line, words))


def generate(n: int, *, seed: int = 0) -> list[Tree]:
    """Synthetic trees with the lengths, depths, labels and word frequencies of the training file."""
    return [binary(nodes) for nodes in _core.data.sentiment_generate(n, seed)]
