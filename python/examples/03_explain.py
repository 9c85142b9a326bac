"""Lesson 3: how calls are batched.

The program has no batch dimension, yet thousands of calls run in a few dozen steps. A step is one cell with all its
calls that run together. `explain` prints the steps, like EXPLAIN for a database query; `dry_run` returns the same as an
object. A policy assigns calls to steps; the results do not depend on it.
"""
import espalier as esp
from espalier.data import Tree, random_trees

trees = random_trees(64, leaves=20, words=1000, labels=5, seed=3)


class Sentiment(esp.Module):
    def __init__(self) -> None:
        self.words = esp.nn.Embedding(1000, 32)
        self.lstm = esp.nn.TreeLSTM(32, 32)
        self.out = esp.nn.Linear(32, 5)

    # A loss at every node, as in the Stanford Sentiment Treebank.
    def encode(self, tree: Tree, losses: list[esp.Expr]) -> esp.State:
        if tree.left is None or tree.right is None:
            state = self.lstm.leaf(self.words(tree.word))
        else:
            state = self.lstm.node(self.encode(tree.left, losses), self.encode(tree.right, losses))
        losses.append(esp.cross_entropy(self.out(state.h), tree.label))
        return state

    def loss(self, tree: Tree) -> list[esp.Expr]:
        losses: list[esp.Expr] = []
        self.encode(tree, losses)
        return losses  # a list of losses is a loss


model = Sentiment()
model.initialize(seed=3)
print("64 trees, forward and backward:\n")
print("policy    calls  steps")
losses: list[float] = []
for policy in ("none", "depth", "agenda", "auto"):
    engine = esp.Engine(policy=policy)
    gradients = engine.backward(engine.record(trees, model.loss))
    counters = engine.counters()
    print(f"{policy:8} {counters['calls']:6} {counters['steps']:6}")
    losses.append(gradients.loss.item())
print(f"the losses are equal up to rounding: {max(losses) - min(losses) < 1e-4 * losses[0]}")

engine = esp.Engine()
two = engine.record(trees[:2], model.loss)
print("\nThe first two trees, explained:\n")
print(engine.explain(two))

how = engine.dry_run(two)
print(f"{how.calls} calls in {len(how.steps)} steps")
for cell in how.cells:
    print(f"{cell.name}: {cell.calls} calls in {cell.steps} steps, {cell.mean_step:.1f} per step")
