"""What it costs to record one call from Python, beyond a no-op call of the same form. One line of JSON, in nanoseconds."""
import json
import operator
import time

import espalier as esp
from espalier.data import random_trees


class Model(esp.Module):
    def __init__(self):
        self.words = esp.nn.Embedding(500, 64)
        self.lstm = esp.nn.TreeLSTM(64, 64)


def recorder(words, leaf, node):
    def encode(t):
        if t.left is None:
            return leaf(words(t.word))
        return node(encode(t.left), encode(t.right))

    return encode


def calls_of(t):
    return 2 if t.left is None else 1 + calls_of(t.left) + calls_of(t.right)


def seconds(f, repeat):
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        f()
        best = min(best, time.perf_counter() - start)
    return best


def main():
    trees = random_trees(10_000, leaves=20, words=500, labels=5, seed=1)
    model = Model()
    engine = esp.Engine("null")
    record = recorder(model.words, model.lstm.leaf, model.lstm.node)
    nothing = recorder(operator.pos, operator.pos, operator.add)
    hot = trees[:256]

    def first_pass():
        for i in range(0, len(trees), 256):
            engine.record(trees[i : i + 256], record)

    n_hot, n_all = sum(map(calls_of, hot)), sum(map(calls_of, trees))
    engine.record(hot, record)
    # Alternating, so that both see the same machine.
    pairs = [(seconds(lambda: engine.record(hot, record), 3), seconds(lambda: list(map(nothing, hot)), 3)) for _ in range(9)]
    hot_s, no_op_s = min(a for a, _ in pairs), min(b for _, b in pairs)
    pass_s, nothing_s = seconds(first_pass, 1), seconds(lambda: list(map(nothing, trees)), 1)
    print(json.dumps({
        "hot_ns": (hot_s - no_op_s) / n_hot * 1e9,
        "first_pass_ns": (pass_s - nothing_s) / n_all * 1e9,
        "no_op_ns": no_op_s / n_hot * 1e9,
    }))  # fmt: skip


if __name__ == "__main__":
    main()
