"""Lesson 15: a calculator.

A model over data with several cases is plain Python: a dict of layers, and a function that calls itself. An expression is
a number or an operation on two expressions; each operator has its own layer. The network learns the sign of the value:
negative, zero, positive.
"""
from __future__ import annotations

import operator
import random
from typing import Callable, NamedTuple, Union

import espalier as esp


class Operation(NamedTuple):
    symbol: str
    left: Expression
    right: Expression


Expression = Union[int, Operation]
APPLY: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


class Calculator(esp.Module):
    def __init__(self, n: int) -> None:
        self.number = esp.nn.FC(10, n, activation="tanh")
        self.operations = {symbol: esp.nn.FC(2 * n, n, activation="tanh") for symbol in APPLY}
        self.sign = esp.nn.Linear(n, 3)

    def encode(self, e: Expression) -> esp.Expr:
        if isinstance(e, int):
            return self.number(esp.one_hot(e, 10))
        return self.operations[e.symbol](esp.concat([self.encode(e.left), self.encode(e.right)]))

    def __call__(self, e: Expression) -> esp.Expr:
        return self.sign(self.encode(e))


def random_expression(rng: random.Random, depth: int) -> Expression:
    if depth == 0 or rng.random() < 0.25:
        return rng.randrange(10)
    return Operation(rng.choice("+-*"), random_expression(rng, depth - 1), random_expression(rng, depth - 1))


def value(e: Expression) -> int:
    return e if isinstance(e, int) else APPLY[e.symbol](value(e.left), value(e.right))


def sign(e: Expression) -> int:
    return (value(e) > 0) - (value(e) < 0) + 1


rng = random.Random(15)
train = [random_expression(rng, 3) for _ in range(4000)]
test = [random_expression(rng, 3) for _ in range(500)]

engine = esp.Engine()
model = Calculator(32)
model.initialize(seed=15)
print([name for name, _ in model.named_parameters()])
adam = esp.optim.Adam(model.parameters(), lr=0.005)
for epoch in range(12):
    for batch in esp.minibatches(train, 50, seed=15, epoch=epoch):
        losses = engine.record(batch, lambda e: esp.cross_entropy(model(e), sign(e)))
        adam.step(engine.backward(losses, scale=1 / len(batch)))

recorded = engine.record(test, model, mode="infer")
print(engine.explain(recorded).splitlines()[0])
right = sum(int(scores.argmax() == sign(e)) for scores, e in zip(engine.infer(recorded), test))
print(f"more than 4 of 5 are right: {right > 0.8 * len(test)}")
