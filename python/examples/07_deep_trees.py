"""Lesson 7: a tree 20,000 levels deep.

Recursion stops at Python's limit, 1000 calls: enough for sentences, not for this tree. The library itself never recurses
over a graph, so it suffices to visit the nodes in an order in which children come before their parents.
"""
import espalier as esp

Node = tuple[int, int, int]  # (word, -1, -1): a leaf; (-1, left, right): positions of the children


def comb(levels: int) -> list[Node]:
    """(((… w) w) w): the left child of every node is the level below. Children come before their parents."""
    nodes = [(0, -1, -1)]
    for i in range(levels):
        nodes.append((i % 50, -1, -1))
        nodes.append((-1, len(nodes) - 2, len(nodes) - 1))
    return nodes


class Model(esp.Module):
    def __init__(self) -> None:
        self.words = esp.nn.Embedding(50, 4)
        self.lstm = esp.nn.TreeLSTM(4, 4)
        self.out = esp.nn.Linear(4, 2)

    def __call__(self, nodes: list[Node]) -> esp.Expr:
        states: list[esp.State] = []
        for word, left, right in nodes:
            leaf = left < 0
            states.append(self.lstm.leaf(self.words(word)) if leaf else self.lstm.node(states[left], states[right]))
        return self.out(states[-1].h)


engine = esp.Engine()
model = Model()
model.initialize(seed=7)
trees = [comb(20_000), comb(19_993), comb(12)]  # they still batch with each other
batch = engine.record(trees, lambda tree: esp.cross_entropy(model(tree), 1))
print(f"recorded {batch.calls} calls")
gradients = engine.backward(batch, scale=1 / 3)
print(f"{engine.counters()['steps']} steps forward, the same number backward")
print(f"the gradient is finite: {0 < gradients.norm() < 1e6}")
