"""tree-lstm in Python: the same work as `espalier bench tree-lstm` (apps/espalier/bench/tasks/tree_lstm.cc).

Prints one line of JSON: examples per second, the median of several windows.
"""
import argparse
import json
import statistics
import time

import espalier as esp

SIZES = {"words": 128, "hidden": 128, "labels": 5}


def read(path):
    """Trees as lists of nodes (left, right, word, label), children first; and the number of words."""
    words, trees = {"<unk>": 0}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            nodes, open_labels, kids = [], [], []
            # A word may contain other spaces, such as U+00A0.
            for token in filter(None, line.rstrip("\n").replace("(", " ( ").replace(")", " ) ").split(" ")):
                if token == "(":
                    open_labels.append(None)
                    kids.append([])
                elif token == ")":
                    label, below = open_labels.pop(), kids.pop()
                    if len(below) == 1 and isinstance(below[0], str):
                        nodes.append((-1, -1, words.setdefault(below[0], len(words)), label))
                    else:
                        nodes.append((below[0], below[1], -1, label))
                    if kids:
                        kids[-1].append(len(nodes) - 1)
                elif open_labels[-1] is None:
                    open_labels[-1] = int(token)
                else:
                    kids[-1].append(token)
            if nodes:
                trees.append(nodes)
    return trees, len(words)


class TreeLSTM(esp.Module):
    def __init__(self, vocabulary, dim, hidden, labels):
        h = hidden
        zeros, ones = esp.init.zeros(), esp.init.ones()
        self.words = esp.Parameter((vocabulary, dim), init=esp.init.glorot(), sparse=True)
        self.W, self.U = esp.Parameter((3 * h, dim)), esp.Parameter((3 * h, 2 * h))
        self.U1, self.U2 = esp.Parameter((h, h)), esp.Parameter((h, h))
        self.b, self.bf = esp.Parameter((3 * h,), init=zeros), esp.Parameter((h,), init=ones)
        self.V = esp.Parameter((labels, h))
        self.leaf = esp.cell(self._leaf, word=int)
        self.node = esp.cell(self._node, left=esp.State(h), right=esp.State(h))
        self.score = esp.cell(self._score, x=(h,), label=int)

    def _leaf(self, word):
        i, o, u = esp.split(esp.linear(esp.lookup(self.words, word), self.W, self.b), 3)
        c = esp.sigmoid(i) * esp.tanh(u)
        return esp.State(esp.sigmoid(o) * esp.tanh(c), c)

    def _node(self, left, right):
        i, o, u = esp.split(esp.linear(esp.concat([left.h, right.h]), self.U, self.b), 3)
        f1 = esp.sigmoid(esp.linear(left.h, self.U1, self.bf))
        f2 = esp.sigmoid(esp.linear(right.h, self.U2, self.bf))
        c = esp.sigmoid(i) * esp.tanh(u) + f1 * left.c + f2 * right.c
        return esp.State(esp.sigmoid(o) * esp.tanh(c), c)

    def _score(self, x, label):
        return esp.cross_entropy(esp.linear(x, self.V), label)

    def loss(self, tree):
        leaf, node, score = self.leaf, self.node, self.score
        states, losses = [], []
        for left, right, word, label in tree:
            state = leaf(word) if left < 0 else node(states[left], states[right])
            states.append(state)
            losses.append(score(state.h, label))
        return losses


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, help="trees in bracket form, such as sst/train.txt")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--hidden", type=int, default=SIZES["hidden"])
    parser.add_argument("--dim", type=int, default=0, help="of the words; by default 128")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--precision", default="f32")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--keep-recordings", action="store_true")
    parser.add_argument("--ahead", type=int, default=0, help="threads that prepare kept minibatches; 0: none")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--reps", type=int, default=5)
    a = parser.parse_args()

    trees, vocabulary = read(a.data)
    model = TreeLSTM(vocabulary, a.dim or SIZES["words"], a.hidden, SIZES["labels"])
    model.initialize(seed=1)
    engine = esp.Engine(a.device, threads=a.threads, seed=1, precision=a.precision)
    adam = esp.optim.Adam(model.parameters(), lr=1e-3)
    examples = esp.Recorded(trees, model.loss) if a.keep_recordings else trees

    def batches():
        epoch = 0
        while True:
            yield from esp.minibatches(examples, a.batch, seed=1, epoch=epoch)
            epoch += 1

    def run_one(batch):
        losses = engine.record(batch) if a.keep_recordings else engine.record(batch, model.loss)
        gradients = engine.backward(losses)
        adam.step(gradients)
        return len(batch)

    def run_ahead():
        pipeline = esp.Pipeline(engine, a.ahead)
        sizes = []
        for batch in batches():
            pipeline.push(batch)
            sizes.append(len(batch))
            if len(sizes) >= 2 * a.ahead:
                adam.step(pipeline.backward())
                yield sizes.pop(0)

    steps = run_ahead() if a.ahead else (run_one(b) for b in batches())
    done, warm = 0, len(trees) if a.keep_recordings else 10 * a.batch
    while done < warm:
        done += next(steps)
    rates, losses = [], None
    for _ in range(a.reps):
        engine.wait()
        start, done = time.perf_counter(), 0
        while time.perf_counter() - start < a.seconds:
            done += next(steps)
        engine.wait()
        rates.append(done / (time.perf_counter() - start))
    print(json.dumps({"task": "tree-lstm", "language": "python", "batch": a.batch, "device": a.device,
                      "keep_recordings": a.keep_recordings, "examples_per_s": statistics.median(rates)}))  # fmt: skip


if __name__ == "__main__":
    main()
