"""Lesson 6: any number of rows in one call.

An argument of a cell may be a list of rows: the children of a node, the neighbours of an atom, the keys of attention.
Inside the cell, ops map over the rows, softmax_rows normalises across them, and sum_rows, mean_rows or max_rows reduce
them to one row. Calls with zero, one or nine rows run in the same step.
"""
import random

import espalier as esp

Pairs = list[tuple[int, int]]


class Tree:
    """A random tree whose nodes have any number of children."""

    def __init__(self, rng: random.Random, depth: int) -> None:
        self.token = rng.randrange(10)
        self.kids = [Tree(rng, depth - 1) for _ in range(rng.randrange(5))] if depth > 0 else []


class TreeNet(esp.Module):
    def __init__(self) -> None:
        self.tokens = esp.nn.Embedding(10, 8)
        self.join = esp.nn.Linear(8, 8)
        self.node = esp.cell(self._node, x=(8,), kids=[(8,)])  # [(8,)]: any number of rows of 8

    def _node(self, x: esp.Expr, kids: esp.Expr) -> esp.Expr:
        return esp.tanh(x + self.join(esp.sum_rows(kids)))  # the sum of no rows is zero, so leaves use the same cell

    def __call__(self, tree: Tree) -> esp.Expr:
        result: esp.Expr = self.node(self.tokens(tree.token), [self(kid) for kid in tree.kids])
        return result


class Memory(esp.Module):
    """(key, value) pairs, queried by key."""

    def __init__(self) -> None:
        self.keys = esp.nn.Embedding(20, 16)
        self.values = esp.nn.Embedding(20, 16)
        self.out = esp.nn.Linear(16, 20)
        self.attend = esp.cell(self._attend, query=(16,), memory=[esp.State(16)])  # pairs of rows

    def _attend(self, query: esp.Expr, memory: esp.State) -> esp.Expr:
        return esp.attention(query, memory.h, memory.c)  # the softmax of query · key weights the values

    def loss(self, pairs: Pairs) -> esp.Expr:
        keys = [self.keys(key) for key, _ in pairs]
        memory = [esp.State(key, self.values(value)) for key, (_, value) in zip(keys, pairs)]
        losses = [esp.cross_entropy(self.out(self.attend(query, memory)), value)
                  for query, (_, value) in zip(keys, pairs)]
        return esp.mean(losses)


engine = esp.Engine()
rng = random.Random(6)
net = TreeNet()
trees = [Tree(rng, 3) for _ in range(100)]
print(engine.explain(engine.record(trees, net)))

memory = Memory()
memory.initialize(seed=6)
adam = esp.optim.Adam(memory.parameters(), lr=0.02)


def random_pairs() -> Pairs:
    n, first = rng.randint(1, 9), rng.randrange(20)
    return [((first + i) % 20, rng.randrange(20)) for i in range(n)]


for step in range(201):
    gradients = engine.backward(engine.record([random_pairs() for _ in range(32)], memory.loss), scale=1 / 32)
    adam.step(gradients)
    if step % 100 == 0:
        print(f"step {step:3}: loss {gradients.loss.item():.1f}")
