# The program of the same name, with annotations: type checkers read it, in strict mode.
"""A cell of one's own: a Python function of ops, traced once, differentiated and fused."""
import numpy as np
from numpy.typing import NDArray

import espalier as esp

Array = NDArray[np.float32]


class Gru(esp.Module):
    def __init__(self, n_in: int, n: int) -> None:
        self.W = esp.Parameter((3 * n, n_in))
        self.U = esp.Parameter((3 * n, n))
        self.b = esp.Parameter((3 * n,), init=esp.init.zeros())
        self.c = esp.Parameter((3 * n,), init=esp.init.zeros())
        self.step = esp.cell(self._step, x=(n_in,), h=(n,))   # traced here: a wrong shape shows now

    def _step(self, x: esp.Expr, h: esp.Expr) -> esp.Expr:
        xr, xz, xn = esp.split(esp.linear(x, self.W, self.b), 3)
        hr, hz, hn = esp.split(esp.linear(h, self.U, self.c), 3)
        reset, keep = esp.sigmoid(xr + hr), esp.sigmoid(xz + hz)
        fresh = esp.tanh(xn + reset * hn)
        return fresh + keep * (h - fresh)


gru = Gru(3, 4)
gru.initialize(seed=4)
print(gru.step.explain())

engine = esp.Engine()
sequences = [np.random.default_rng(i).normal(size=(length, 3)).astype("f4") for i, length in enumerate([2, 7, 5])]


def last(sequence: Array) -> esp.Expr:
    h = esp.zeros(4)
    for x in sequence:                                         # a NumPy row is an input
        h = gru.step(x, h)
    return h


def by_numpy(sequence: Array) -> Array:
    p = {k: v.numpy() for k, v in gru.state_dict().items()}

    def sigmoid(v: Array) -> Array:
        return 1 / (1 + np.exp(-v))

    h: Array = np.zeros(4, np.float32)
    for x in sequence:
        a, u = p["W"] @ x + p["b"], p["U"] @ h + p["c"]
        r, z = sigmoid(a[:4] + u[:4]), sigmoid(a[4:8] + u[4:8])
        fresh = np.tanh(a[8:] + r * u[8:])
        h = fresh + z * (h - fresh)
    return h


for got, sequence in zip(engine.infer(sequences, last), sequences):
    np.testing.assert_allclose(got, by_numpy(sequence), rtol=2e-5, atol=1e-6)

# Arguments of a cell: rows by shape, int for an index, float for a number, a state, a list for any number of rows.
@esp.cell(word=int, scale=float, s=esp.State(4), kids=[esp.State(4)])
def mixed(word: int, scale: float, s: esp.State, kids: esp.State) -> esp.Expr:
    return s.h * scale + esp.one_hot(word, 4) + esp.sum_rows(kids.h)


assert "kids" in mixed.explain()

with engine.graph():                                            # outside of a batch: for the prompt and for notebooks
    h = gru.step(sequences[0][0], esp.zeros(4))
    assert h.shape == (4,) and engine.value(h).shape == (4,)

try:
    @esp.cell(x=(3,))
    def wrong(x: esp.Expr) -> esp.Expr:
        return gru.step(x, x)  # type: ignore[no-any-return]

    raise AssertionError("a wrong shape was taken")
except esp.ShapeError as e:
    assert "02_cell.py" in str(e), e
print("equal to NumPy")
