"""Lesson 20: feed-forward attention over long sequences (Raffel & Ellis 2016).

Each step is a number and a mark. Two steps are marked; the target is the sum of their numbers. The model has no
recurrence: it takes a weighted mean over all steps and learns the weights. Its depth does not depend on the length.
"""
import random
from typing import NamedTuple

import espalier as esp


class Example(NamedTuple):
    steps: list[tuple[float, float]]  # (number, mark)
    total: float


class SumOfMarked(esp.Module):
    def __init__(self, n: int) -> None:
        self.step = esp.nn.FC(2, n, activation="tanh")
        self.attend = esp.nn.FeedForwardAttention(n)
        self.mean = esp.nn.FC(n, n)
        self.out = esp.nn.Linear(n, 1)

    def __call__(self, example: Example) -> esp.Expr:
        return self.out(self.mean(self.attend([self.step(step) for step in example.steps])))


def random_example(rng: random.Random) -> Example:
    n = rng.randint(20, 60)
    marked = (rng.randrange(n // 2), rng.randrange(n // 2, n))
    steps = [(rng.uniform(-1, 1), float(i in marked)) for i in range(n)]
    return Example(steps, sum(number for number, mark in steps if mark))


rng = random.Random(20)
train = [random_example(rng) for _ in range(2000)]
test = [random_example(rng) for _ in range(200)]

engine = esp.Engine()
model = SumOfMarked(32)
model.initialize(seed=20)
adam = esp.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(12):
    for batch in esp.minibatches(train, 50, seed=20, epoch=epoch):
        losses = engine.record(batch, lambda e: esp.mse_loss(model(e), [e.total]))
        adam.step(engine.backward(losses, scale=1 / 50))

recorded = engine.record(test, model, mode="infer")
print(engine.explain(recorded).splitlines()[0])
sums = engine.infer(recorded, stack=True)[:, 0]
right = sum(int(abs(found - e.total) < 0.15) for found, e in zip(sums, test))
print(f"within 0.15 of the sum in more than 9 of 10: {right > 0.9 * len(test)}")
