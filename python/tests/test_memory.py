"""Memory: nothing grows from minibatch to minibatch, and everything is freed."""
import gc
import os
import pickle
import sys
import tracemalloc
import weakref

import numpy as np
import pytest
from conftest import floats

import espalier as esp
from espalier.data import random_trees

TREES = random_trees(40, leaves=6, words=20, labels=3, seed=1)


class Model(esp.Module):
    def __init__(self):
        self.words, self.lstm, self.out = esp.nn.Embedding(20, 8), esp.nn.TreeLSTM(8, 8), esp.nn.Linear(8, 3)
        self.double = esp.cell(lambda x, s, kids: x * 2 + s.h + esp.sum_rows(kids), x=(8,), s=esp.State(8), kids=[(8,)])

    def encode(self, t):
        if t.is_leaf:
            return self.lstm.leaf(self.words(t.word))
        return self.lstm.node(self.encode(t.left), self.encode(t.right))

    def __call__(self, t):
        s = self.encode(t)
        return self.out(self.double(s.h, s, [s.h, s.c]))


class Kept:
    def __init__(self, x):
        self.x = x


def resident():
    """Bytes in memory; 0 with the address sanitizer, which keeps freed memory for a while."""
    if "ESPALIER_SANITIZED" in os.environ:
        return 0
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def collect():
    """Also drops the type cache of CPython, which keeps up to 4,096 names of attributes."""
    gc.collect()
    sys._clear_type_cache()


def steps():
    """The work of one minibatch, of every kind: a function that does it."""
    model, engine = Model().initialize(seed=1), esp.Engine(seed=1)
    adam = esp.optim.Adam(model.parameters())
    average = esp.optim.MovingAverage(model.parameters())
    loss = lambda t: esp.cross_entropy(model(t), t.label)  # noqa: E731

    async def waits(t):
        scores = await model(t)
        a, b = await esp.gather(esp.input(scores), esp.tanh(scores))
        return {"a": a, "b": [esp.input(b)], "n": int(scores.argmax())}

    def fails(t):
        model(t)
        raise ValueError(t)

    async def fails_later(t):
        await model(t)
        await model(t)
        raise ValueError(t)

    def wrong(t):
        return model.out(esp.input([1.0, 2.0], name="x"))

    # Drops recordings all the time: one never fits beside all others.
    kept = esp.Recorded(TREES, loss, memory_limit=20_000)
    pipeline = esp.Pipeline(esp.Engine(seed=1), 2)

    def rarely(batch, k):
        cell = esp.cell(lambda x: (esp.tanh(x) * k, x), x=(3,))
        engine.infer(batch, lambda t: cell(model(t)))
        copy = pickle.loads(pickle.dumps(model))
        engine.infer(pickle.loads(pickle.dumps(batch[:1])), copy)
        for _ in range(2):
            adam.step(engine.backward(engine.record(esp.minibatches(kept, 4, seed=1, epoch=k)[k % 7])))
        pipeline.push(esp.minibatches(kept, 4, seed=1, epoch=k)[k % 5])
        adam.step(pipeline.backward())
        kept.forget(k % len(TREES))

    def one(k):
        batch = esp.minibatches(TREES, 2, seed=1, epoch=k)[k % 20]
        losses = engine.record(batch, loss)
        gradients = engine.backward(losses, scale=0.25)
        average.step(adam, gradients)
        gradients.loss.item()
        if k % 40 == 0:
            rarely(batch, k)
        if k % 20 == 0:
            engine.infer(batch, model, stack=True)
            engine.infer(batch, lambda t: (model(t), {"s": model.encode(t)}))
            engine.infer(batch, waits)
            engine.infer(batch, fails, skip_bad=True)
            engine.infer(batch, fails_later, skip_bad=True)
            engine.infer(batch, wrong, skip_bad=True)
            with pytest.raises(ValueError):
                engine.record(batch, fails)
            with pytest.raises(ValueError):
                engine.record(batch, fails_later)
            with engine.graph() as g:
                engine.value([model(batch[0]), esp.input(floats(3), name="y")])
                engine.explain(g), engine.dry_run(g)
            engine.explain(losses), engine.counters(), model.state_dict(), repr(model), repr(losses), adam.lr
            with average.swapped():
                pass
            gradients = engine.backward(engine.record(batch, lambda t: esp.sum_elements(esp.input(floats(3), name="x") * 2)))
            gradients.inputs, gradients.norm(), gradients.of(model.out.weight), repr(gradients)

    return one


def test_nothing_grows():
    """Over 10,000 minibatches; sys.getallocatedblocks also counts objects that the garbage collector does not know."""
    watched = (esp.Expr, esp.State, esp.Batch, esp.Tensor, esp.Parameter, esp.Cell, esp.tanh, dict, list, tuple, float, None, True)

    def measure():
        collect()
        counts = [sys.getrefcount(x) for x in watched]
        return counts, sys.getallocatedblocks(), len(gc.get_objects()), resident()

    one = steps()
    for k in range(1000):
        one(k)
    measure()
    counts, blocks, objects, rss = measure()
    for k in range(1000, 10_000):
        one(k)
    counts_now, blocks_now, objects_now, rss_now = measure()
    assert blocks_now - blocks < 50
    assert objects_now - objects < 50
    assert rss_now - rss < 4 << 20
    for x, before, now in zip(watched, counts, counts_now):
        assert abs(now - before) < 20, x


def test_nothing_is_allocated_for_long():
    """The same, measured by tracemalloc in bytes, for fewer minibatches."""
    one = steps()
    for k in range(200):
        one(k)
    tracemalloc.start()
    one(200)
    collect()
    before, _ = tracemalloc.get_traced_memory()
    for k in range(201, 401):
        one(k)
    collect()
    traced, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert traced - before < 16 << 10


def test_cells_and_models_are_freed():
    """Making models again and again."""
    def one():
        model, engine = Model().initialize(seed=1), esp.Engine()
        esp.optim.Adam(model.parameters()).step(engine.backward(engine.record(TREES[:2], lambda t: esp.sum_elements(model(t)))))
        engine.infer(TREES[:2], model)

    for _ in range(30):
        one()
    gc.collect()
    blocks, rss = sys.getallocatedblocks(), resident()
    for _ in range(100):
        one()
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 300
    assert resident() - rss < 8 << 20


def test_batches_free_their_graphs(engine):
    """A batch keeps its graph, and nothing else does."""
    model = Model()
    kept = []
    batch = engine.record(TREES[:2], lambda t: kept.append(model(t)) or kept[-1])
    reference = weakref.ref(batch._handle)
    assert engine.value(kept[0]).shape == (3,)
    del batch
    gc.collect()
    assert reference() is None
    with pytest.raises(esp.GraphError, match="stale"):
        engine.value(kept[0])


def test_results_outlive_their_batch(engine):
    values = engine.infer(TREES[:3], Model())
    array = values[1]
    want = array.copy()
    del values
    gc.collect()
    engine.infer(TREES, Model())
    np.testing.assert_array_equal(array, want)


def test_user_objects_are_freed(engine):
    """Of examples, functions, results and exceptions."""
    model = Model()

    def run(f, **more):
        examples = [Kept(t) for t in TREES[:3]]
        references = [weakref.ref(x) for x in examples]
        try:
            batch = engine.record(examples, f, **more)
        except ValueError:
            batch = None
        del examples, batch, f
        gc.collect()
        assert [r() for r in references] == [None] * 3

    async def waits(k):
        await model(k.x)
        return k

    def fails(k):
        raise ValueError(k)

    run(lambda k: model(k.x))
    run(lambda k: {"k": k, "y": model(k.x)})
    run(waits)
    run(fails)
    run(fails, skip_bad=True)
    f = lambda k: model(k.x)  # noqa: E731
    reference = weakref.ref(f)
    engine.infer([Kept(TREES[0])], f)
    del f
    assert reference() is None


def test_reference_counts_of_arguments(engine):
    """Each function takes and gives back as many references as it should."""
    x, W, name = floats(8), floats(3, 8), "input of a test"
    key, index, f = (slice(0, 2),), 10**6, Model()

    def all_kinds(_):
        e = esp.input(x, name=name)
        esp.linear(e, W)
        esp.linear(e, weight=W, bias=None)
        e[key], e + x, x * e, -e, e**2, abs(e), e.shape, repr(e), len(e)
        esp.State(e, e).h, esp.concat([e, x], axis=0), esp.split(e, 2)
        for bad in (lambda: esp.pick(e, index), lambda: esp.tanh(name), lambda: esp.tanh(e, y=x), lambda: e + name, lambda: esp.linear(e, W[:, :3])):
            with pytest.raises((esp.Error, TypeError)):
                bad()
        return f.double(e, (e, x), [x, e])

    watched = (x, W, name, key, index, None, f.double, esp.tanh)
    for _ in range(3):
        engine.infer([0], all_kinds)
    collect()
    before = [sys.getrefcount(w) for w in watched]
    for _ in range(200):
        engine.infer([0], all_kinds)
    collect()
    for w, n in zip(watched, before):
        assert abs(sys.getrefcount(w) - n) < 20, w
