"""Lesson 5: sequences of any length.

A bidirectional LSTM tags each symbol of a sequence. A symbol is tagged x if a ( precedes it and a ) follows it anywhere,
so the tagger needs both directions. Lengths range from 1 to 20. Each sequence is recorded at its own length, without
padding.
"""
from __future__ import annotations

import random
from dataclasses import dataclass

import espalier as esp


@dataclass
class Sequence:
    symbols: str  # of . ( )
    tags: list[int]  # 0 or 1


def random_sequence(rng: random.Random) -> Sequence:
    symbols = "".join(rng.choices("......()", k=rng.randint(1, 20)))
    first, last = symbols.find("("), symbols.rfind(")")
    return Sequence(symbols, [int(0 <= first < i < last) for i in range(len(symbols))])


class Tagger(esp.Module):
    def __init__(self) -> None:
        self.symbols = esp.nn.Embedding(3, 8)
        self.context = esp.nn.BiLSTM(8, 16)
        self.out = esp.nn.Linear(32, 2)

    def scores(self, s: Sequence) -> list[esp.Expr]:
        rows = [self.symbols(".()".index(symbol)) for symbol in s.symbols]
        return [self.out(row) for row in self.context(rows)]  # [forward; backward] at every position

    def loss(self, s: Sequence) -> esp.Expr:
        # Sums of different lengths still share a step.
        return esp.sum([esp.cross_entropy(row, tag) for row, tag in zip(self.scores(s), s.tags)])


rng = random.Random(5)
train = [random_sequence(rng) for _ in range(1000)]
test = [random_sequence(rng) for _ in range(200)]

engine = esp.Engine()
tagger = Tagger()
tagger.initialize(seed=5)
adam = esp.optim.Adam(tagger.parameters(), lr=0.01)
for epoch in range(8):
    for batch in esp.minibatches(train, 50, seed=5, epoch=epoch):
        gradients = engine.backward(engine.record(batch, tagger.loss), scale=1 / 50)
        adam.step(gradients)

# infer returns arrays in the structure of the results: here a list per sequence.
recorded = engine.record(test, tagger.scores, mode="infer")
print(engine.explain(recorded).splitlines()[0])
scores = engine.infer(recorded)
tagged = ["".join("-x"[row.argmax()] for row in rows) for rows in scores]
right = sum(int("-x"[tag] == got) for s, tags in zip(test, tagged) for tag, got in zip(s.tags, tags))
print(f"accuracy: {right / sum(len(s.tags) for s in test):.2f}\n")
for s, tags in [(s, tags) for s, tags in zip(test, tagged) if "x" in tags][:3]:
    print(f"{s.symbols}\n{tags}\n")
