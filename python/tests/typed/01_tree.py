# The program of the same name, with annotations: type checkers read it, in strict mode.
"""A Tree-LSTM over plain Python objects: write one example, train on minibatches."""
import random
from dataclasses import dataclass

import espalier as esp


@dataclass
class Tree:
    value: bool
    left: "Tree | None" = None
    right: "Tree | None" = None


def random_tree(rng: random.Random, depth: int) -> Tree:
    """A tree of NAND gates; `value` is what it computes."""
    if depth == 0 or rng.random() < 0.25:
        return Tree(rng.random() < 0.5)
    left, right = random_tree(rng, depth - 1), random_tree(rng, depth - 1)
    return Tree(not (left.value and right.value), left, right)


class Model(esp.Module):
    def __init__(self, hidden: int) -> None:
        self.bits = esp.nn.Embedding(2, 8)
        self.lstm = esp.nn.TreeLSTM(8, hidden)
        self.out = esp.nn.Linear(hidden, 2)

    def encode(self, tree: Tree) -> esp.State:
        if tree.left is None or tree.right is None:
            return self.lstm.leaf(self.bits(tree.value))
        return self.lstm.node(self.encode(tree.left), self.encode(tree.right))

    def __call__(self, tree: Tree) -> esp.Expr:
        return self.out(self.encode(tree).h)


rng = random.Random(1)
train = [random_tree(rng, 4) for _ in range(512)]
test = [random_tree(rng, 6) for _ in range(256)]

model = Model(hidden=16)
model.initialize(seed=1)                                      # optional: the first use draws with seed 0
engine = esp.Engine(device="cpu", threads=1, seed=1)
adam = esp.optim.Adam(model.parameters(), lr=0.01)


def accuracy() -> float:
    scores = engine.infer(test, model)                        # one array per tree, in order
    return sum(bool(s.argmax() == t.value) for s, t in zip(scores, test)) / len(test)


for epoch in range(12):
    total = 0.0
    for batch in esp.minibatches(train, 32, seed=1, epoch=epoch):
        losses = engine.record(batch, lambda t: esp.cross_entropy(model(t), t.value))
        gradients = engine.backward(losses, scale=1 / len(batch))
        adam.step(gradients)
        total += gradients.loss.item()
assert accuracy() > 0.95, accuracy()
print(engine.explain(engine.record(train[:4], model)))
print(f"accuracy {accuracy():.3f} on trees deeper than those trained on")
