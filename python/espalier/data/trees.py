"""Trees: the classes that the readers return, and random trees."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Sequence

from .. import _core
from ._build import postorder


@dataclass
class Tree:
    """A node of a binary tree: a word at a leaf (left and right are None), or two children. Label -1: none."""

    label: int = 0
    word: int = -1
    left: "Tree | None" = None
    right: "Tree | None" = None

    @property
    def is_leaf(self) -> bool:
        """Whether it has no children."""
        return self.left is None


@dataclass
class NaryTree:
    """A node with any number of children: a word at a leaf, which has none. Label -1: none."""

    label: int = -1
    word: int = -1
    children: list["NaryTree"] = field(default_factory=list["NaryTree"])

    @property
    def is_leaf(self) -> bool:
        """Whether it has no children."""
        return not self.children


def binary(nodes: Sequence[tuple[int, int, int, int]]) -> Tree:
    """The tree of a list of nodes (label, word, left, right), children first."""
    made: list[Tree] = []
    for label, word, left, right in nodes:
        made.append(Tree(label, word) if word >= 0 else Tree(label, -1, made[left], made[right]))
    return made[-1]


def nary(nodes: Sequence[tuple[int, int, list[int]]]) -> NaryTree:
    """The tree of a list of nodes (label, word, children), children first."""
    made: list[NaryTree] = []
    for label, word, children in nodes:
        made.append(NaryTree(label, word, [made[i] for i in children]))
    return made[-1]


def nary_nodes(tree: NaryTree) -> list[tuple[int, int, list[int]]]:
    return [(node.label, node.word, children) for node, children in postorder(tree, _children)]


def _children(tree: NaryTree) -> list[NaryTree]:
    return tree.children


def random_trees(n: int, *, leaves: int, words: int, labels: int, seed: int = 0, form: str = "random") -> list[Tree]:
    """n trees of `leaves` leaves, whose words are uniform in 0 ... words-1, with a label 0 ... labels-1 at every node.

    form: random (the number of leaves in the left child is uniform), balanced, or sequence (the deepest). The same on
    every platform.
    """
    if labels < 1:
        raise ValueError(f"random_trees: labels is {labels}; it must be at least 1")
    draw = random.Random(seed).random
    trees: list[Tree] = []
    for nodes in _core.data.binary_tree_generate(n, seed, leaves, words, form):
        trees.append(binary([(int(draw() * labels), word, left, right) for _, word, left, right in nodes]))
    return trees
