"""Bracketed trees of any arity with a label at every node, as in the Penn Treebank (Marcus et al. 1993):

    ( (S (NP (DT The) (NN cat))
         (VP (VBZ sleeps))) )
"""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import os
from typing import Iterator

from .. import _core
from ._build import examples, path_of
from .trees import NaryTree, nary, nary_nodes


def stream(
    path: str | os.PathLike[str], labels: _core.data.Vocabulary, words: _core.data.Vocabulary
) -> Iterator[NaryTree]:
    """The trees of a plain or gzip file one by one. A tree begins on a new line and may span several."""
    return examples(_core.data.treebank(path_of(path), labels, words), nary)


def read(
    path: str | os.PathLike[str], labels: _core.data.Vocabulary, words: _core.data.Vocabulary
) -> list[NaryTree]:
    """All trees of a file. DataError with file:line:column: a malformed tree, which adds no words and labels."""
    return list(stream(path, labels, words))


def to_text(tree: NaryTree, labels: _core.data.Vocabulary, words: _core.data.Vocabulary) -> str:
    """The tree on one line."""
    return str(_core.data.treebank_text(nary_nodes(tree), labels, words))
