"""Every function of rows: value against NumPy, gradient against finite differences, signature, docstring."""
import re
import inspect
import math

import numpy as np
import pytest
from conftest import check_gradient, floats

import espalier as esp
from espalier import _core

functions = {n: f for n, f in vars(_core.functions).items() if not n.startswith("_")}


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def logsumexp(x, axis=-1):
    return np.log(np.exp(x).sum(axis))


def windows(x, k, stride, padding):
    """[c, positions, k] of x [c, n]."""
    x = np.pad(x, ((0, 0), (padding, padding)))
    return np.stack([x[:, i : i + k] for i in range(0, x.shape[1] - k + 1, stride)], 1)


each = np.vectorize
gamma = each(math.lgamma, otypes=["f8"])
erf = each(math.erf, otypes=["f8"])
sigmoid = lambda x: 1 / (1 + np.exp(-x))  # noqa: E731

V = floats(5, seed=1)  # away from 0 and from ties
V = np.where(np.abs(V) < 0.2, V + 0.4, V).astype("f4")
P = floats(5, seed=2, lo=0.4, hi=2.5)
U = floats(5, seed=3, lo=-0.8, hi=0.8)
M = floats(2, 3, seed=4)
N = floats(3, 4, seed=5)
T = floats(5, seed=6)
PROBABILITIES = floats(5, seed=7, lo=0.2, hi=0.8)
DISTRIBUTION = softmax(floats(5, seed=8))
SQUARE = (floats(3, 3, seed=9) + 2 * np.eye(3)).astype("f4")
IMAGE = floats(2, 4, 5, seed=10)
LINE = floats(2, 7, seed=11)
SPACED = np.random.default_rng(12).permutation(40).reshape(2, 4, 5).astype("f4") / 5

# Name, arguments, and the same function with NumPy. The gradient of all arrays is compared with differences, unless FLAT
# ends the row: then tests below check it.
FLAT = "without a gradient for each array"
ROWS = [
    ("abs", (V,), np.abs),
    ("acos", (U,), np.arccos),
    ("acosh", (P + 1,), np.arccosh),
    ("asin", (U,), np.arcsin),
    ("asinh", (V,), np.arcsinh),
    ("atan", (V,), np.arctan),
    ("atanh", (U,), np.arctanh),
    ("cos", (V,), np.cos),
    ("cosh", (V,), np.cosh),
    ("cube", (V,), lambda x: x**3),
    ("digamma", (P,), lambda x: (gamma(x + 1e-4) - gamma(x - 1e-4)) / 2e-4, FLAT),
    ("erf", (V,), erf),
    ("exp", (V,), np.exp),
    ("expm1", (V,), np.expm1),
    ("flip_gradient", (V,), lambda x: x, FLAT),
    ("gelu", (V,), lambda x: x * (1 + erf(x / math.sqrt(2))) / 2),
    ("lgamma", (P,), gamma),
    ("log", (P,), np.log),
    ("log1p", (P,), np.log1p),
    ("log_sigmoid", (V,), lambda x: np.log(sigmoid(x))),
    ("relu", (V,), lambda x: np.maximum(x, 0)),
    ("safe_sqrt", (P,), np.sqrt),
    ("selu", (V,), lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))),
    ("sigmoid", (V,), sigmoid),
    ("sign", (V,), np.sign, FLAT),
    ("silu", (V,), lambda x: x * sigmoid(x)),
    ("sin", (V,), np.sin),
    ("sinh", (V,), np.sinh),
    ("softplus", (V,), lambda x: np.log1p(np.exp(x))),
    ("softsign", (V,), lambda x: x / (1 + np.abs(x))),
    ("sqrt", (P,), np.sqrt),
    ("square", (V,), np.square),
    ("stop_gradient", (V,), lambda x: x, FLAT),
    ("tan", (V,), np.tan),
    ("tanh", (V,), np.tanh),
    ("ceil", (V * 3,), np.ceil, FLAT),
    ("floor", (V * 3,), np.floor, FLAT),
    ("round", (V * 3,), np.round, FLAT),
    ("elu", (V,), lambda x: np.where(x > 0, x, np.expm1(x))),
    ("elu", (V, 0.5), lambda x, a: np.where(x > 0, x, a * np.expm1(x))),
    ("leaky_relu", (V,), lambda x: np.where(x > 0, x, 0.01 * x)),
    ("leaky_relu", (V, 0.3), lambda x, a: np.where(x > 0, x, a * x)),
    ("scale_gradient", (V, 2.0), lambda x, _: x, FLAT),
    ("pow", (P, V), np.power),
    ("pow", (P, 1.5), np.power),
    ("clamp", (V * 2, -0.5, 0.5), np.clip),
    ("where", (np.sign(T), V, U), lambda c, a, b: np.where(c > 0, a, b), FLAT),
    ("max", (V, U), np.maximum),
    ("min", (V, U), np.minimum),
    ("max", ([V, U, P],), lambda r: np.max(r, 0)),
    ("min", ([V, U, P],), lambda r: np.min(r, 0)),
    ("sum", ([V, U, P],), lambda r: np.sum(r, 0)),
    ("mean", ([V, U, P],), lambda r: np.mean(r, 0)),
    ("sum_elements", (M,), np.sum),
    ("mean_elements", (M,), np.mean),
    ("var_elements", (M,), np.var),
    ("std_elements", (M,), np.std),
    ("squared_norm", (M,), lambda x: np.sum(x**2)),
    ("l2_norm", (M,), lambda x: np.sqrt(np.sum(x**2))),
    ("inverse", (SQUARE,), np.linalg.inv),
    ("logdet", (SQUARE,), lambda x: np.linalg.slogdet(x)[1]),
    ("transpose", (M,), np.transpose),
    ("moment_elements", (M, 3), lambda x, r: np.mean(x**r)),
    *[(f"{n}_axis", (M, a), f) for a in (0, 1) for n, f in (
        ("sum", np.sum), ("mean", np.mean), ("var", np.var), ("std", np.std), ("max", np.max), ("min", np.min))],
    ("cumsum", (M, 1), np.cumsum),
    ("moment_axis", (M, 2, 0), lambda x, r, a: np.mean(x**r, a)),
    ("softmax", (M,), softmax),
    ("softmax", (M, 0), softmax),
    ("log_softmax", (M,), lambda x: np.log(softmax(x))),
    ("logsumexp", (M, 0), logsumexp),
    ("logsumexp", (V,), logsumexp),
    ("sparsemax", (np.array([0.5, 0.2, -2], "f4"),), lambda x: np.array([0.65, 0.35, 0])),
    ("argmax_one_hot", (V,), lambda x: np.eye(5)[x.argmax()], FLAT),
    ("constrained_softmax", (V, np.full(5, 0.9, "f4")), lambda x, u: softmax(x), FLAT),
    ("masked_log_softmax", (V, np.ones(5, "f4")), lambda x, m: np.log(softmax(x)), FLAT),
    ("linear", (N[0], M[:, [0, 1, 2, 0]]), lambda x, w: w @ x),
    ("linear", (N[0], M[:, [0, 1, 2, 0]], V[:2]), lambda x, w, b: w @ x + b),
    ("matmul", (M, N), np.matmul),
    ("dot", (V, U), np.dot),
    ("outer", (V, M[0]), np.outer),
    ("bilinear", (M[:, 0], N[0], floats(3, 2, 4, seed=12)), lambda a, b, w: np.einsum("i,kij,j->k", a, w, b)),
    ("trace_of_product", (M, M + 1), lambda a, b: np.sum(a * b)),
    ("add_columns", (M, V[:2]), lambda x, b: x + b[:, None]),
    ("layer_norm", (V,), lambda x: (x - x.mean()) / np.sqrt(x.var() + 1e-5)),
    ("layer_norm", (V, U, T, 0.1), lambda x, w, b, e: (x - x.mean()) / np.sqrt(x.var() + e) * w + b),
    ("rms_norm", (V, U), lambda x, w: x / np.sqrt(np.mean(x**2) + 1e-5) * w),
    ("weight_norm", (M, np.float32(2)), lambda w, g: g * w / np.sqrt(np.sum(w**2))),
    ("cross_entropy", (V, 2), lambda x, t: -np.log(softmax(x))[t]),
    ("nll_loss", (V, 3), lambda x, t: -x[t]),
    ("hinge", (V, 1), lambda x, t: sum(max(0, 1 - x[t] + v) for i, v in enumerate(x) if i != t)),
    ("mse_loss", (V, T), lambda x, t: np.mean((x - t) ** 2)),
    ("squared_distance", (V, T), lambda x, t: np.sum((x - t) ** 2)),
    ("l1_loss", (V, T), lambda x, t: np.mean(np.abs(x - t))),
    ("l1_distance", (V, T), lambda x, t: np.sum(np.abs(x - t))),
    ("binary_cross_entropy", (PROBABILITIES, T > 0),
     lambda x, t: -np.mean(t * np.log(x) + (1 - t) * np.log(1 - x)), FLAT),
    ("binary_cross_entropy_with_logits", (V, PROBABILITIES),
     lambda x, t: -np.mean(t * np.log(sigmoid(x)) + (1 - t) * np.log(1 - sigmoid(x)))),
    ("poisson_loss", (V, np.arange(5.0, dtype="f4")), lambda x, t: np.sum(np.exp(x) - t * x + gamma(t + 1)), FLAT),
    ("kl_div", (np.log(PROBABILITIES), DISTRIBUTION), lambda x, t: np.sum(t * (np.log(t) - x))),
    ("huber_loss", (V * 3, T), lambda x, t: np.mean(huber(x - t, 1))),
    ("huber_distance", (V * 3, T, 0.7), lambda x, t, d: np.sum(huber(x - t, d))),
    ("pairwise_rank_loss", (V, T, 0.5), lambda a, b, m: np.sum(np.maximum(0, m - a + b))),
    ("sparsemax_loss", (np.array([0.5, 0.2, -2], "f4"), np.array([1, 0, 0], "f4")),
     lambda x, q: (0.65 * 0.5 + 0.35 * 0.2) - (0.65**2 + 0.35**2) / 2 - 0.5 + 0.5, FLAT),
    ("broadcast", (V, 0, 3), lambda x, a, n: np.repeat(x[None], n, 0)),
    ("broadcast", (V, 1, 3), lambda x, a, n: np.repeat(x[:, None], n, 1)),
    ("concat", ([V, U],), np.concatenate),
    ("concat", ([M, M + 1], 1), lambda r, a: np.concatenate(r, a)),
    ("cat", ([V, U], 0), lambda r, a: np.concatenate(r)),
    ("stack", ([V, U],), np.stack),
    ("stack", ([V, U], 1), lambda r, a: np.stack(r, a)),
    ("slice", (V, 1, 4), lambda x, b, e: x[b:e]),
    ("slice", (M, 1, 3, 1), lambda x, b, e, a: x[:, b:e]),
    ("strided_slice", (V, 0, 5, 2), lambda x, b, e, s: x[b:e:s]),
    ("flip", (V,), lambda x: x[::-1]),
    ("flip", (M, 1), lambda x, a: x[:, ::-1]),
    ("pad", (V, 1, 2), lambda x, b, a: np.pad(x, (b, a))),
    ("pad", (M, 0, 1, 1), lambda x, b, a, axis: np.pad(x, ((0, 0), (b, a)))),
    ("reshape", (M, (3, 2)), np.reshape),
    ("reshape", (M, -1), np.reshape),
    ("reshape", (M, [3, -1]), np.reshape),
    ("permute", (IMAGE, (2, 0, 1)), np.transpose),
    ("pick", (V, 2), lambda x, i: x[i]),
    ("pick", (M, 2, 1), lambda x, i, a: x[:, i]),
    ("select", (M, [1, 0, 1]), lambda x, i: x[i]),
    ("kmax_pooling", (np.array([3, 1, 2, 5], "f4"), 2), lambda x, k: np.array([3, 5])),
    ("conv1d", (LINE, floats(3, 2, 3, seed=13), V[:3], 2, 1),
     lambda x, w, b, s, p: np.einsum("ock,cpk->op", w, windows(x, 3, s, p)) + b[:, None]),
    ("conv1d", (LINE, floats(3, 2, 3, seed=13)), lambda x, w: np.einsum("ock,cpk->op", w, windows(x, 3, 1, 0))),
    ("conv2d", (IMAGE, floats(3, 2, 2, 2, seed=14)),
     lambda x, w: sum(np.einsum("oc,cij->oij", w[:, :, i, j], x[:, i : i + 3, j : j + 4]) for i in (0, 1) for j in (0, 1))),
    ("max_pool1d", (LINE, 3, 2), lambda x, k, s: windows(x, k, s, 0).max(2)),
    ("avg_pool1d", (LINE, 3), lambda x, k: windows(x, k, k, 0).mean(2)),
    ("max_pool2d", (SPACED, (2, 5), (2, 5)), lambda x, k, s: x.reshape(2, 2, 2, 5).max((2, 3))[:, :, None]),
    ("avg_pool2d", (IMAGE, (2, 5)), lambda x, k: x.reshape(2, 2, 2, 5).mean((2, 3))[:, :, None]),
]  # fmt: skip


def huber(d, delta):
    return np.where(np.abs(d) <= delta, d**2 / 2, delta * (np.abs(d) - delta / 2))


def is_array(x):
    return isinstance(x, (np.ndarray, np.floating))


def rows_of(arguments):
    """The arrays among the arguments, those of a list included."""
    return [a for x in arguments for a in (x if isinstance(x, list) and is_array(x[0]) else [x]) if is_array(a)]


def filled(arguments, rows):
    """The arguments with `rows` in place of the arrays."""
    rows = iter(rows)
    fill = lambda x: [next(rows) for _ in x] if isinstance(x, list) and is_array(x[0]) else next(rows) if is_array(x) else x  # noqa: E731
    return [fill(x) for x in arguments]


@pytest.mark.parametrize("row", ROWS, ids=[f"{i}-{r[0]}" for i, r in enumerate(ROWS)])
def test_value(row, ref):
    f, arguments, by_numpy = getattr(esp, row[0]), row[1], row[2]
    [got] = ref.infer([0], lambda _: f(*filled(arguments, [esp.input(a) for a in rows_of(arguments)])))
    double = filled(arguments, [np.asarray(a, "f8") for a in rows_of(arguments)])
    want = np.asarray(by_numpy(*double))
    assert got.shape == want.shape and got.dtype == np.float32
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-6)


WITH_GRADIENT = [r for r in ROWS if r[-1] is not FLAT]


@pytest.mark.parametrize("row", WITH_GRADIENT, ids=[f"{i}-{r[0]}" for i, r in enumerate(WITH_GRADIENT)])
def test_gradient(row, ref):
    arguments = row[1]
    check_gradient(ref, lambda *rows: getattr(esp, row[0])(*filled(arguments, rows)), rows_of(arguments))


@pytest.mark.parametrize("row", ROWS, ids=[f"{i}-{r[0]}" for i, r in enumerate(ROWS)])
def test_cell_equals_graph(row, engine):
    """A function gives the same number when it is traced. Lists of rows have other lengths in cells; see test_cells."""
    f, arguments = getattr(esp, row[0]), row[1]
    rows = [np.asarray(a, "f4") for a in rows_of(arguments)]
    names = [f"r{i}" for i in range(len(rows))]
    cell = esp.cell(lambda **given: f(*filled(arguments, [given[n] for n in names])),
                    **{n: a.shape for n, a in zip(names, rows)})  # fmt: skip
    [(inside, outside)] = engine.infer([0], lambda _: (
        cell(*[esp.input(a) for a in rows]), f(*filled(arguments, [esp.input(a) for a in rows]))))  # fmt: skip
    np.testing.assert_allclose(inside, outside, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name, x, others", [
    ("masked_log_softmax", V, (np.ones(5, "f4"),)), ("constrained_softmax", V, (np.full(5, 0.3, "f4"),)),
    ("binary_cross_entropy", PROBABILITIES, (T > 0,)), ("poisson_loss", V, (np.arange(5.0),)),
    ("sparsemax_loss", V, (DISTRIBUTION,)), ("kl_div", V, (DISTRIBUTION,)),
])  # fmt: skip
def test_gradient_of_the_first_argument(name, x, others, ref):
    """Of functions whose other arguments are not differentiable, or have bounds."""
    check_gradient(ref, lambda row: getattr(esp, name)(row, *others), [x])


def test_gradient_of_where(ref):
    check_gradient(ref, lambda a, b: esp.where(np.sign(T), a, b), [V, U])


def test_straight_through_gradients(ref):
    """Functions whose gradient is not that of their value."""
    def gradient(f):
        losses = ref.record([0], lambda _: esp.sum_elements(f(esp.input(V * 3, name="x"))))
        return ref.backward(losses).inputs["x"][0]

    zero, one = np.zeros(5), np.ones(5)
    for f in (esp.ceil, esp.floor, esp.round):
        np.testing.assert_array_equal(gradient(f), zero)
        np.testing.assert_array_equal(gradient(lambda x: f(x, straight_through=True)), one)
    np.testing.assert_array_equal(gradient(esp.flip_gradient), -one)
    np.testing.assert_array_equal(gradient(esp.stop_gradient), zero)
    np.testing.assert_array_equal(gradient(lambda x: esp.scale_gradient(x, 2.5)), 2.5 * one)
    np.testing.assert_array_equal(gradient(esp.scale_gradient), one)
    np.testing.assert_array_equal(gradient(esp.sign), zero)
    np.testing.assert_array_equal(gradient(lambda x: esp.argmax_one_hot(x, -1, True)), one)


def test_rows_without_an_operand(graph):
    value = graph.value
    np.testing.assert_array_equal(value(esp.zeros(3)), np.zeros(3))
    np.testing.assert_array_equal(value(esp.zeros((2, 3))), np.zeros((2, 3)))
    np.testing.assert_array_equal(value(esp.ones([2])), np.ones(2))
    np.testing.assert_array_equal(value(esp.full((2, 2), 7.5)), np.full((2, 2), 7.5))
    np.testing.assert_array_equal(value(esp.one_hot(2, 4)), [0, 0, 1, 0])
    np.testing.assert_array_equal(value(esp.input([1, 2.5])), [1, 2.5])
    assert value(esp.zeros(())).shape == ()


def test_random_rows(graph):
    n = 4000
    normal = graph.value(esp.random_normal(n, mean=3, sd=0.5))
    assert abs(normal.mean() - 3) < 0.1 and abs(normal.std() - 0.5) < 0.1
    uniform = graph.value(esp.random_uniform(n, 2, 4))
    assert uniform.min() >= 2 and uniform.max() < 4 and abs(uniform.mean() - 3) < 0.1
    bernoulli = graph.value(esp.random_bernoulli(n, 0.25, value=2))
    assert set(np.unique(bernoulli)) == {0, 2} and abs(bernoulli.mean() - 0.5) < 0.1
    gumbel = graph.value(esp.random_gumbel(n))
    assert abs(gumbel.mean() - 0.5772) < 0.1
    first, second = graph.value([esp.random_normal(3), esp.random_normal(3)])
    assert not np.array_equal(first, second)


def test_noise(engine):
    x = np.ones(1000, "f4")

    def noisy(_):
        block = esp.dropout_block(esp.input(x), 0.5, 10)
        return (esp.dropout(x, 0.25), esp.dropout_row(x, 0.5), block, esp.gaussian_noise(x, 0.1),
                esp.dropout_axis(x.reshape(100, 10), 0.5, axis=1))  # fmt: skip

    [(dropped, row, block, noise, axis)] = map(engine.value, engine.record([0], noisy))
    assert set(np.unique(dropped)) == {0, np.float32(1 / 0.75)} and abs((dropped == 0).mean() - 0.25) < 0.08
    assert len(np.unique(row)) == 1
    assert all(len(np.unique(b)) == 1 for b in block.reshape(-1, 10)) and len(np.unique(block)) == 2
    assert abs(noise.std() - 0.1) < 0.02
    assert all(len(np.unique(r)) == 1 for r in axis) and len(np.unique(axis)) == 2
    for y in engine.infer([0], noisy)[0]:
        np.testing.assert_array_equal(y.ravel(), x)


def test_split(graph):
    a, b, c = esp.split(esp.input([1, 2, 3, 4, 5, 6]), 3)
    np.testing.assert_array_equal(graph.value(b), [3, 4])
    left, right = esp.split(esp.input(M[:, :2]), 2, axis=1)
    np.testing.assert_array_equal(graph.value(right), M[:, 1:2])
    with pytest.raises(esp.ShapeError, match="test_ops.py"):
        esp.split(esp.input([1, 2, 3, 4, 5]), 2)
    with pytest.raises(esp.ShapeError, match="at least 1"):
        esp.split(esp.input([1, 2]), 0)


def test_affine(ref):
    f = lambda b, w, x, u, h: esp.affine(b, [(w, x), (u, h)])  # noqa: E731
    arrays = [V[:2], M, N[:, 0], floats(2, 4, seed=20), N[0]]
    [got] = ref.infer([0], lambda _: f(*map(esp.input, arrays)))
    np.testing.assert_allclose(got, arrays[0] + M @ N[:, 0] + arrays[3] @ N[0], rtol=1e-5)
    check_gradient(ref, f, arrays)


def test_rows_of_a_list(ref):
    """sum_rows and so on: functions of a list argument of a cell."""
    rows = [V, U, T]
    by_numpy = {
        "sum_rows": np.sum(rows, 0), "mean_rows": np.mean(rows, 0), "max_rows": np.max(rows, 0),
        "min_rows": np.min(rows, 0), "logsumexp_rows": logsumexp(np.array(rows), 0),
    }  # fmt: skip
    for name, want in by_numpy.items():
        cell = esp.cell(getattr(esp, name), rows=[(5,)])
        [got] = ref.infer([rows], cell)
        np.testing.assert_allclose(got, want, rtol=1e-5)
        check_gradient(ref, lambda *r: cell(list(r)), rows)
    weights = esp.cell(lambda rows: esp.sum_rows(esp.softmax_rows(rows) * rows), rows=[(5,)])
    [got] = ref.infer([rows], weights)
    np.testing.assert_allclose(got, np.sum(softmax(np.array(rows), 0) * rows, 0), rtol=1e-5)
    # Keys and values are two rows of each item.
    attention = esp.cell(lambda query, memory: esp.attention(query, memory.h, memory.c), query=(5,), memory=[esp.State(5)])
    pairs = [(r, floats(5, seed=30 + i)) for i, r in enumerate(rows)]
    [got] = ref.infer([0], lambda _: attention(P, pairs))
    np.testing.assert_allclose(got, softmax(np.array(rows) @ P / math.sqrt(5)) @ np.array([v for _, v in pairs]), rtol=1e-5)
    check_gradient(ref, lambda q, *r: attention(q, list(zip(r[::2], r[1::2]))), [P, *[a for pair in pairs for a in pair]])


def test_lookup(engine):
    """In a graph and in a cell; the gradient has only the rows that were read."""
    table = esp.Parameter((4, 3), init=np.arange(12.0).reshape(4, 3), sparse=True)
    cell = esp.cell(lambda i: esp.lookup(table, i) * 2, i=int)
    batch = engine.record([1, 3], lambda i: [esp.lookup(table, i), cell(i)])
    np.testing.assert_array_equal(engine.value(batch[1][0]), [9, 10, 11])
    np.testing.assert_array_equal(engine.value(batch[0][1]), [6, 8, 10])
    gradients = engine.backward(engine.record([1, 3], lambda i: esp.sum_elements(esp.lookup(table, i))))
    np.testing.assert_array_equal(gradients.of(table), [[0] * 3, [1] * 3, [0] * 3, [1] * 3])
    with pytest.raises(TypeError, match=r"lookup: the table is an ndarray; it must be a Parameter \(test_ops.py"):
        engine.record([0], lambda i: esp.lookup(np.ones((2, 3)), i))
    with pytest.raises(esp.IndexError, match="lookup"):
        engine.record([4], lambda i: esp.lookup(table, i))


def test_every_function_is_tested():
    here = {r[0] for r in ROWS} | {
        "zeros", "ones", "full", "one_hot", "random_normal", "random_uniform", "random_bernoulli", "random_gumbel",
        "dropout", "dropout_axis", "dropout_row", "dropout_block", "gaussian_noise", "split", "affine", "sum_rows",
        "mean_rows", "max_rows", "min_rows", "logsumexp_rows", "softmax_rows", "attention", "lookup",
    }  # fmt: skip
    assert set(functions) == here


@pytest.mark.parametrize("name", functions)
def test_documented(name):
    f = functions[name]
    assert getattr(esp, name) is f and f.__name__ == name and f.__module__ == "espalier"
    assert len(f.__doc__) > 10
    assert 1 <= len(inspect.signature(f).parameters) <= 12
    assert name in repr(f)


def test_signatures():
    assert str(inspect.signature(esp.tanh)) == "(x)"
    assert list(inspect.signature(esp.linear).parameters) == ["x", "weight", "bias"]
    assert inspect.signature(esp.softmax).parameters["axis"].default == -1
    assert inspect.signature(esp.linear).parameters["bias"].default is None
    assert inspect.signature(esp.ceil).parameters["straight_through"].default is False
    assert inspect.signature(esp.leaky_relu).parameters["slope"].default == 0.01
    assert inspect.signature(esp.layer_norm).parameters["eps"].default == 1e-5


def test_keywords(graph):
    x = esp.input(M)
    same = lambda a, b: np.testing.assert_array_equal(*graph.value([a, b]))  # noqa: E731
    same(esp.softmax(x, axis=0), esp.softmax(x, 0))
    same(esp.softmax(axis=0, x=x), esp.softmax(x, 0))
    same(esp.concat(rows=[x, x], axis=1), esp.concat([x, x], 1))
    same(esp.linear(bias=[1, 2], weight=M, x=[1, 2, 3]), esp.linear([1, 2, 3], M, [1, 2]))
    same(esp.elu(x, alpha=1), esp.elu(x))
    for call, text in [
        (lambda: esp.tanh(), "x is missing"),
        (lambda: esp.tanh(x, x), "2 arguments are given; it takes 1"),
        (lambda: esp.tanh(y=x), "no argument is named y"),
        (lambda: esp.tanh(x, x=x), "x is given twice"),
        (lambda: esp.linear(x, bias=None), "weight is missing"),
    ]:
        with pytest.raises(TypeError, match=text) as caught:
            call()
        assert "(test_ops.py:" in str(caught.value)


BAD_TYPES = [
    (lambda x: esp.tanh("no"), "x is a str"),
    (lambda x: esp.tanh(None), "x is None"),
    (lambda x: esp.tanh({}), "x is a dict"),
    (lambda x: esp.tanh(object()), "x is an object"),
    (lambda x: esp.tanh([x, x]), "one row"),
    (lambda x: esp.sum(x), "must be a list"),
    (lambda x: esp.softmax(x, 0.5), "axis is a float; it must be an integer"),
    (lambda x: esp.softmax(x, "0"), "axis is a str"),
    (lambda x: esp.cross_entropy(x, 1.0), "target is a float; it must be an integer"),
    (lambda x: esp.cross_entropy(x, None), "target is None"),
    (lambda x: esp.clamp(x, "a", 1), "lo is a str; it must be a number"),
    (lambda x: esp.reshape(x, "a"), "must be"),
    (lambda x: esp.zeros("a"), "must be"),
    (lambda x: esp.zeros(2.5), "must be"),
    (lambda x: esp.linear(x, "w"), "weight is a str"),
    (lambda x: esp.concat([x, "y"]), "rows is a str"),
    (lambda x: x["a"], "must be an integer"),
    (lambda x: x[1.5], "must be an integer"),
    (lambda x: bool(x), "neither true nor false"),
]


@pytest.mark.parametrize("call, text", BAD_TYPES)
def test_wrong_types(call, text, graph):
    with pytest.raises(TypeError) as caught:
        call(esp.input([1, 2, 3]))
    assert text in str(caught.value) and "(test_ops.py:" in str(caught.value)


BAD_SHAPES = [
    lambda x: x + esp.input([1, 2]),
    lambda x: x @ x[0:2],
    lambda x: esp.linear(x, np.zeros((2, 4))),
    lambda x: esp.concat([]),
    lambda x: esp.stack([x, x[0:2]]),
    lambda x: esp.softmax(x, 3),
    lambda x: esp.reshape(x, (2, -1)),
    lambda x: esp.reshape(x, (-1, -1)),
    lambda x: esp.mse_loss(x, [1, 2]),
    lambda x: esp.inverse(x),
    lambda x: esp.zeros((-1,)),
    lambda x: esp.zeros((1,) * 7),
    lambda x: esp.input(np.zeros((1,) * 7)),
    lambda x: esp.conv2d(np.zeros((1, 4, 4)), np.zeros((1, 1, 2, 2)), stride=(1, 2, 3)),
    lambda x: esp.affine([1, 2], []),
    lambda x: esp.pad(x, -1, 0),
    lambda x: x[:, 0],
    lambda x: x[:, :],
]


@pytest.mark.parametrize("call", BAD_SHAPES)
def test_wrong_shapes(call, graph):
    with pytest.raises((esp.ShapeError, esp.IndexError)) as caught:
        call(esp.input([1, 2, 3]))
    line = call.__code__.co_firstlineno
    assert f"(test_ops.py:{line})" in str(caught.value) and isinstance(caught.value, esp.Error)
    assert isinstance(caught.value, (ValueError, IndexError))


@pytest.mark.parametrize("call", BAD_SHAPES)
def test_wrong_shapes_inside_cells(call):
    with pytest.raises((esp.Error)) as caught:
        esp.cell(call, x=(3,))
    line = call.__code__.co_firstlineno
    assert f"(test_ops.py:{line})" in str(caught.value)


@pytest.mark.parametrize("call, text", BAD_TYPES)
def test_wrong_types_inside_cells(call, text):
    with pytest.raises(TypeError) as caught:
        esp.cell(call, x=(3,))
    assert text in str(caught.value) and "(test_ops.py:" in str(caught.value)


@pytest.mark.parametrize("call", [
    lambda x: esp.cross_entropy(x, 3),
    lambda x: esp.cross_entropy(x, -1),
    lambda x: esp.one_hot(4, 4),
    lambda x: esp.pick(x, 10**30),
    lambda x: x[3],
    lambda x: x[-4],
    lambda x: esp.softmax(x, 2**40),
])  # fmt: skip
def test_out_of_range(call, graph):
    with pytest.raises((esp.IndexError, esp.ShapeError), match="test_ops.py") as caught:
        call(esp.input([1, 2, 3]))
    assert isinstance(caught.value, esp.Error)


def test_operators(ref):
    a, b = floats(3, seed=40, lo=0.5, hi=2), floats(3, seed=41, lo=0.5, hi=2)
    cases = [
        lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / y, lambda x, y: x**y,
        lambda x, y: -x + 2, lambda x, y: 2 - y, lambda x, y: 3 * x, lambda x, y: 1 / y, lambda x, y: x**2 + y**3,
        lambda x, y: 2**x, lambda x, y: abs(-x), lambda x, y: +x, lambda x, y: x + np.float32(1),
        lambda x, y: np.float64(2) * x, lambda x, y: x * np.int64(3),
        lambda x, y: np.array([1, 2, 3], "f4") + x, lambda x, y: x / np.array([1, 2, 4]), lambda x, y: [1, 2, 3] * x,
    ]  # fmt: skip
    for f in cases:
        [got] = ref.infer([0], lambda _: f(esp.input(a), esp.input(b)))
        np.testing.assert_allclose(got, f(a, b) if f is not cases[-1] else np.array([1, 2, 3]) * a, rtol=1e-5)
        check_gradient(ref, lambda x, y: f(x, y) + 0 * y, [a, b])
    [got] = ref.infer([0], lambda _: esp.input(M) @ esp.input(N))
    np.testing.assert_allclose(got, M @ N, rtol=1e-5)


def test_operators_of_other_types(graph):
    x = esp.input([1, 2])
    for f in (lambda: x + "a", lambda: "a" + x, lambda: x * None, lambda: x // 2, lambda: x % 2, lambda: pow(x, 2, 3)):
        with pytest.raises(TypeError):
            f()

    class Other:
        def __radd__(self, other):
            return "reflected"

    assert x + Other() == "reflected"


@pytest.mark.parametrize("key", [
    0, -1, slice(1, 3), slice(None), slice(-2, None), slice(None, None, 2), slice(None, None, -1), slice(4, 0, -2),
    (slice(None), 1), (1, slice(0, 2)), (-1, -1), (slice(1, 3), slice(None, None, 2)), (2, 1), np.int64(1),
], ids=str)  # fmt: skip
def test_subscripts(key, graph):
    a = floats(4, 3, seed=50)
    got = graph.value(esp.input(a)[key])
    np.testing.assert_array_equal(got, a[key])


def test_expr(graph):
    x = esp.input(M)
    assert isinstance(x, esp.Expr) and x.shape == (2, 3) and x.ndim == 2 and len(x) == 2
    assert repr(x) == "Expr([2,3])" or "2" in repr(x)
    assert "3" in repr(esp.zeros(3))
    with pytest.raises(TypeError, match="no length"):
        len(esp.zeros(()))
    with pytest.raises(TypeError):
        esp.Expr()
    with pytest.raises(AttributeError):
        x.nothing
    assert x in {x} and (x == x)


@pytest.mark.parametrize("array", [
    np.arange(6).astype(t).reshape(2, 3) for t in ("f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">f4", ">i2", "?")
] + [
    np.arange(12, dtype="f4").reshape(2, 6)[:, ::2], np.arange(6.0).reshape(3, 2).T, np.asfortranarray(np.ones((2, 3), "f4")),
    np.arange(6, dtype="f4")[::-1].reshape(2, 3), np.broadcast_to(np.float32(3), (2, 3)), [[1, 2, 3], [4, 5, 6]],
    ((1, 2.5, 3), (4, 5, 6)), memoryview(np.ones((2, 3))), [np.ones(3), np.zeros(3)],
])  # fmt: skip
def test_arrays_are_converted(array, graph):
    got = graph.value(esp.input(array))
    np.testing.assert_array_equal(got, np.asarray(array).astype("f4"))


def test_scalars_and_odd_arrays(graph):
    for number in (3, 3.0, True, np.float32(3), np.float64(3), np.int32(3), np.array(3), np.array(3, "f4")):
        got = graph.value(esp.input(number))
        assert got.shape == () and got == np.float32(number)
    np.testing.assert_array_equal(graph.value(esp.input(bytearray(b"\1\2"))), [1, 2])
    misaligned = np.frombuffer(b"\0" + np.array([1, 2], "f4").tobytes(), "f4", offset=1, count=2)
    np.testing.assert_array_equal(graph.value(esp.input(misaligned)), [1, 2])
    for bad in (np.array(["a"]), np.array([object()]), np.array([1j]), [[1, 2], [3]], "abc", b"abc", {1: 2}, iter([1])):
        with pytest.raises(TypeError, match="test_ops.py"):
            esp.input(bad)
    assert graph.value(esp.input(10**400 * 0)) == 0
    with pytest.raises((TypeError, OverflowError)):
        esp.input(10**400)


def test_parameters_in_functions(engine):
    class Model(esp.Module):
        def __init__(self):
            self.W = esp.Parameter((2, 3), init=M)
            self.b = esp.Parameter((2,), init=[1, 2])
            self.cell = esp.cell(lambda x: x * self.b + 2 * self.b - self.b**2 + abs(-self.b), x=(2,))

    model, a, b = Model(), floats(3, seed=60), np.array([1, 2])
    got = engine.infer([a], lambda x: [esp.linear(x, model.W, model.b), model.W @ x, esp.tanh(model.b),
                                       esp.transpose(model.W), model.b * 2 + model.b, np.array([3, 4]) * model.b,
                                       1 / model.b, model.cell(np.ones(2)), [1, 2] - model.b, -model.b])[0]  # fmt: skip
    want = [M @ a + b, M @ a, np.tanh(b), M.T, 3 * b, [3, 8], 1 / b, b + 2 * b - b**2 + b, b - b, -b]
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-5)
    gradients = engine.backward(engine.record([0], lambda _: esp.sum_elements(np.array([3, 4]) * model.b)))
    np.testing.assert_allclose(gradients.of(model.b).numpy(), [3, 4])
    with pytest.raises(esp.GraphError, match="nothing is being recorded"):
        model.b * 2
    with pytest.raises(TypeError):
        np.exp(model.b)  # would have no gradient


@pytest.mark.parametrize("name", ["where", "dot", "pow", "mse_loss", "outer", "squared_distance", "huber_loss", "kl_div"])
def test_operands_without_an_expr(graph, name):
    """Parameters, arrays and numbers do not tell the graph: it is the current one."""
    function = getattr(esp, name)
    values = [np.array([1.0, 2.0], "f4"), np.array([0.5, 1.5], "f4"), np.array([3.0, 4.0], "f4")]
    count = 3 if name == "where" else 2
    expected = graph.value(function(*[esp.input(v) for v in values[:count]]))
    for given in ([esp.Parameter((2,), init=v) for v in values], values, [list(map(float, v)) for v in values]):
        np.testing.assert_array_equal(graph.value(function(*given[:count])), expected)
    assert graph.value(esp.pow(2.0, 3.0)) == 8


def test_operands_without_an_expr_in_a_cell(engine):
    w = esp.Parameter((2,), init=np.array([1.0, 2.0]))
    cell = esp.cell(lambda x: x * esp.dot(w, w), x=(2,))
    np.testing.assert_array_equal(engine.infer([[1.0, 2.0]], cell, stack=True), [[5, 10]])
    losses = engine.record([0], lambda _: esp.dot(w, w))
    np.testing.assert_array_equal(engine.backward(losses).of(w).numpy(), [2, 4])


# Names of C++ have no place in messages that Python shows.
@pytest.mark.parametrize("act", [
    lambda: esp.Engine("cuda:99"),
    lambda: esp.Engine(memory_limit=1000).infer([np.ones(1000)] * 10, esp.tanh),
    lambda: esp.Engine().record(esp.minibatches(esp.Recorded([1], lambda i: (esp.random(), esp.zeros(2))[1]), 1)[0]),
    lambda: esp.data.logic.generate(3, max_operators=-1),
    lambda: esp.cell(lambda x: esp.sum_rows(x), x=(2,)),
    lambda: esp.Parameter((2,)).numpy(),
    lambda: esp.cell(lambda kids: esp.cell(lambda k: esp.sum_rows(k), k=[(2,)])([kids]), kids=[(2,)]),
    lambda: esp.dot(1.0, 2.0),
])  # fmt: skip
def test_messages_have_no_names_of_cpp(act):
    with pytest.raises(esp.Error) as caught:
        act()
    assert not re.search(r"\w::|Many\b|EngineOptions|Parameters\b|Scope|Graph first|co_await|\(g, ", str(caught.value))
