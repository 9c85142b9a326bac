"""Lesson 4: a cell of your own.

A cell is a small program of ops, written as a function. It is traced once, at its definition: its shapes are checked,
its gradient is derived and its element-wise ops are fused. Afterwards a call is one entry of the graph, however many ops
the cell contains. This lesson builds one cell from a word lookup and two GRU layers.
"""
import espalier as esp


class Gru(esp.Module):  # Cho et al. 2014
    def __init__(self, n_in: int, n: int) -> None:
        self.W = esp.Parameter((3 * n, n_in))
        self.U = esp.Parameter((3 * n, n))
        self.b = esp.Parameter((3 * n,), init=0.0)
        self.c = esp.Parameter((3 * n,), init=0.0)
        self.cell = esp.cell(self._gru, x=(n_in,), h=(n,))  # the shapes of the arguments, by name

    def _gru(self, x: esp.Expr, h: esp.Expr) -> esp.Expr:
        xr, xz, xn = esp.split(esp.linear(x, self.W, self.b), 3)
        hr, hz, hn = esp.split(esp.linear(h, self.U, self.c), 3)
        reset, keep = esp.sigmoid(xr + hr), esp.sigmoid(xz + hz)
        fresh = esp.tanh(xn + reset * hn)
        return fresh + keep * (h - fresh)


class Reader(esp.Module):
    def __init__(self, vocabulary: int, n: int) -> None:
        self.words = esp.nn.Embedding(vocabulary, n)
        self.low, self.high = Gru(n, n), Gru(n, n)
        # int: an index, which has no shape. Cells called inside a cell are inlined.
        self.step = esp.cell(self._step, word=int, low=(n,), high=(n,))

    def _step(self, word: int, low: esp.Expr, high: esp.Expr) -> tuple[esp.Expr, esp.Expr]:
        h: esp.Expr = self.low.cell(self.words(word), low)
        return h, self.high.cell(h, high)  # a cell returns what its function does: here a tuple


reader = Reader(100, 6)
reader.initialize(seed=4)
print(reader.low.cell.explain())

engine = esp.Engine()
sentence = [17, 4, 99, 23]
with engine.graph() as graph:
    low = high = esp.zeros(6)
    before = graph.calls
    for word in sentence:
        low, high = reader.step(word, low, high)
    one_cell = graph.calls - before
    x = engine.value(high)

    # The same computation with three calls per word. Outside a cell, every op would be a separate call.
    low = high = esp.zeros(6)
    before = graph.calls
    for word in sentence:
        low = reader.low.cell(reader.words(word), low)
        high = reader.high.cell(low, high)
    three_cells = graph.calls - before
    y = engine.value(high)
print(f"{len(sentence)} words: {one_cell} calls of one cell or {three_cells} calls of three cells")
print(f"largest difference below 1e-5: {abs(x - y).max() < 1e-5}")

# A wrong shape is an error at the definition of the cell, before any data is read.
wide = Gru(6, 8)
try:
    esp.cell(lambda low: wide.cell(low, low), low=(6,))
except esp.ShapeError as error:
    print(f"refused: {error}")
