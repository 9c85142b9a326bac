"""Lesson 18: fizz-buzz.

The input is the bits of a number; the answer is one of four classes. Trained on 101…1023, tested on 1…100. All examples
have one structure here, which is no reason to use this library; but lists, NumPy arrays and numbers are rows.
"""
import espalier as esp


class FizzBuzz(esp.Module):
    def __init__(self) -> None:
        self.hidden = esp.nn.FC(10, 100)
        self.out = esp.nn.Linear(100, 4)

    def __call__(self, n: int) -> esp.Expr:
        return self.out(self.hidden([n >> i & 1 for i in range(10)]))


def answer(n: int) -> int:
    return 3 if n % 15 == 0 else 2 if n % 5 == 0 else 1 if n % 3 == 0 else 0


engine = esp.Engine()
model = FizzBuzz()
model.initialize(seed=18)
adam = esp.optim.Adam(model.parameters(), lr=0.01)
train = range(101, 1024)  # any sequence is a data set
for epoch in range(100):
    for batch in esp.minibatches(train, 64, seed=18, epoch=epoch):
        losses = engine.record(batch, lambda n: esp.cross_entropy(model(n), answer(n)))
        adam.step(engine.backward(losses, scale=1 / len(batch)))

test = range(1, 101)
best = [int(scores.argmax()) for scores in engine.infer(test, model)]
print(*[(str(n), "fizz", "buzz", "fizzbuzz")[answer(n)] for n in range(1, 16)])
right = sum(int(answer(n) == b) for n, b in zip(test, best))
print(f"more than 9 of 10 are right: {right > 90}")
