"""async def: examples that await values."""
import asyncio
import contextlib
import gc

import numpy as np
import pytest
from conftest import floats

import espalier as esp

ROWS = [floats(3, seed=i) for i in range(5)]


def test_await(engine):
    async def f(x):
        y = await esp.tanh(x)
        assert isinstance(y, np.ndarray) and not y.flags.writeable
        z = await (esp.input(y) * 2)
        return z, esp.exp(x)

    batch = engine.record(ROWS, f)
    assert batch.rounds == 2 and len(batch) == 5
    for x, (z, e) in zip(ROWS, batch):
        np.testing.assert_allclose(z, 2 * np.tanh(x), rtol=1e-5)
        assert isinstance(e, esp.Expr)
    for x, (_, e) in zip(ROWS, engine.infer(ROWS, f)):
        np.testing.assert_allclose(e, np.exp(x), rtol=1e-5)


def test_all_examples_wait_together(engine):
    async def f(n):
        total = 0.0
        for i in range(n):
            total += float(await esp.full((), float(i)))
        return total

    batch = engine.infer([3, 0, 7, 1], f)
    assert list(batch) == [3, 0, 21, 0] and batch.rounds == 7


def test_a_lambda_that_returns_a_coroutine(engine):
    async def f(x, k):
        return float((await esp.sum_elements(x))) * k

    for got, x in zip(engine.infer(ROWS, lambda x: f(x, 2)), ROWS):
        assert got == pytest.approx(2 * x.sum(), rel=1e-5)


def test_other_coroutines(engine):
    async def twice(x):
        return await esp.input(x) * 2

    async def four(x):
        return await twice(await twice(x))

    class Awaitable:
        def __init__(self, x):
            self.x = x

        def __await__(self):
            return (yield from twice(self.x).__await__())

    async def f(x):
        return await four(x) + await Awaitable(x)

    for x, got in zip(ROWS, engine.infer(ROWS, f)):
        np.testing.assert_allclose(got, 6 * x, rtol=1e-5)
    for x, got in zip(ROWS, engine.infer(ROWS, Awaitable)):
        np.testing.assert_allclose(got, 2 * x, rtol=1e-5)
    for x, got in zip(ROWS, engine.infer(ROWS, lambda x: esp.gather(four(x), esp.tanh(x)))):
        np.testing.assert_allclose(got[0], 4 * x, rtol=1e-5)


def test_gather(engine):
    async def slow(x, n):
        for _ in range(n):
            x = await esp.input(x) + 1
        return x

    async def f(x):
        a, b, c = await esp.gather(slow(x, 3), esp.tanh(x), esp.gather(slow(x, 1), esp.exp(x)))
        return a, b, c

    batch = engine.infer(ROWS, f)
    assert batch.rounds == 3
    for x, (a, b, (c, d)) in zip(ROWS, batch):
        np.testing.assert_allclose(a, x + 3, rtol=1e-5)
        np.testing.assert_allclose(b, np.tanh(x), rtol=1e-5)
        np.testing.assert_allclose(c, x + 1, rtol=1e-5)
        np.testing.assert_allclose(d, np.exp(x), rtol=1e-5)
    [empty] = engine.infer([0], lambda _: esp.gather())
    assert empty == []


async def nothing():
    pass


def test_gather_of_what_cannot_be_awaited(engine):
    async def f(x):
        await esp.gather(esp.tanh(x), 5)

    with pytest.raises(TypeError, match="int cannot be awaited"):
        engine.record(ROWS, f)


def test_gather_cancels_the_others(engine):
    ended = []

    async def waits(name):
        try:
            while True:
                await esp.ones(1)
        finally:
            ended.append(name)

    async def fails():
        await esp.ones(1)
        await esp.ones(1)
        raise ValueError("mine")

    async def f(_):
        with pytest.raises(ValueError, match="mine"):
            await esp.gather(waits("a"), fails(), waits("b"))
        return float((await esp.ones(()))) + 1

    batch = engine.infer([0], f)
    assert list(batch) == [2.0] and ended == ["a", "b"] and batch.rounds == 3


def test_random_numbers_of_branches(engine):
    """They do not depend on the order in which branches go on."""
    async def draw(n):
        for _ in range(n):
            await esp.ones(1)
        return esp.random()

    def together(*n):
        async def f(_):
            values = await esp.gather(*[draw(k) for k in n])
            return values, esp.random()

        return engine.infer(esp.Minibatch([0], [0], 1), f)[0]

    (a, after), (b, also) = together(0, 3, 1), together(2, 0, 0)
    assert a == b and after == also and len({*a, after}) == 4


def test_exceptions(engine):
    async def f(i):
        v = await esp.full((), float(i))
        if i == 2:
            raise KeyError("mine")
        return float(v)

    with pytest.raises(KeyError, match="mine") as caught:
        engine.record(range(4), f)
    assert caught.value.__notes__ == ["example 2"] and caught.traceback[-1].name == "f"
    batch = engine.record(range(4), f, skip_bad=True)
    assert list(batch) == [0, 1, 3] and batch.positions == [0, 1, 3]
    assert isinstance(batch.failed[0].error, KeyError) and batch.failed[0].error.__traceback__ is not None


def test_errors_within_a_coroutine_name_the_line(engine):
    async def f(x):
        await esp.tanh(x)
        return esp.tanh(x) + esp.zeros(4)

    with pytest.raises(esp.ShapeError, match=rf"\(test_async.py:{f.__code__.co_firstlineno + 2}\)"):
        engine.record(ROWS, f)


def test_the_first_failure_cancels_the_others(engine):
    ended, lines = [], []

    async def f(i):
        try:
            for _ in range(i + 1):
                await esp.ones(1)
            lines.append(i)
            if i == 1:
                raise ValueError
        finally:
            ended.append(i)

    with pytest.raises(ValueError):
        engine.record(range(4), f)
    assert sorted(ended) == [0, 1, 2, 3] and lines == [0, 1]


def test_finally_blocks_that_await(engine, recwarn):
    """A cancelled example may not wait any more."""
    async def f(i):
        try:
            await esp.ones(1)
            if i == 0:
                raise ValueError
            await esp.ones(1)
        finally:
            if i == 1:
                await esp.ones(1)

    with pytest.raises(ValueError), contextlib.suppress(RuntimeError):
        engine.record(range(2), f)
    gc.collect()


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError])
@pytest.mark.parametrize("skip_bad", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_interrupts(kind, skip_bad, threads):
    """Exceptions that are no Exception end the whole recording."""
    engine, ended, after = esp.Engine(threads=threads), [], []

    async def f(i):
        try:
            await esp.ones(1)
            if i == 2:
                raise kind
            await esp.ones(1)
            after.append(i)
            await esp.ones(1)
            after.append(i)
        finally:
            ended.append(i)

    with pytest.raises(kind) as caught:
        engine.record(range(6), f, skip_bad=skip_bad)
    assert caught.value.__notes__ == ["example 2"]
    assert sorted(set(ended) | {2}) == sorted(ended) and len(after) <= 4  # of an earlier shard only
    assert list(engine.infer([1], lambda _: esp.ones(()))) == [1]


def test_max_rounds(engine):
    ended = []

    async def f(i):
        try:
            while i != 1:
                await esp.ones(1)
            return "done"
        finally:
            ended.append(i)

    with pytest.raises(esp.GraphError, match="still waits after 5 rounds"):
        engine.record(range(3), f, max_rounds=5)
    assert sorted(ended) == [0, 1, 2]
    batch = engine.record(range(3), f, max_rounds=5, skip_bad=True)
    assert list(batch) == ["done"] and [x.position for x in batch.failed] == [0, 2]


def test_foreign_awaitables(engine):
    ended = []

    async def f(i):
        try:
            await esp.ones(1)
            if i == 1:
                await asyncio.sleep(0)
            return i
        finally:
            ended.append(i)

    with pytest.raises(TypeError, match=r"awaits asyncio.tasks.sleep\(\); it can await Exprs, .*not asyncio \(test_async.py:\d+\)$") as caught:
        engine.record(range(3), f)
    assert sorted(ended) == [0, 1, 2] and any(e.name == "f" for e in caught.traceback)
    assert list(engine.record(range(3), f, skip_bad=True)) == [0, 2]

    async def within_asyncio():
        async def g(_):
            await asyncio.sleep(1)

        with pytest.raises(TypeError, match=r"awaits asyncio.tasks.sleep\(\).*\(test_async.py:\d+\)$"):
            engine.record([0], g)

    asyncio.run(within_asyncio())


def test_asyncio_without_a_loop(engine):
    async def f(_):
        await asyncio.sleep(1)

    with pytest.raises(RuntimeError, match="no running event loop") as caught:
        engine.record([0], f)
    assert caught.value.__notes__[0].startswith("the engine runs the example, not asyncio: it can await Exprs")
    assert caught.value.__notes__[1] == "example 0"


def test_a_foreign_awaitable_that_is_caught(engine):
    async def f(_):
        try:
            await asyncio.sleep(0)
        except TypeError:
            return float(await esp.ones(()))

    async def returns(_):
        try:
            await asyncio.sleep(0)
        except TypeError:
            return "caught"

    async def again(_):
        for _ in range(3):
            with contextlib.suppress(TypeError):
                await asyncio.sleep(0)
        return "three times"

    assert [engine.infer([0], g)[0] for g in (f, returns, again)] == [1.0, "caught", "three times"]


def test_a_foreign_awaitable_in_gather(engine):
    async def f(_):
        await esp.gather(esp.ones(1), asyncio.sleep(0))

    with pytest.raises(TypeError, match=r"awaits asyncio.tasks.sleep\(\).*\(test_async.py:\d+\)$"):
        engine.record([0], f)


def test_an_awaitable_of_ones_own_that_yields_something_else(engine):
    class Five:
        def __await__(self):
            yield 5

    async def f(_):
        return await Five()

    with pytest.raises(TypeError, match=r"awaits an object of type int; it can await Exprs, .*\(test_async.py:\d+\)$"):
        engine.record([0], f)


def test_functions_that_record_nothing(engine):
    async def f(i):
        return i

    batch = engine.infer([1, 2], f)
    assert list(batch) == [1, 2] and batch.rounds == 0
    assert list(engine.record([1, 2], lambda i: nothing())) == [None, None]


def test_asynchronous_generators(engine):
    async def f(x):
        yield esp.tanh(x)

    def g(x):
        yield esp.tanh(x)

    for function in (f, g):
        with pytest.raises(TypeError, match="must return its result, not yield it"):
            engine.record(ROWS, function)


def test_mixed_results(engine):
    async def later(x):
        return (await esp.tanh(x)).sum()

    got = engine.infer(range(4), lambda i: later(ROWS[i]) if i % 2 else esp.sum_elements(esp.tanh(ROWS[i])))
    np.testing.assert_allclose([float(v) for v in got], [np.tanh(ROWS[i]).sum() for i in range(4)], rtol=1e-5)


def test_await_outside_of_a_recording(engine):
    async def main():
        with engine.graph():
            await esp.ones(1)

    with pytest.raises(RuntimeError):
        asyncio.run(main())
    coroutine = main()
    assert isinstance(coroutine.send(None), esp.Expr)
    coroutine.close()
    kept = []
    engine.infer([0], lambda _: kept.append(esp.ones(1)) or kept[0])
    gc.collect()

    async def stale(_):
        await kept[0]

    with pytest.raises(esp.GraphError, match="stale"):
        engine.record([0], stale)
    with pytest.raises(esp.GraphError):
        stale(0).send(None)


def test_await_of_another_graph(engine):
    with engine.graph():
        y = esp.ones(1)

    async def f(_):
        await y

    with pytest.raises(esp.GraphError):
        engine.record([0], f)


def test_await_in_a_cell(engine):
    cell_of = lambda f: esp.cell(f, x=(3,))  # noqa: E731
    kept = []

    async def f(x):
        return await x

    with pytest.raises(esp.ShapeError, match="must return 1 to 32 rows"):
        cell_of(lambda x: kept.append(f(x)) or kept[0])
    with pytest.raises(esp.GraphError):
        kept[0].send(None)


def test_the_current_graph_within_coroutines(engine):
    """Each example records into its own, whatever others do, and nothing is current afterwards."""
    other = esp.Engine()

    async def f(i):
        with other.graph() as g:
            inside = esp.full((), float(i))
            value = float(other.value(inside))
            assert g.calls == 1
        await esp.full((), value)
        return float(await (esp.full((), value) + 1))

    assert list(engine.infer(range(5), f)) == [1, 2, 3, 4, 5]

    async def suspended(i):
        with other.graph():
            y = esp.full((), float(i))
            await_me = inner(i)
            try:
                return await await_me
            finally:
                assert y.shape == ()

    async def inner(i):
        return i

    assert list(engine.infer(range(3), suspended)) == [0, 1, 2]
    with pytest.raises(esp.GraphError, match="nothing is being recorded"):
        esp.ones(1)


def test_a_graph_that_is_entered_while_an_example_waits(engine):
    other, outside = esp.Engine(), []

    async def f(i):
        y = esp.full((), float(i))
        with other.graph():
            outside.append(esp.ones(2).shape)
            await y
            gc.collect()
        return float(await (esp.full((), float(i)) * 2))

    for _ in range(3):
        with contextlib.suppress(esp.GraphError):
            engine.infer(range(4), f)
    with pytest.raises(esp.GraphError, match="nothing is being recorded"):
        esp.ones(1)
    assert list(engine.infer([1], lambda _: esp.ones(()))) == [1]


def test_nested_recordings(engine):
    other = esp.Engine()

    async def inner(x):
        return float(await esp.sum_elements(x))

    async def f(x):
        await esp.tanh(x)
        [value] = other.infer([x], inner)
        [again] = engine.infer([x], inner)
        assert value == again
        return value + float(await esp.zeros(()))

    for got, x in zip(engine.infer(ROWS, f), ROWS):
        assert got == pytest.approx(x.sum(), rel=1e-5)


def test_threads(engine):
    async def f(x):
        y = await esp.tanh(x)
        return esp.sum_elements(esp.input(y) * x)

    one = engine.infer(ROWS, f, stack=True)
    np.testing.assert_array_equal(esp.Engine(threads=4).infer(ROWS, f, stack=True), one)


def test_gradients_after_awaits(engine):
    linear = esp.nn.Linear(3, 2).initialize(seed=1)

    async def f(x):
        y = linear(x)
        label = int((await y).argmax())
        return esp.cross_entropy(y, label)

    gradients = engine.backward(engine.record(ROWS, f))
    assert gradients.norm() > 0


def test_coroutines_are_freed(engine):
    class Kept:
        alive = 0

        def __init__(self):
            Kept.alive += 1

        def __del__(self):
            Kept.alive -= 1

    async def f(i):
        kept = Kept()
        await esp.ones(1)
        if i == 2:
            raise ValueError
        await esp.ones(1)
        return kept is not None

    for _ in range(3):
        with pytest.raises(ValueError):
            engine.record(range(5), f)
        engine.infer([0, 1], f)
        engine.infer(range(4), f, skip_bad=True)
    gc.collect()
    assert Kept.alive == 0
