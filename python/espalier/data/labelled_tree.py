"""Trees with any number of children, and labels at all nodes or at the root only. Three forms of text:

    labels    (3 (2 It) (4 (2 's) (4 great)))     a list begins with its label, or with _ for none
    root      pos TAB ( ( It ) ( was great ) )    the label of the root and a tab; all words are leaves
    listops   9 TAB [MAX 2 9 [MIN 4 7 ] 0 ]       operators with any names; parentheses are ignored
"""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import os
from typing import Iterator

from .. import _core
from ._build import examples, path_of
from .trees import NaryTree, Tree, binary, nary, nary_nodes


def stream(
    path: str | os.PathLike[str], labels: _core.data.Vocabulary, words: _core.data.Vocabulary, form: str | None = None
) -> Iterator[NaryTree]:
    """The trees of a plain or gzip file one by one. form: labels, root or listops; None: the first tree decides."""
    return examples(_core.data.labelled_tree(path_of(path), labels, words, form), nary)


def read(
    path: str | os.PathLike[str], labels: _core.data.Vocabulary, words: _core.data.Vocabulary, form: str | None = None
) -> list[NaryTree]:
    """All trees of a file. DataError with file:line:column: a malformed tree, a root without a label, or a label that a
    closed vocabulary does not have."""
    return list(stream(path, labels, words, form))


def parse(text: str, labels: _core.data.Vocabulary, words: _core.data.Vocabulary, form: str | None = None) -> NaryTree:
    """One tree whose labels do not matter: the label of the root may be missing."""
    return nary(_core.data.labelled_tree_parse(text, form_of(text) if form is None else form, labels, words))


def form_of(line: str) -> str:
    """The form of a tree, by its first line."""
    return str(_core.data.labelled_tree_form(line))


def binarise(tree: NaryTree, unary: int = -1) -> Tree:
    """Children join from left to right: a, b, c become ((a b) c), of which (a b) has no label (-1). A node with one child
    joins it with the leaf `unary`; with -1, the child takes its place."""
    return binary(_core.data.labelled_tree_binarise(nary_nodes(tree), unary))
