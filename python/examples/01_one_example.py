"""Lesson 1: the network of one example.

A sentence is a tree, and the tree determines the structure of the network: a leaf looks up a word, an inner node joins
its two children. You write this as plain recursion for one tree. There is no batch dimension, and nothing is computed
until you read a value.
"""
from __future__ import annotations

from dataclasses import dataclass

import espalier as esp


@dataclass
class Tree:
    text: str
    word: int = 0
    kids: tuple[Tree, ...] = ()  # none or two


# Attributes of a Module that are modules or parameters belong to it, under the names of the attributes.
class TreeNet(esp.Module):
    def __init__(self) -> None:
        self.words = esp.nn.Embedding(5, 8)
        self.join = esp.nn.Linear(16, 8)
        self.score = esp.nn.Linear(8, 1)

    # An Expr is a value that is not computed yet.
    def encode(self, tree: Tree) -> esp.Expr:
        if not tree.kids:
            return self.words(tree.word)
        left, right = map(self.encode, tree.kids)
        return esp.tanh(self.join(esp.concat([left, right])))

    def rate(self, sentence: esp.Expr) -> esp.Expr:
        return esp.sum_elements(esp.sigmoid(self.score(sentence)))


net = TreeNet()
net.initialize(seed=1)  # with a fixed seed, every run draws the same values
print(net)

the_film = Tree("the film", kids=(Tree("the", 2), Tree("film", 3)))
not_good = Tree("not good", kids=(Tree("not", 0), Tree("good", 1)))
review = Tree("the film was not good", kids=(the_film, Tree("was not good", kids=(Tree("was", 4), not_good))))

engine = esp.Engine()  # batches the recorded calls and runs them, by default on the CPU in one thread


def computed() -> int:
    return int(engine.counters()["calls"])


with engine.graph() as graph:  # holds the recorded calls
    first, second = net.encode(not_good), net.encode(review)
    first_rate, second_rate = net.rate(first), net.rate(second)
    print(f"recorded {graph.calls} calls, computed {computed()}")

    # Reading a value runs only the calls that it depends on. The others stay pending.
    x = engine.value(first_rate).item()
    print(f"{not_good.text!r} scores {x:.2f}: {computed()} calls computed")
    y = engine.value(second_rate).item()
    print(f"{review.text!r} scores {y:.2f}: {computed()} calls computed")

    # Computed values are kept: reading one again runs nothing.
    vector = engine.value(second)
    print(f"as a vector of shape {vector.shape}: {computed()} calls computed")
