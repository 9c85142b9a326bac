"""Lesson 8: errors and their messages.

This program fails on purpose, six times. A message names the op, the arguments it got, the arguments it needs, and the
line of your program. The engine stays usable after every error.
"""
import espalier as esp


class Model(esp.Module):
    def __init__(self) -> None:
        self.words = esp.nn.Embedding(100, 8)
        self.lstm = esp.nn.LSTM(8, 16)
        self.out = esp.nn.Linear(16, 2)

    def __call__(self, sentence: list[int]) -> esp.Expr:
        state = None
        for word in sentence:
            state = self.lstm(self.words(word), state)
        assert state is not None, "an empty sentence"
        return esp.cross_entropy(self.out(state.h), 1)


engine = esp.Engine()
model = Model()
model.initialize(seed=8)
good = [[1, 2, 3], [4, 5]]

# 1. Shapes are checked when a call is recorded, not when it runs.
try:
    with engine.graph():
        model.out(model.words(3))  # a row of 8, but the layer takes 16
except esp.ShapeError as error:
    print(f"1. shape: {error}")

# 2. So are indices, and a note names the example. skip_bad leaves bad examples out.
one_bad = [[1, 2, 3], [4, 1000], [6]]
try:
    engine.record(one_bad, model)
except esp.IndexError as error:
    print(f"2. index: {error}")
rest = engine.record(one_bad, model, skip_bad=True)
print(f"   with skip_bad: {len(rest)} recorded; example {rest.failed[0].position} is left out")

# 3. An exception of your own passes through, with its traceback.
try:
    engine.record([[]], model)
except AssertionError as error:
    print(f"3. yours: {error}")

# 4. An op needs a graph to record in.
try:
    model.words(3)
except esp.GraphError as error:
    print(f"4. graph: {error}")

# 5. An Expr owns nothing. Using one that outlives its graph is an error, not a crash.
with engine.graph():
    kept = model(good[0])
try:
    engine.value(kept)
except esp.GraphError as error:
    print(f"5. stale: {error}")

# 6. The loss is NaN: which call produced it first? Immediate mode runs each call when it is recorded, and raises an error
#    at the first NaN. It is slow: use it for debugging.
careful = esp.Engine(immediate=True)
try:
    careful.record(good, lambda sentence: esp.sqrt(0.5 - model(sentence)))
except esp.NumberError as error:
    print(f"6. nan:   {error}")

loss = engine.backward(engine.record(good, model)).loss
print(f"the engine still works: {loss.item() > 0}")
