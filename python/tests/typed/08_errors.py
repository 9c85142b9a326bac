# The program of the same name, with annotations: type checkers read it, in strict mode.
"""What goes wrong, and what the user reads."""
import gc
from typing import Any, Callable

import numpy as np

import espalier as esp

engine = esp.Engine()
linear = esp.nn.Linear(3, 2)
linear.initialize(seed=1)


def expect(kind: type[BaseException], text: str, f: Callable[[], object]) -> None:
    try:
        f()
    except kind as e:
        assert text in str(e), f"{text!r} is not in {e}"
        return
    raise AssertionError(f"nothing was raised where {text!r} was expected")


expect(esp.ShapeError, "08_errors.py", lambda: engine.infer([np.zeros(4, "f4")], linear))
expect(esp.GraphError, "record", lambda: linear(esp.zeros(3)))                      # outside of a recording
expect(esp.DeviceError, "cuda", lambda: esp.Engine(device="cuda:99"))
expect(ZeroDivisionError, "", lambda: engine.infer([1], lambda x: 1 / 0))           # the user's own error passes through, with its traceback

kept: list[esp.Expr] = []


def keep(x: Any) -> esp.Expr:
    kept.append(linear(x))
    return kept[0]


engine.infer([np.zeros(3, "f4")], keep)
gc.collect()
expect(esp.GraphError, "stale", lambda: engine.value(kept[0]))                      # a value of a graph that is gone: never a crash

bad = engine.infer([np.zeros(3, "f4"), "no", np.ones(3, "f4")], linear, skip_bad=True)
assert len(bad) == 2 and bad.failed[0].position == 1
assert engine.infer([], linear) == []
print("errors are errors")
