"""Random arguments for everything: a value or an error of the documented kinds, never a crash or an InternalError."""
import gc
import random

import numpy as np
import pytest
from conftest import floats

import espalier as esp
from espalier import _core

KINDS = (esp.Error, TypeError, ValueError, OverflowError, ImportError)  # ImportError: tensor.torch() without PyTorch


def stale(engine):
    kept = []
    engine.infer([0], lambda _: kept.append(esp.ones(3)) or kept[0])
    esp.cell(lambda x, i, f, l: kept.extend([x, i, f, l]) or x, x=(3,), i=int, f=float, l=[(3,)])
    gc.collect()
    return kept


def pool(old):
    """Objects to choose arguments from; within a graph."""
    named = esp.Module()
    named.p, named.t = esp.Parameter((3, 3)), esp.Parameter((4, 3), sparse=True)
    x = esp.input(floats(3))
    return [
        x, x, x, esp.input(floats(3, 3)), esp.input(floats(2, 3, 4)), esp.zeros(()), esp.zeros(0), esp.State(x, x), *old, named.p, named.t,
        esp.Parameter((2,)), esp.Tensor([1, 2, 3]), floats(3), floats(3, 3), np.zeros((0, 3)), np.zeros(0), [1, 2, 3], [x, x], [x], [], [[0], [1]],
        [x, esp.zeros(2)], (x, x), {}, {"a": x}, None, True, 0, 1, 2, 3, -1, 7, 10**30, -(10**30), 2**31 - 1, 0.5, float("nan"), float("inf"), -2.0,
        "text", b"bytes", "relu", object(), int, (3,), (3, 3), (-1,), (0,), (2**31, 2**31), slice(None), slice(2, 0, -1), slice(0, 3, 2), np.int64(1),
    ]  # fmt: skip


def targets():
    yield from (f for n, f in vars(_core.functions).items() if not n.startswith("_"))
    yield from (f for n, f in vars(_core.init).items() if not n.startswith("_"))
    yield from (esp.input, esp.emit, esp.State, esp.Tensor, esp.Parameter, esp.random, esp.is_training)
    modules = [esp.nn.Linear(3, 3), esp.nn.Embedding(4, 3), esp.nn.LSTM(3, 3), esp.nn.DeepGRU(3, 3, 2), esp.nn.TreeLSTM(3, 3), esp.nn.ChildSumTreeLSTM(3, 3),
               esp.nn.NaryTreeLSTM(3, 3, 2), esp.nn.BidirectionalTreeLSTM(3, 3), esp.nn.MVRNN(4, 3), esp.nn.DotProductAttention(3), esp.nn.CharCNN(5, 3, 2),
               esp.nn.MultiheadAttention(3, 1), esp.nn.AdditiveAttention(3, 3, 2), esp.nn.GraphConvolution(3, 3), esp.nn.Weave(3, 3, 3, 3), esp.nn.VariationalLSTM(3, 3),
               esp.nn.ClassFactoredSoftmax(3, [0, 1, 1]), esp.nn.HierarchicalSoftmax(3, [1, 2, 3]), esp.nn.StackLSTM(3, 3), esp.nn.CharLSTM(4, 3, 3)]  # fmt: skip
    for m in modules:
        yield from m._parts.methods.values()
    yield from (c for c in _core.modules.values())
    yield esp.cell(lambda x, i, f, s, l, k: x * f + esp.one_hot(i, 3) + s.h + esp.sum_rows(l) + esp.sum_rows(k.c),
                   x=(3,), i=int, f=float, s=esp.State(3), l=[(3,)], k=[esp.State(3)])  # fmt: skip
    operators = "__add__ __radd__ __sub__ __mul__ __rmul__ __truediv__ __pow__ __rpow__ __matmul__ __getitem__ __neg__ __abs__ __len__ __bool__ __await__ __repr__"
    yield from (lambda a, *b, n=n: getattr(type(a), n, type(None).__repr__)(a, *b) if isinstance(a, (esp.Expr, esp.State, esp.Parameter)) else None for n in operators.split())


LARGE = 10_000


def is_large(x):
    """Whether a size among the arguments would allocate too much for a test."""
    if isinstance(x, (list, tuple)):
        return any(map(is_large, x))
    return isinstance(x, int) and not isinstance(x, bool) and LARGE < x < 2**32


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of NumPy, for the truth of an empty array
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("inside", ["graph", "cell"])
def test_random_calls(seed, inside):
    rng, engine = random.Random(seed), esp.Engine(device="cpu")
    old, calls, made = stale(engine), list(targets()), [0]

    def one(objects):
        f = rng.choice(calls)
        if f in _core.modules.values():
            objects = [x for x in objects if not is_large(x)]
        arguments = [rng.choice(objects) for _ in range(rng.choice([1, 1, 2, 2, 3, 4, 6]))]
        if sum(map(is_large, arguments)):
            return None
        try:
            result = f(*arguments)
        except KINDS as e:
            assert not isinstance(e, esp.InternalError), (f, arguments, e)
            return None
        made[0] += 1
        return result

    def many():
        objects = pool(old)
        return [one(objects) for _ in range(1500)]

    if inside == "graph":
        with engine.graph():
            exprs = _core.collect_exprs([r for r in many() if not isinstance(r, list)])
            for x in exprs:
                try:
                    engine.value(x)
                except KINDS as e:
                    assert not isinstance(e, esp.InternalError), e
    else:
        def traced(x, i, f, s, l):
            objects = [o for o in pool_of_cells(x, i, f, s, l)] + old
            for _ in range(1500):
                one(objects)
            return x + 1

        cell = esp.cell(traced, x=(3,), i=int, f=float, s=esp.State(3), l=[(3,)])
        assert engine.infer([0], lambda _: cell(floats(3), 0, 0.5, (floats(3), floats(3)), [floats(3)] * 3))[0].shape == (3,)
    assert made[0] > 50


def pool_of_cells(x, i, f, s, l):
    return [x, x, x, i, i, f, f, s, l, l, [x, x], [x], [], (x, x), 0, 1, 2, -1, 0.5, 3, None, "text", (3,), (3, 3), [0, 1], slice(0, 2), True, float("nan"),
            floats(3), 10**30, [[0], [1]], (-1,), esp.reshape(esp.concat([x, x, x]), (3, 3)), x[0]]  # fmt: skip
