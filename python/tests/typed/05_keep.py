# The program of the same name, with annotations: type checkers read it, in strict mode.
"""Record once, train for many epochs: later epochs do not run Python code for the examples at all."""
import time

import espalier as esp
from espalier.data import Tree, random_trees

trees = random_trees(2000, leaves=20, words=500, labels=5, seed=1)


class Model(esp.Module):
    def __init__(self) -> None:
        self.words = esp.nn.Embedding(500, 64)
        self.lstm = esp.nn.TreeLSTM(64, 64)
        self.out = esp.nn.Linear(64, 5)

    def loss(self, tree: Tree) -> list[esp.Expr]:
        def encode(t: Tree) -> esp.State:
            if t.left is None or t.right is None:
                s = self.lstm.leaf(self.words(t.word))
            else:
                s = self.lstm.node(encode(t.left), encode(t.right))
            losses.append(esp.cross_entropy(self.out(s.h), t.label))
            return s
        losses: list[esp.Expr] = []
        encode(tree)
        return losses                                           # a list of losses is a loss


def train(keep: bool) -> tuple[list[float], list[float]]:
    model = Model()
    model.initialize(seed=1)
    engine = esp.Engine(seed=1)
    adam = esp.optim.Adam(model.parameters(), lr=1e-3)
    # Recorded: each tree is recorded when it is first met, and replayed from then on. What the function reads besides its
    # example is frozen; dropout is not, it is keyed by epoch and example. examples.forget() starts anew. No async functions.
    examples = esp.Recorded(trees, model.loss) if keep else trees
    seconds: list[float] = []
    losses: list[float] = []
    for epoch in range(3):
        start = time.perf_counter()
        total = 0.0
        for batch in esp.minibatches(examples, 64, seed=1, epoch=epoch):
            recorded = engine.record(batch) if keep else engine.record(batch, model.loss)
            gradients = engine.backward(recorded, scale=1 / 64)
            adam.step(gradients)
            total += gradients.loss.item()
        seconds.append(time.perf_counter() - start)
        losses.append(total)
    return losses, seconds


kept, kept_seconds = train(keep=True)
anew, anew_seconds = train(keep=False)
assert kept == anew, "the same bits"
print("seconds an epoch, recorded anew:", anew_seconds, "kept:", kept_seconds)
