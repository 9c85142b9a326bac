"""Binary trees with words at the leaves."""
from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass
class Tree:
    """A node: a word at a leaf (left and right are None), or two children; a label at every node."""

    label: int = 0
    word: int = -1
    left: "Tree | None" = None
    right: "Tree | None" = None

    @property
    def is_leaf(self) -> bool:
        """Whether it has no children."""
        return self.left is None


def random_trees(n: int, *, leaves: int, words: int, labels: int, seed: int = 0) -> list[Tree]:
    """n trees of about `leaves` leaves, split uniformly at random, with random words and labels."""
    rng = random.Random(seed)

    def grow(k: int) -> Tree:
        # Without recursion deeper than the tree is high on average.
        if k == 1:
            return Tree(rng.randrange(labels), rng.randrange(words))
        left = rng.randrange(1, k)
        return Tree(rng.randrange(labels), -1, grow(left), grow(k - left))

    return [grow(max(1, rng.randint(leaves // 2, leaves + leaves // 2))) for _ in range(n)]
