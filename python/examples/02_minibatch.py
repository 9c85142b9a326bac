"""Lesson 2: training on minibatches.

The task: evaluate a tree of NAND gates over true and false. The label is the truth value at the root; from it alone the
network must learn the function of a gate. Every tree has a different structure. The training loop is the one you know
from PyTorch: record, backward, step. There is no padding, no masking and no zero_grad.
"""
from __future__ import annotations

import random
from dataclasses import dataclass

import espalier as esp


@dataclass
class Tree:
    value: bool
    kids: tuple[Tree, ...] = ()  # none: a leaf


def random_tree(rng: random.Random, depth: int) -> Tree:
    if depth == 0 or rng.random() < 0.25:
        return Tree(rng.random() < 0.5)
    left, right = random_tree(rng, depth - 1), random_tree(rng, depth - 1)
    return Tree(not (left.value and right.value), (left, right))


class Model(esp.Module):
    def __init__(self) -> None:
        self.bits = esp.nn.Embedding(2, 8)
        self.lstm = esp.nn.TreeLSTM(8, 16)
        self.out = esp.nn.Linear(16, 2)

    def encode(self, tree: Tree) -> esp.State:
        if not tree.kids:
            return self.lstm.leaf(self.bits(tree.value))
        left, right = map(self.encode, tree.kids)
        return self.lstm.node(left, right)

    def __call__(self, tree: Tree) -> esp.Expr:
        return self.out(self.encode(tree).h)


rng = random.Random(1)
train = [random_tree(rng, 4) for _ in range(512)]
test = [random_tree(rng, 6) for _ in range(256)]  # deeper than the training trees

engine = esp.Engine()
model = Model()
model.initialize(seed=1)
adam = esp.optim.Adam(model.parameters(), lr=0.01)


def accuracy() -> float:
    scores = engine.infer(test, model)  # one array per tree, in order
    return sum(int(s.argmax() == t.value) for s, t in zip(scores, test)) / len(test)


for epoch in range(12):
    losses: list[float] = []
    for batch in esp.minibatches(train, 32, seed=1, epoch=epoch):
        recorded = engine.record(batch, lambda tree: esp.cross_entropy(model(tree), tree.value))
        gradients = engine.backward(recorded, scale=1 / len(batch))  # gradients of the mean loss
        adam.step(gradients)
        losses.append(gradients.loss.item())
    if epoch in (0, 11):
        print(f"epoch {epoch:2}: loss {sum(losses) / len(losses):.1f}")
print(f"accuracy {accuracy():.2f} on trees of up to 6 levels, trained on up to 4")
