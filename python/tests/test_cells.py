"""Cells: functions that are traced once."""
import gc
import inspect
import weakref
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from conftest import check_gradient, floats

import espalier as esp

X, H = floats(3, seed=1), floats(4, seed=2)


class Pair(NamedTuple):
    a: object
    b: object


@dataclass(frozen=True)
class Both:
    first: object
    second: object
    note: str = "kept"


def test_every_kind_of_argument(engine):
    def f(x, word, scale, s, rows, kids):
        everything = [esp.sum_elements(v) for v in (x, s.h, s.c, esp.sum_rows(rows), esp.sum_rows(kids.h), esp.sum_rows(kids.c))]
        return esp.stack([e * scale for e in everything]), esp.one_hot(word, 4) + scale

    cell = esp.cell(f, x=(3,), word=int, scale=float, s=esp.State(4), rows=[(2,)], kids=[esp.State(2)])
    rows = [floats(2, seed=i) for i in range(5)]

    def example(n):
        kids = [esp.State(r, esp.input(r) * 2) for r in rows[:n]]
        return cell(X, n, 0.5, esp.State(esp.input(H), esp.input(H) + 1), rows[:n], kids)

    for n, (numbers, hot) in enumerate(engine.infer(range(4), example)):
        total = np.sum(rows[:n])
        np.testing.assert_allclose(
            numbers, 0.5 * np.array([X.sum(), H.sum(), (H + 1).sum(), total, total, 2 * total]), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(hot, np.eye(4)[n] + 0.5)


def test_gradients_of_every_kind(ref):
    cell = esp.cell(lambda x, s, kids: x * s.h[0:3] + s.c[0] * esp.sum_rows(kids.h) * esp.max_rows(kids.c),
                    x=(3,), s=esp.State(4), kids=[esp.State(3)])  # fmt: skip
    check_gradient(ref, lambda x, h, c, k, m, l, n: cell(x, esp.State(h, c), [esp.State(k, m), (l, n)]),
                   [X, H, floats(4, seed=3), *[floats(3, seed=i) for i in range(4, 8)]])  # fmt: skip


def test_tuple_for_a_state(engine):
    cell = esp.cell(lambda s: s.h - s.c, s=esp.State(3))
    [got] = engine.infer([0], lambda _: cell((X, X + 1)))
    np.testing.assert_allclose(got, -np.ones(3), rtol=1e-6)


@pytest.mark.parametrize("result, check", [
    (lambda x: x + 1, lambda r: isinstance(r, esp.Expr)),
    (lambda x: esp.State(x, x * 2), lambda r: isinstance(r, esp.State) and r.c.shape == (3,)),
    (lambda x: (x, x * 2), lambda r: type(r) is tuple and len(r) == 2),
    (lambda x: [x], lambda r: type(r) is list),
    (lambda x: {"a": x, "b": [x * 2, x * 3]}, lambda r: list(r) == ["a", "b"] and len(r["b"]) == 2),
    (lambda x: Pair(x, esp.State(x, x)), lambda r: type(r) is Pair and isinstance(r.b, esp.State)),
    (lambda x: Both(x, (x, {"k": x})), lambda r: type(r) is Both and r.note == "kept" and isinstance(r.second[1]["k"], esp.Expr)),
    (lambda x: ("text", x, 3), lambda r: r[0] == "text" and r[2] == 3),
])  # fmt: skip
def test_every_structure_of_results(result, check, engine):
    cell = esp.cell(result, x=(3,))
    batch = engine.record([X, 2 * X], cell)
    assert all(check(r) for r in batch) and batch[0] is not batch[1]
    first, second = (engine.value(r) for r in batch)
    flat = lambda v: [a for k in (v.values() if isinstance(v, dict) else vars(v).values() if isinstance(v, Both) else v if isinstance(v, (tuple, list)) else [v]) for a in (flat(k) if not isinstance(k, (np.ndarray, str, int)) else [k] if isinstance(k, np.ndarray) else [])]  # noqa: E501, E731
    assert flat(first) and all(a.shape == (3,) for a in flat(first))


@pytest.mark.parametrize("result", [lambda x: None, lambda x: 3, lambda x: (), lambda x: {}, lambda x: [x] * 33])
def test_results_that_are_refused(result):
    with pytest.raises(esp.ShapeError, match=r"cell must return 1 to 32 rows.*test_cells.py"):
        esp.cell(result, x=(3,))


def test_keywords_and_counts(graph):
    cell = esp.cell(lambda x, h, n: x + h[0:3] * n, x=(3,), h=(4,), n=float)
    same = [cell(X, H, 2), cell(X, H, n=2), cell(n=2, h=H, x=X)]
    for v in graph.value(same):
        np.testing.assert_allclose(v, X + H[:3] * 2, rtol=1e-6)
    for call, text in [
        (lambda: cell(X, H), "2 arguments are given; it takes 3"),
        (lambda: cell(X, H, 2, 3), "4 arguments are given; it takes 3"),
        (lambda: cell(X, H, m=3), "n is missing"),
        (lambda: cell(X, H, x=3), "n is missing"),
        (lambda: cell(X, H, "two"), "n is a str; it must be a number"),
        (lambda: cell("x", H, 2), "x is a str"),
    ]:
        with pytest.raises(TypeError) as caught:
            call()
        assert text in str(caught.value) and "(test_cells.py:" in str(caught.value)
    for call in (lambda: cell(H, H, 2), lambda: cell(X, X, 2), lambda: cell(X, np.zeros((2, 2)), 1)):
        with pytest.raises(esp.ShapeError, match=rf"test_cells.py:{call.__code__.co_firstlineno}\)"):
            call()


def test_wrong_items_of_lists(graph):
    cell = esp.cell(lambda rows, kids: esp.sum_rows(rows) + esp.sum_rows(kids.h), rows=[(3,)], kids=[esp.State(3)])
    for rows, kids, kind in [(X, 3, TypeError), (5, [], TypeError), ([X, "a"], [], TypeError), ([H], [], esp.ShapeError),
                             ([X], [X], TypeError), ([X], [(X, H)], esp.ShapeError)]:  # fmt: skip
        with pytest.raises(kind, match="test_cells.py"):
            cell(rows, kids)
    np.testing.assert_array_equal(graph.value(cell([], [])), np.zeros(3))
    np.testing.assert_allclose(graph.value(cell((X, X), ())), 2 * X, rtol=1e-6)


@pytest.mark.parametrize("spec, kind", [
    ("row", TypeError), (None, TypeError), (2.5, TypeError), (str, TypeError), ([], TypeError), ([(3,), (3,)], TypeError),
    ([int], TypeError), ([[(3,)]], TypeError), ((1.5,), TypeError), ((-1,), esp.ShapeError), ((1,) * 7, esp.ShapeError),
    (esp.State, TypeError), (2**40, esp.IndexError), (esp.State(-1), esp.ShapeError),
])  # fmt: skip
def test_wrong_descriptions(spec, kind):
    with pytest.raises(kind, match="test_cells.py"):
        esp.cell(lambda x: esp.tanh(x), x=spec)


def test_descriptions_that_do_not_fit_the_function():
    with pytest.raises(TypeError, match="unexpected keyword"):
        esp.cell(lambda x: x, y=(3,))
    with pytest.raises(TypeError, match="missing 1 required"):
        esp.cell(lambda x, y: x, x=(3,))
    with pytest.raises(TypeError):
        esp.cell(5, x=(3,))


def test_counts_of_arguments():
    many = {f"a{i}": (2,) for i in range(32)}
    cell = esp.cell(lambda **a: sum(a.values(), esp.zeros(2)) if False else esp.sum(list(a.values())), **many)
    [got] = esp.Engine().infer([0], lambda _: cell(*[np.full(2, i) for i in range(32)]))
    np.testing.assert_array_equal(got, np.full(2, 496.0))
    with pytest.raises(esp.ShapeError, match="at most 32 rows"):
        esp.cell(lambda **a: a["a0"], **many, a32=(2,))
    with pytest.raises(esp.ShapeError, match="at most 32 rows, 32 ints, 32 floats and 4 lists"):
        esp.cell(lambda **a: esp.sum_rows(a["l0"]), **{f"l{i}": [(2,)] for i in range(5)})


def test_a_cell_without_arguments(engine):
    class Model(esp.Module):
        def __init__(self):
            self.b = esp.Parameter((2,), init=[1, 2])
            self.step = esp.cell(lambda: self.b * 2)

        def __call__(self, _):
            return self.step()

    model = Model()
    [got] = engine.infer([0], model)
    np.testing.assert_array_equal(got, [2, 4])
    with pytest.raises(esp.GraphError, match="test_cells.py"):
        model.step()


def test_cells_of_integers_outside_of_a_recording():
    cell = esp.cell(lambda i: esp.one_hot(i, 3), i=int)
    with pytest.raises(esp.GraphError, match="record"):
        cell(1)
    with pytest.raises(esp.GraphError, match="record"):
        esp.cell(lambda x: x * 2, x=(3,))(X)


def test_nested_cells(ref):
    inner = esp.cell(lambda x, s, k: esp.State(esp.tanh(x) * k + s.h, s.c * 2), x=(3,), s=esp.State(3), k=float)
    hot = esp.cell(lambda i: esp.one_hot(i, 3), i=int)
    total = esp.cell(lambda rows: esp.sum_rows(rows), rows=[(3,)])

    @esp.cell(x=(3,), i=int, rows=[(3,)], f=float)
    def outer(x, i, rows, f):
        s = inner(x, esp.State(x, x), 0.5)
        s = inner(hot(i), s, f)
        return s.h + s.c + total(rows)

    rows = [floats(3, seed=i) for i in range(3)]
    [got] = ref.infer([0], lambda _: outer(X, 1, rows, 2))
    h = np.tanh(X) * 0.5 + X
    want = np.tanh(np.eye(3)[1]) * 2 + h + 4 * X + np.sum(rows, 0)
    np.testing.assert_allclose(got, want, rtol=1e-5)
    check_gradient(ref, lambda x, *r: outer(x, 1, list(r), 2), [X, *rows])


def test_a_cell_defined_within_a_cell_or_a_recording(engine):
    def f(x):
        own = esp.cell(lambda y: y * 2, y=(3,))
        return own(x) + 1

    cell = esp.cell(f, x=(3,))

    def example(x):
        local = esp.cell(lambda y: y * 3, y=(3,))
        return cell(x), local(x)

    (two, three) = engine.infer([X], example)[0]
    np.testing.assert_allclose(two, 2 * X + 1, rtol=1e-6)
    np.testing.assert_allclose(three, 3 * X, rtol=1e-6)


def test_a_traced_value_after_the_trace(engine):
    kept = []
    cell = esp.cell(lambda x, i, f, s, rows: kept.extend([x, i, f, s, rows]) or x, x=(3,), i=int, f=float, s=esp.State(2), rows=[(2,)])
    x, i, f, s, rows = kept
    for use in (lambda: x + 1, lambda: esp.tanh(x), lambda: x.shape, lambda: s.h * 2, lambda: esp.sum_rows(rows), lambda: cell(x, 1, 1, s, []),
                lambda: esp.one_hot(i, 3), lambda: esp.tanh(x) * f, lambda: x[0], lambda: len(x)):  # fmt: skip
        with pytest.raises(esp.GraphError):
            use()
        with pytest.raises(esp.GraphError):
            engine.record([0], lambda _: use())
        with pytest.raises(esp.GraphError):
            esp.cell(lambda y: use() + y, y=(3,))
    for v in (x, i, f, s, rows):
        assert repr(v)
    with pytest.raises(esp.GraphError):
        engine.value(x)
    with pytest.raises(esp.GraphError):
        engine.backward(x)


def test_a_graph_value_in_a_cell(engine):
    def example(x):
        y = esp.tanh(x)
        with pytest.raises(esp.GraphError, match=r"argument.*test_cells.py"):
            esp.cell(lambda z: z + y, z=(3,))
        with pytest.raises(esp.GraphError, match="array"):
            esp.cell(lambda z: z + X, z=(3,))
        with pytest.raises(esp.GraphError):
            esp.cell(lambda z: y, z=(3,))
        with pytest.raises(esp.GraphError):
            esp.cell(lambda z: z + esp.input([1, 2, 3]), z=(3,))
        return y

    [got] = engine.infer([X], example)
    np.testing.assert_allclose(got, np.tanh(X), rtol=1e-5)


def test_engine_calls_within_a_cell(engine):
    """A recording inside a trace is a recording of its own."""
    inside = []

    def f(x):
        inside.append(engine.infer([X], lambda v: esp.tanh(v))[0])
        return x * 2

    cell = esp.cell(f, x=(3,))
    np.testing.assert_allclose(inside[0], np.tanh(X), rtol=1e-5)
    np.testing.assert_allclose(engine.infer([X], cell)[0], 2 * X, rtol=1e-6)


def test_decorators():
    @esp.cell(x=(3,))
    def plus_one(x):
        return x + 1

    assert isinstance(plus_one, esp.Cell) and plus_one.name == "plus_one" and "plus_one(x)" in repr(plus_one)
    assert esp.cell(lambda x: x, x=(3,)).name == "cell" and str(inspect.signature(plus_one)) == "(x)"
    assert "tanh" in esp.cell(lambda x: esp.tanh(x), x=(3,)).explain()

    class Callable:
        def __call__(self, x):
            return x * 2

    assert esp.cell(Callable(), x=(3,)).name == "Callable"


def test_closures_over_parameters(engine):
    class Model(esp.Module):
        def __init__(self):
            self.W = esp.Parameter((4, 3))
            self.b = esp.Parameter((4,), init=esp.init.zeros())
            self.table = esp.Parameter((7, 3), sparse=True)
            self.step = esp.cell(self._step, x=(3,), i=int)

        def _step(self, x, i):
            return esp.tanh(esp.linear(x + esp.pick(self.table, i), self.W, self.b))

    model = Model().initialize(seed=3)
    p = {n: t.numpy() for n, t in model.state_dict().items()}
    [got] = engine.infer([X], lambda x: model.step(x, 4))
    np.testing.assert_allclose(got, np.tanh(p["W"] @ (X + p["table"][4])), rtol=1e-5)
    model.W.assign(np.zeros((4, 3)))
    np.testing.assert_array_equal(engine.infer([X], lambda x: model.step(x, 4))[0], np.zeros(4))
    model.initialize(seed=3)
    gradients = engine.backward(engine.record([X], lambda x: esp.sum_elements(model.step(x, 4))))
    table = gradients.of(model.table).numpy()
    assert np.any(table[4]) and not np.any(table[[0, 1, 2, 3, 5, 6]])
    assert np.any(gradients.of(model.W).numpy())


def test_a_cell_that_raises():
    def bad(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as caught:
        esp.cell(bad, x=(3,))
    assert caught.traceback[-1].name == "bad"
    with pytest.raises(esp.GraphError, match="nothing is being recorded"):
        esp.zeros(3)  # the trace has ended
    for kind in (KeyboardInterrupt, SystemExit, GeneratorExit):
        def odd(x, kind=kind):
            raise kind

        with pytest.raises(kind):
            esp.cell(lambda x: odd(x), x=(3,))


def test_errors_name_the_line_in_the_traced_function():
    def f(x):
        y = esp.tanh(x)
        return y + esp.zeros(4)

    with pytest.raises(esp.ShapeError, match=rf"\(test_cells.py:{f.__code__.co_firstlineno + 2}\)"):
        esp.cell(f, x=(3,))


def test_a_condition_on_a_traced_value():
    with pytest.raises(TypeError, match="neither true nor false"):
        esp.cell(lambda x: x if x[0] else -x, x=(3,))
    with pytest.raises(TypeError):
        esp.cell(lambda x, i: esp.zeros(3) if i else x, x=(3,), i=int)
    with pytest.raises(TypeError):
        esp.cell(lambda x, i: i, x=(3,), i=int)


def test_indices_and_numbers_of_cells(graph):
    cell = esp.cell(lambda x, i, j, a: x[i] * a + esp.pick(x, j) + esp.cross_entropy(x, i), x=(4,), i=int, j=int, a=float)
    got = graph.value(cell(H, 1, np.int64(3), np.float32(2)))
    np.testing.assert_allclose(got, H[1] * 2 + H[3] + np.log(np.exp(H).sum()) - H[1], rtol=1e-5)
    for i in (4, -1, 2**31, 10**30):
        with pytest.raises(esp.IndexError, match="test_cells.py"):
            cell(H, i, 0, 1)
    for i in (1.0, "1", None):
        with pytest.raises(TypeError, match="i is .*; it must be an integer"):
            cell(H, i, 0, 1)
    with pytest.raises(TypeError, match="must be"):
        esp.cell(lambda x, i: x * i, x=(4,), i=int)


def test_states():
    with pytest.raises(TypeError, match="c is missing"):
        esp.State([1, 2])
    with pytest.raises(TypeError):
        esp.State()
    assert repr(esp.State(4)) == "State(4)"
    engine = esp.Engine()
    with engine.graph():
        s = esp.State(X, esp.input(H))
        h, c = s
        assert h.shape == (3,) and c.shape == (4,) and len(s) == 2 and s[1].shape == (4,) and "State" in repr(s)
        with pytest.raises(IndexError):
            s[2]
        with pytest.raises(TypeError, match="a State has two, .h and .c"):
            esp.tanh(s)
        with pytest.raises(AttributeError):
            s.h = h


def test_cells_are_freed():
    class Model(esp.Module):
        def __init__(self):
            self.W = esp.Parameter((3, 3))
            self.step = esp.cell(self._step, x=(3,))

        def _step(self, x):
            return self.W @ x

    model = Model()
    references = [weakref.ref(model.step), weakref.ref(model.W)]
    esp.Engine().infer([X], model.step)
    del model
    gc.collect()
    assert [r() for r in references] == [None, None]


def test_one_cell_in_several_engines():
    cell = esp.cell(lambda x: esp.tanh(x) * 2, x=(3,))
    values = [esp.Engine(device=d).infer([X, H[:3]], cell, stack=True) for d in ("cpu", "ref", "cpu")]
    np.testing.assert_array_equal(values[0], values[2])
    np.testing.assert_allclose(values[0], values[1], rtol=1e-5)


class Step(esp.Module):
    def __init__(self):
        self.W = esp.Parameter((3, 3))
        self.step = esp.cell(self._step, x=(3,))

    def _step(self, x):
        return esp.tanh(esp.linear(x, self.W))

    def __call__(self, x):
        return self.step(x)


class Two(esp.Module):
    def __init__(self):
        self.left, self.right = Step(), Step()
        self.parts = [Step()]

    def __call__(self, x):
        return self.parts[0](self.left(x) + self.right(x))


def test_names_of_the_cells_of_modules(engine):
    assert Step().step.name == "Step.step"
    model = Two()
    assert (model.left.step.name, model.right.step.name) == ("left.step", "right.step")
    text = engine.explain(engine.record([np.ones(3)], model))
    for name in ("left.step", "right.step", "parts.0.step"):
        assert f" {name} " in text
    assert "_step" not in text and "Step." not in text

    class Outer(esp.Module):
        def __init__(self):
            self.model = model

    outer = Outer()
    model.parameters()  # as seen from a submodule: the full names stay
    assert outer.model.left.step.name == "model.left.step" and "model.left.step(x)" in repr(model.left.step)
    with pytest.raises(esp.ShapeError, match=r"model.left.step: x is \[4\]"):
        engine.record([np.ones(4)], model.left)
    assert "model.left.step" in model.left.step.explain()


def test_saving_leaves_the_names_of_cells(tmp_path):
    model = Two()
    esp.save(model.left, tmp_path / "x")
    assert model.left.step.name == "left.step"


def test_names_of_functions():
    class Model:
        def _leaf_(self, x):
            return x

    assert esp.cell(Model()._leaf_, x=(3,)).name == "Model.leaf"

    def _(x):
        return x

    assert esp.cell(_, x=(3,)).name == "_"


ROWS_OF_ATTENTION = np.random.default_rng(3).normal(size=(5, 4)).astype("f4")


def attended(query, keys, values):
    scores = keys @ query / np.sqrt(np.float32(len(query)))
    weights = np.exp(scores - scores.max())
    return (weights / weights.sum()) @ values


@pytest.mark.parametrize("size", [4, 2])
def test_attention_over_lists_outside_of_cells(engine, size):
    keys, values = ROWS_OF_ATTENTION, ROWS_OF_ATTENTION[:, :size] * 2
    query = keys[0] + 1
    examples = [3, 5, 1]
    got = engine.infer(examples, lambda n: esp.attention(query, list(keys[:n]), list(values[:n])), stack=True)
    for n, one in zip(examples, got):
        np.testing.assert_allclose(one, attended(query, keys[:n], values[:n]), rtol=1e-5)


@pytest.mark.parametrize("size", [4, 2])
def test_gradients_of_attention_over_lists(ref, size):
    keys, values = ROWS_OF_ATTENTION[:2], ROWS_OF_ATTENTION[:2, :size]
    check_gradient(ref, lambda q, k, l, v, w: esp.attention(q, [k, l], [v, w]), [keys[0], *keys, *values])


def test_attention_over_single_rows_in_a_cell(engine):
    k, v = ROWS_OF_ATTENTION[:2], ROWS_OF_ATTENTION[2:4]
    attend = esp.cell(lambda q, a, b, c, d: esp.attention(q, [a, b], [c, d]), q=(4,), a=(4,), b=(4,), c=(4,), d=(4,))
    got = engine.infer([0], lambda _: attend(k[0], *k, *v), stack=True)[0]
    np.testing.assert_allclose(got, attended(k[0], k, v), rtol=1e-5)


def test_attention_over_the_rows_of_one_list_argument(engine):
    k, v = ROWS_OF_ATTENTION[:2], ROWS_OF_ATTENTION[2:4]
    attend = esp.cell(lambda q, kids: esp.attention(q, kids.h, kids.c), q=(4,), kids=[esp.State(4)])
    pairs = engine.infer([0], lambda _: attend(k[0], list(zip(k, v))), stack=True)[0]
    lists = engine.infer([0], lambda _: esp.attention(k[0], list(k), list(v)), stack=True)[0]
    np.testing.assert_array_equal(pairs, lists)


def test_attention_that_cannot_be():
    q, rows = np.ones(4), [np.ones(4)]
    with esp.Engine().graph():
        for keys, values, kind, text in [
            (rows, rows * 2, esp.ShapeError, "1 keys and 2 values are given; one value per key is needed"),
            ([], [], esp.ShapeError, "the lists are empty"),
            ([np.ones(3)], rows, esp.ShapeError, r"query\[4\], key 0 \[3\]"),
            (rows * 2, [np.ones(2), np.ones(3)], esp.ShapeError, r"value 1 \[3\], value 0 \[2\]"),
            (rows, [np.ones((2, 2))], esp.ShapeError, r"a value is \[2,2\]; it must be a vector"),
            (esp.zeros(4), rows, TypeError, "must be two lists of rows, or, in a cell, rows of one list argument"),
            (5, rows, TypeError, "keys is an int; it must be a list"),
        ]:
            with pytest.raises(kind, match=text):
                esp.attention(q, keys, values)
    with pytest.raises(esp.ShapeError, match="attention: keys and values are rows of two lists; they must be the fields of one list argument"):
        esp.cell(esp.attention, query=(4,), keys=[(4,)], values=[(4,)])
