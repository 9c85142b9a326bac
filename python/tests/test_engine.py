"""Engine: record, infer, backward, value and what tells about them."""
import re
import collections
import gc
import pickle
import copy
import traceback
from dataclasses import dataclass, field, InitVar
from typing import ClassVar, NamedTuple

import numpy as np
import pytest
from conftest import floats

import espalier as esp

ROWS = [floats(3, seed=i) for i in range(6)]


@pytest.fixture
def linear():
    return esp.nn.Linear(3, 2).initialize(seed=1)


def by_numpy(linear, x):
    return linear.weight.numpy() @ x + linear.bias.numpy()


# ---- results


def test_record_and_value(engine, linear):
    batch = engine.record(ROWS, linear)
    assert isinstance(batch, esp.Batch) and batch == list(batch) and len(batch) == 6
    assert all(isinstance(r, esp.Expr) for r in batch)
    assert batch.positions == list(range(6)) and batch.failed == [] and batch.calls == 12 and batch.rounds == 0
    for x, r in zip(ROWS, batch):
        value = engine.value(r)
        assert value.dtype == np.float32 and not value.flags.writeable
        np.testing.assert_allclose(value, by_numpy(linear, x), rtol=1e-5)
    for x, v in zip(ROWS, engine.value(list(batch))):
        np.testing.assert_allclose(v, by_numpy(linear, x), rtol=1e-5)


def test_infer(engine, linear):
    rows = engine.infer(ROWS, linear)
    assert isinstance(rows, esp.Results) and isinstance(rows, list) and rows == rows and len(rows) == 6
    stacked = engine.infer(ROWS, linear, stack=True)
    assert stacked.shape == (6, 2) and not stacked.flags.writeable
    np.testing.assert_array_equal(np.stack(rows), stacked)
    np.testing.assert_array_equal(engine.infer(engine.record(ROWS, linear, mode="infer"), stack=True), stacked)
    with pytest.raises(ValueError):
        stacked[0] = 1


def test_examples_of_any_sequence(engine):
    class Indexed:
        def __len__(self):
            return 2

        def __getitem__(self, i):
            if i >= 2:
                raise IndexError
            return i + 5

    f = lambda i: esp.full(1, float(i))  # noqa: E731
    for examples in ([5, 6], (5, 6), range(5, 7), np.array([5, 6]), iter([5, 6]), (i for i in (5, 6)), {5: 1, 6: 2}, Indexed(),
                     collections.deque([5, 6])):  # fmt: skip
        assert [v.item() for v in engine.infer(examples, f)] == [5, 6]
    for examples in (5, None, object()):
        with pytest.raises(TypeError, match=r"record: the first argument is .*test_engine.py"):
            engine.infer(examples, f)


class Point(NamedTuple):
    x: object
    y: object


@dataclass
class Result:
    scores: object
    loss: object
    words: list = field(default_factory=list)
    kind: ClassVar[str] = "class"
    seed: InitVar[int] = 3


@dataclass(frozen=True)
class Frozen:
    scores: object
    n: int = 2


@dataclass
class Slots:
    __slots__ = ("a",)
    a: object


@dataclass
class Init:
    a: object
    given: InitVar[int]

    def __post_init__(self, given):
        self.n = given


STRUCTURES = [
    lambda y: y,
    lambda y: (y, y + 1),
    lambda y: [y, [y + 1, (y + 2,)]],
    lambda y: {"a": y, "b": {"c": y}, "n": 5},
    lambda y: Point(y, "text"),
    lambda y: Result(y, esp.sum_elements(y), [y]),
    lambda y: Frozen(y),
    lambda y: Slots(y),
    lambda y: Init(y, 7),
    lambda y: esp.State(y, y * 2),
    lambda y: collections.OrderedDict(a=y),
    lambda y: [None, y, 3.5, "s", esp.State],
    lambda y: [],
    lambda y: 5,
    lambda y: None,
]


@pytest.mark.parametrize("f", STRUCTURES, ids=[str(i) for i in range(len(STRUCTURES))])
def test_structures(f, engine):
    def same(got, want):
        """`got` has arrays where `want` has Exprs."""
        if isinstance(want, esp.Expr):
            assert isinstance(got, np.ndarray) and got.shape == want.shape
        elif isinstance(want, esp.State):
            assert got.h.shape == want.h.shape and got.c.shape == want.c.shape
        elif isinstance(want, (tuple, list)):
            assert type(got) is type(want) and len(got) == len(want)
            [same(g, w) for g, w in zip(got, want)]
        elif isinstance(want, dict):
            assert isinstance(got, dict) and list(got) == list(want)
            [same(got[k], want[k]) for k in want]
        elif hasattr(want, "__dataclass_fields__"):
            assert type(got) is type(want)
            for n, field_ in want.__dataclass_fields__.items():
                if hasattr(want, n):
                    same(getattr(got, n), getattr(want, n))
        else:
            assert got is want or got == want

    batch = engine.record(ROWS[:2], lambda x: f(esp.tanh(x)))
    shapes = list(batch)
    values = engine.infer(ROWS[:2], lambda x: f(esp.tanh(x)))
    for got, want in zip(values, shapes):
        same(got, want)
    if isinstance(values[0], Init):
        assert values[0].n == 7
    if isinstance(values[0], Result):
        assert "kind" not in vars(values[0])


def test_values_of_structures(engine):
    [r] = engine.infer([ROWS[0]], lambda x: Result(esp.tanh(x), esp.sum_elements(x), [x, esp.exp(x)]))
    np.testing.assert_allclose(r.scores, np.tanh(ROWS[0]), rtol=1e-5)
    np.testing.assert_allclose(r.loss, ROWS[0].sum(), rtol=1e-5)
    assert isinstance(r.words[0], np.ndarray)  # the example itself
    np.testing.assert_allclose(r.words[1], np.exp(ROWS[0]), rtol=1e-5)
    [(a, b)] = engine.infer([0], lambda _: (esp.zeros((2, 3)), esp.ones(())))
    assert a.shape == (2, 3) and b.shape == () and float(b) == 1


def test_results_of_different_shapes(engine):
    f = lambda n: esp.ones(n)  # noqa: E731
    assert [v.shape for v in engine.infer([1, 3, 2], f)] == [(1,), (3,), (2,)]
    with pytest.raises(esp.ShapeError, match="stack: result 1 is"):
        engine.infer([1, 3, 2], f, stack=True)


@pytest.mark.parametrize("f", [lambda x: (x, x), lambda x: 5, lambda x: {"a": esp.tanh(x)}, lambda x: None, lambda x: esp.State(x, x)])
def test_stack_needs_one_expr(f, engine):
    with pytest.raises(TypeError, match="stack"):
        engine.infer(ROWS, lambda x: f(esp.tanh(x)), stack=True)


def test_stack_of_nothing(engine, linear):
    assert engine.infer([], linear, stack=True).shape[0] == 0


def test_empty_input(engine, linear):
    assert engine.infer([], linear) == [] and engine.record([], linear) == []
    batch = engine.record([], linear)
    assert batch.calls == 0 and batch.inputs == {} and batch.emitted("x") == []
    assert engine.backward(batch).loss.item() == 0
    assert engine.value([]) == [] if False else True
    assert str(engine.explain(batch)) is not None


def test_a_list_that_changes_while_it_is_recorded(engine):
    examples = list(ROWS)

    def f(x):
        examples.clear()
        gc.collect()
        return esp.tanh(x)

    got = engine.infer(examples, f)
    np.testing.assert_allclose(np.stack(got), np.tanh(ROWS), rtol=1e-5)


def test_threads_give_the_same_values(linear):
    def losses(x):
        return esp.sum_elements(esp.dropout(esp.tanh(linear(x)), 0.5))

    results = []
    for threads in (1, 4):
        engine = esp.Engine(threads=threads, seed=3)
        batch = engine.record(esp.Minibatch(ROWS, range(6), epoch=2), losses)
        gradients = engine.backward(batch)
        results.append(([float(v) for v in engine.value(list(batch))], gradients.of(linear.weight).numpy(), gradients.loss.item()))
    assert results[0][0] == results[1][0]
    np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-5)
    assert results[0][2] == pytest.approx(results[1][2])


# ---- backward


def test_backward(engine, linear):
    f = lambda x: esp.sum_elements(linear(x))  # noqa: E731
    batch = engine.record(ROWS, f)
    gradients = engine.backward(batch, scale=0.5)
    assert isinstance(gradients, esp.Gradients)
    np.testing.assert_allclose(gradients.of(linear.weight).numpy(), 0.5 * np.tile(np.sum(ROWS, 0), (2, 1)), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(np.asarray(gradients.of(linear.bias)), [3, 3])
    want = 0.5 * sum(by_numpy(linear, x).sum() for x in ROWS)
    assert gradients.loss.item() == pytest.approx(want, rel=1e-5) and float(gradients.loss) == gradients.loss.item()
    norm = np.sqrt(np.sum(gradients.of(linear.weight).numpy() ** 2) + 18)
    assert gradients.norm() == pytest.approx(norm, rel=1e-5)
    assert "norm" in repr(gradients) and "Scalar" in repr(gradients.loss)
    gradients.clip_norm(1.0)
    assert gradients.norm() == pytest.approx(1, rel=1e-5)
    other = esp.nn.Linear(3, 2)
    assert not np.any(gradients.of(other.weight).numpy())
    for bad in (3, "weight", None, batch):
        with pytest.raises(TypeError, match="Parameter or a watched Expr"):
            gradients.of(bad)


def test_gradients_add(engine, linear):
    f = lambda x: esp.sum_elements(linear(x))  # noqa: E731
    together = engine.backward(engine.record(ROWS, f))
    first = engine.backward(engine.record(ROWS[:2], f))
    first += engine.backward(engine.record(ROWS[2:], f))
    np.testing.assert_allclose(first.of(linear.weight).numpy(), together.of(linear.weight).numpy(), rtol=1e-5, atol=1e-6)
    assert first.loss.item() == pytest.approx(together.loss.item(), rel=1e-5)
    first *= 2
    np.testing.assert_allclose(first.of(linear.weight).numpy(), 2 * together.of(linear.weight).numpy(), rtol=1e-5, atol=1e-6)


def test_gradients_added_to_themselves(engine, linear):
    gradients = engine.backward(engine.record(ROWS, lambda x: esp.sum_elements(linear(x))))
    before = gradients.of(linear.weight).numpy()
    try:
        gradients += gradients
    except esp.GraphError:
        return
    np.testing.assert_allclose(gradients.of(linear.weight).numpy(), 2 * before, rtol=1e-5)


def test_added_gradients_are_used_up(engine, linear):
    f = lambda x: esp.sum_elements(linear(x))  # noqa: E731
    first, second = engine.backward(engine.record(ROWS, f)), engine.backward(engine.record(ROWS, f))
    first += second
    for use in (second.norm, lambda: second.of(linear.weight), lambda: second.loss.item(), lambda: repr(second)):
        try:
            use()
        except esp.GraphError:
            pass


def test_losses_of_any_structure(engine, linear):
    f = lambda x: [esp.sum_elements(linear(x)), {"a": esp.sum_elements(linear(x))}]  # noqa: E731
    gradients = engine.backward(engine.record(ROWS, f))
    np.testing.assert_allclose(gradients.of(linear.bias).numpy(), [12, 12])
    batch = engine.record(ROWS, lambda x: esp.sum_elements(linear(x)))
    for losses, n in ((batch[0], 1), (list(batch), 6), (tuple(batch[:2]), 2), ({"a": batch[0]}, 1)):
        np.testing.assert_allclose(engine.backward(losses).of(linear.bias).numpy(), [n, n])


def test_losses_that_are_refused(engine, linear):
    for bad in (lambda x: linear(x), lambda x: 3, lambda x: None, lambda x: "loss"):
        with pytest.raises((TypeError, esp.ShapeError), match="test_engine.py"):
            engine.backward(engine.record(ROWS, bad))
    for bad in (3, None, "loss", [1.5]):
        with pytest.raises(TypeError):
            engine.backward(bad)


def test_named_inputs(engine, linear):
    def f(x):
        return esp.sum_elements(esp.input(x, name="x") ** 2) + esp.sum_elements(esp.input([1, 2], "y") * 3)

    batch = engine.record(ROWS, f)
    assert set(batch.inputs) == {"x", "y"} and len(batch.inputs["x"]) == 6
    gradients = engine.backward(batch, scale=2)
    for x, g in zip(ROWS, gradients.inputs["x"]):
        np.testing.assert_allclose(g, 4 * x, rtol=1e-5)
    np.testing.assert_allclose(gradients.inputs["y"][0], [6, 6])
    with pytest.raises(esp.GraphError, match="nothing is being recorded"):
        esp.input([1, 2])
    with pytest.raises(TypeError):
        engine.record([0], lambda _: esp.input([1, 2], name=5))


def test_named_inputs_of_failed_examples_are_left_out(engine):
    def f(i):
        x = esp.input([i, i], name="x")
        if i == 1:
            raise ValueError
        return esp.sum_elements(x)

    batch = engine.record(range(3), f, skip_bad=True)
    assert [list(v) for v in engine.value(batch.inputs["x"])] == [[0, 0], [2, 2]]
    assert len(engine.backward(batch).inputs["x"]) == 2


def test_watch(engine, linear):
    kept = []

    def f(x):
        h = esp.tanh(linear(x))
        kept.append(h)
        return esp.sum_elements(h * h)

    batch = engine.record(ROWS[:2], f)
    engine.watch(kept[0])
    gradients = engine.backward(batch)
    np.testing.assert_allclose(gradients.of(kept[0]).numpy(), 2 * np.tanh(by_numpy(linear, ROWS[0])), rtol=1e-4)
    with pytest.raises(esp.GraphError, match="not watched"):
        gradients.of(kept[1])
    with pytest.raises(TypeError):
        engine.watch("x")


# ---- text and numbers about a batch


def test_explain_and_dry_run(engine, linear):
    batch = engine.record(ROWS, linear)
    text = engine.explain(batch)
    assert isinstance(text, str) and "12 calls of 2 cells" in text and "<pre>" in text._repr_html_() and "&lt;" in type(text)("<b>")._repr_html_()
    run = engine.dry_run(batch)
    assert run.calls == 12 and len(run.steps) == 2  # inputs and products
    assert [c.calls for c in run.cells] == [6, 6] and run.cells[1].largest_step == 6 and run.steps[0].calls == 6
    assert run.depth >= 1 and run.policy and run.rows > 0 and run.row_bytes > 0
    assert isinstance(run.other_steps, dict) and "12 calls in 2 steps" in repr(run) and str(run) == run.text()
    assert isinstance(run.gathers, list) and isinstance(run.alone, list)
    with engine.graph() as g:
        linear(ROWS[0])
        assert g.calls == 2 and engine.dry_run(g).calls == 2 and "2 calls" in engine.explain(g)
    for bad in (5, None, [1]):
        with pytest.raises((TypeError, AttributeError)):
            engine.explain(bad)


def test_counters_and_profile(engine, linear):
    engine.infer(ROWS, linear)
    counters = engine.counters()
    assert counters["rounds"] == 1 and counters["calls"] == 12 and counters["steps"] == 2
    assert all(isinstance(v, (int, float)) for v in counters.values())
    engine.reset_counters()
    assert engine.counters()["calls"] == 0
    assert isinstance(engine.profile(), str) and "_repr_html_" in dir(engine.profile())
    timed = esp.Engine(timed=True)
    timed.infer(ROWS, linear)
    assert timed.profile()
    timed.wait()


def test_repr_and_options():
    engine = esp.Engine("cpu", threads=2, seed=5, policy="agenda")
    assert repr(engine) == "Engine(device='cpu', threads=2, precision='f32', seed=5)"
    engine.seed = 7
    assert engine.seed == 7 and "seed=7" in repr(engine)
    for options, kind, text in [
        (dict(device="gpu"), esp.OptionError, "device 'gpu' is unknown"),
        (dict(device="cuda:x"), esp.OptionError, "unknown"),
        (dict(device="cuda:99"), esp.DeviceError, "cuda"),
        (dict(policy="best"), esp.OptionError, "policy 'best' is unknown; it must be auto, agenda, depth or none"),
        (dict(precision="f16"), esp.OptionError, "precision 'f16' is unknown; it must be f32, tf32 or bf16"),
        (dict(threads=0), esp.Error, "threads = 0"),
    ]:
        with pytest.raises(kind, match=text) as caught:
            esp.Engine(**options)
        assert "(test_engine.py:" in str(caught.value)
    with pytest.raises(TypeError):
        esp.Engine("cpu", 2)
    with pytest.raises(TypeError):
        esp.Engine(threads="two")
    for f in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="an Engine cannot be pickled"):
            f(engine)


def test_things_that_cannot_be_pickled(engine, linear):
    batch = engine.record(ROWS, linear)
    for thing, text in ((batch, "Batch"), (batch[0], "Expr"), (engine.backward(esp_sum(engine, linear)), "")):
        for f in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError, match=text):
                f(thing)


def esp_sum(engine, linear):
    esp_sum.kept = engine.record(ROWS, lambda x: esp.sum_elements(linear(x)))
    return esp_sum.kept


@pytest.mark.parametrize("policy", ["auto", "agenda", "depth", "none"])
@pytest.mark.parametrize("more", [{}, {"immediate": True}, {"memoise": False}, {"memory_limit": 1 << 20}], ids=str)
def test_every_policy_gives_the_same_values(policy, more, linear):
    got = esp.Engine(policy=policy, **more).infer(ROWS, linear, stack=True)
    np.testing.assert_allclose(got, [by_numpy(linear, x) for x in ROWS], rtol=1e-5)


def test_a_memory_limit_recomputes_rows_at_equal_bits():
    lstm = esp.nn.LSTM(8, 64).initialize(seed=1)
    rows = [floats(8, seed=i) for i in range(64)]

    def loss(x):
        state = None
        for _ in range(16):
            state = lstm(esp.input(x), state)
        return esp.sum_elements(state.h)

    def train(limit):
        engine = esp.Engine(memory_limit=limit)
        batch = engine.record(rows, loss)
        how = engine.dry_run(batch)
        gradients = engine.backward(batch)
        every = np.concatenate([gradients.of(p).numpy().ravel() for p in lstm.parameters()])
        return every, how, engine.counters()

    want, free, counters = train(0)
    assert free.recomputed_calls == 0 and counters["recomputed_calls"] == 0
    limit = counters["arena_bytes"]
    how = free
    while how.recomputed_calls == 0:
        limit = limit * 19 // 20
        got, how, counters = train(limit)
        np.testing.assert_array_equal(got, want)
    assert counters["recomputed_calls"] == how.recomputed_calls >= 64 * 15
    assert 0 < how.recomputed_flops <= how.product_flops
    assert "calls again to keep the memory limit" in how.text()
    with pytest.raises(esp.DeviceError, match="although the backward pass computes rows again"):
        train(limit // 4)


def test_immediate_names_the_line():
    engine = esp.Engine(immediate=True)
    with pytest.raises(esp.NumberError, match="test_engine.py"):
        engine.infer([-1.0], lambda x: esp.log(esp.input([x])))


def test_the_null_device(linear):
    engine = esp.Engine(device="null")
    assert engine.dry_run(engine.record(ROWS, linear)).calls == 12


# ---- graphs


def test_graph(engine, linear):
    with engine.graph() as g:
        y = linear(ROWS[0])
        np.testing.assert_allclose(engine.value(y), by_numpy(linear, ROWS[0]), rtol=1e-5)
        z = esp.sum_elements(y)
        gradients = engine.backward(z)
        np.testing.assert_allclose(gradients.of(linear.bias).numpy(), [1, 1])
        assert g.calls == 3
    assert engine.value(y).shape == (2,)  # while g lives
    del g
    gc.collect()
    with pytest.raises(esp.GraphError, match="stale"):
        engine.value(y)


def test_modes(engine):
    x = np.ones(100, "f4")
    with engine.graph():
        assert esp.is_training() and not np.all(engine.value(esp.dropout(x, 0.5)) == 1)
    with engine.graph(mode="infer"):
        assert not esp.is_training() and np.all(engine.value(esp.dropout(x, 0.5)) == 1)
    seen = []
    engine.record([0], lambda _: seen.append(esp.is_training()) or esp.zeros(1))
    engine.infer([0], lambda _: seen.append(esp.is_training()) or esp.zeros(1))
    assert seen == [True, False]
    with pytest.raises(esp.OptionError, match="mode 'test' is unknown"):
        engine.record([0], lambda _: esp.zeros(1), mode="test")
    with pytest.raises(esp.GraphError, match="nothing is being recorded"):
        esp.is_training()


def test_graphs_nest_in_any_order(engine):
    first, second = engine.graph(), engine.graph()
    with first:
        x = esp.ones(2)
        with second:
            y = esp.ones(3)
            assert second.calls == 1
        z = x + 1
        assert first.calls == 2
        with pytest.raises(esp.GraphError, match="already entered"):
            first.__enter__()
        with pytest.raises(esp.GraphError):
            x + y  # of two graphs
    # Left in the order in which they were entered: never a dangling pointer.
    first, second = engine.graph(), engine.graph()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    esp.ones(4)
    assert second.calls == 1
    second.__exit__(None, None, None)
    with pytest.raises(esp.GraphError, match="nothing is being recorded"):
        esp.ones(2)
    # Never left: it ends with its graph.
    third = engine.graph()
    third.__enter__()
    del third
    gc.collect()
    with pytest.raises(esp.GraphError, match="nothing is being recorded"):
        esp.ones(2)


def test_graphs_in_generators(engine):
    """A generator is suspended within its graph."""
    def inside():
        with engine.graph():
            yield esp.ones(2)
            yield esp.ones(3)

    def example(x):
        one = inside()
        next(one)
        two = inside()
        next(two)
        one.close()
        two.close()
        return esp.tanh(x)

    [got] = engine.infer([ROWS[0]], example)
    np.testing.assert_allclose(got, np.tanh(ROWS[0]), rtol=1e-5)


def test_nested_record(engine, linear):
    inner_engine = esp.Engine()

    def example(x):
        before = esp.tanh(x)
        inner = inner_engine.infer(ROWS[:2], linear, stack=True)
        same = engine.infer(ROWS[:2], linear, stack=True)
        np.testing.assert_array_equal(inner, same)
        return before + float(inner[0, 0])

    got = engine.infer(ROWS, example)
    want = by_numpy(linear, ROWS[0])[0]
    np.testing.assert_allclose(np.stack(got), np.tanh(ROWS) + want, rtol=1e-5)


def test_a_value_read_while_recording(engine, linear):
    def example(x):
        y = linear(x)
        v = engine.value(y)
        return y * float(v[0])

    for x, got in zip(ROWS, engine.infer(ROWS, example)):
        want = by_numpy(linear, x)
        np.testing.assert_allclose(got, want * want[0], rtol=1e-4, atol=1e-6)


def test_rerun(engine, linear):
    batch = engine.record(ROWS, linear)
    before = engine.value(list(batch))
    linear.bias.assign(linear.bias.numpy() + 1)
    engine.rerun(batch)
    for b, a in zip(before, engine.value(list(batch))):
        np.testing.assert_allclose(a, b + 1, rtol=1e-5)


# ---- stale values


def stale_values(engine):
    kept = []
    engine.infer(ROWS[:1], lambda x: kept.append(esp.tanh(x)) or kept.append(esp.State(kept[0], kept[0])) or kept[0])
    gc.collect()
    return kept


def test_stale_values_are_errors(engine, linear):
    x, s = stale_values(engine)
    uses = [lambda: engine.value(x), lambda: engine.value(s), lambda: engine.backward(x), lambda: engine.watch(x), lambda: x + 1,
            lambda: esp.tanh(x), lambda: s.h * 2, lambda: x.shape, lambda: x.ndim, lambda: len(x), lambda: x[0],
            lambda: engine.record([0], lambda _: x + 1), lambda: engine.record([0], lambda _: linear(x)),
            lambda: engine.infer([0], lambda _: x), lambda: engine.infer([0], lambda _: esp.sum([x, x])),
            lambda: engine.record([0], lambda _: esp.emit("m", x))]  # fmt: skip
    for use in uses:
        with pytest.raises(esp.GraphError):
            use()
    assert repr(x) == "Expr(stale)" and "stale" in repr(s)
    # Of a graph that is used again.
    for _ in range(3):
        engine.infer(ROWS, linear)
        for use in uses:
            with pytest.raises(esp.GraphError):
                use()


def test_values_of_another_engine(linear):
    first, second = esp.Engine(), esp.Engine()
    batch = first.record(ROWS, lambda x: esp.sum_elements(linear(x)))
    for use in (lambda: second.value(batch[0]), lambda: second.backward(batch), lambda: second.watch(batch[0]),
                lambda: second.infer([0], lambda _: batch[0] + 1), lambda: second.infer(batch),
                lambda: second.explain(batch), lambda: second.rerun(batch), lambda: second.dry_run(batch)):  # fmt: skip
        with pytest.raises(esp.GraphError):
            use()
    assert len(first.value(list(batch))) == 6


def test_values_outlive_their_engine(linear):
    engine = esp.Engine()
    batch = engine.record(ROWS, linear)
    values = engine.infer(ROWS, linear)
    gradients = engine.backward(engine.record(ROWS, lambda x: esp.sum_elements(linear(x))))
    del engine
    gc.collect()
    assert values[0].shape == (2,) and batch[0].shape == (2,) and gradients.norm() > 0
    with pytest.raises(esp.GraphError):
        esp.Engine().value(batch[0])


def test_infer_closes_its_graph(engine, linear):
    kept = []
    values = engine.infer(ROWS[:1], lambda x: kept.append(linear(x)) or kept[0])
    with pytest.raises(esp.GraphError):  # closed, even while `values` keeps it
        engine.value(kept[0])
    assert len(values) == 1


# ---- errors of examples


def test_errors_of_the_user(engine):
    def deeper(x):
        return 1 / x

    def f(x):
        esp.tanh([1.0])
        return deeper(x)

    with pytest.raises(ZeroDivisionError) as caught:
        engine.record([1, 1, 0, 0], f)
    assert caught.value.__notes__ == ["example 2"]
    assert [e.name for e in caught.traceback][-2:] == ["f", "deeper"]
    assert "example 2" in "".join(traceback.format_exception(caught.value))
    with pytest.raises(ZeroDivisionError) as caught:
        engine.record([0, 1], lambda x: engine.record([1, 0], f))
    assert caught.value.__notes__ == ["example 1", "example 0"]


def test_errors_of_shapes_name_the_example_and_the_line(engine, linear):
    f = lambda x: linear(x)  # noqa: E731
    with pytest.raises(esp.ShapeError) as caught:
        engine.record([ROWS[0], floats(4)], f)
    assert f"(test_engine.py:{f.__code__.co_firstlineno})" in str(caught.value) and caught.value.__notes__ == ["example 1"]


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, GeneratorExit, StopIteration, StopAsyncIteration, MemoryError,
                                  RecursionError, AssertionError, UnicodeError])  # fmt: skip
def test_odd_exceptions(kind, threads):
    engine = esp.Engine(threads=threads)
    ran = []

    def f(i):
        ran.append(i)
        if i == 3:
            raise kind("mine") if kind is not UnicodeError else UnicodeError("mine")
        return esp.ones(2)

    with pytest.raises(kind):
        engine.record(range(8), f)
    if not issubclass(kind, Exception):
        assert ran == [0, 1, 2, 3]  # nothing else runs
        ran.clear()
        with pytest.raises(kind):
            engine.record(range(8), f, skip_bad=True)  # it is no bad example
        assert ran == [0, 1, 2, 3]
    else:
        batch = engine.record(range(8), f, skip_bad=True)
        assert [x.position for x in batch.failed] == [3] and isinstance(batch.failed[0].error, kind)
    np.testing.assert_array_equal(engine.infer([0], f)[0], [1, 1])


def test_deep_recursion(engine):
    def f(n):
        return f(n) if n else 0

    with pytest.raises(RecursionError):
        engine.record([1], f)

    def nested(n):
        result = esp.ones(2)
        for _ in range(n):
            result = [result]
        return result

    with pytest.raises(RecursionError):
        engine.infer([100_000], nested)
    assert engine.infer([0], nested)[0].shape == (2,)


def test_skip_bad(engine, linear):
    bad = ["no", ROWS[0], floats(4), ROWS[1], None]
    batch = engine.record(bad, lambda x: linear(x), skip_bad=True)
    assert len(batch) == 2 and batch.positions == [1, 3]
    assert [f.position for f in batch.failed] == [0, 2, 4]
    assert [type(f.error) for f in batch.failed] == [TypeError, esp.ShapeError, TypeError]
    assert all("test_engine.py" in str(f.error) for f in batch.failed)
    assert batch.failed[0].error.__traceback__ is not None
    values = engine.infer(bad, linear, skip_bad=True)
    assert len(values) == 2 and values.positions == [1, 3] and len(values.failed) == 3
    np.testing.assert_allclose(values[1], by_numpy(linear, ROWS[1]), rtol=1e-5)
    assert engine.infer(bad, linear, skip_bad=True, stack=True).shape == (2, 2)
    assert engine.infer(["no"], linear, skip_bad=True) == []


def test_arguments_of_record(engine, linear):
    with pytest.raises(TypeError, match="f is missing"):
        engine.record(ROWS)
    with pytest.raises(TypeError):
        engine.record(ROWS, 5)
    with pytest.raises(esp.Error, match="2 ids are given for 6 examples"):
        engine.record(ROWS, linear, ids=[1, 2])
    with pytest.raises(TypeError):
        engine.record(ROWS, linear, ids=["a"] * 6)
    with pytest.raises(TypeError):
        engine.record()


# ---- random numbers


def masks(engine, examples, **more):
    batch = engine.record(examples, lambda _: esp.dropout(np.ones(64, "f4"), 0.5), **more)
    return np.stack(engine.value(list(batch))) != 0


def test_dropout_of_a_list_differs_from_step_to_step():
    first, again = esp.Engine(seed=1), esp.Engine(seed=1)
    a, b = masks(first, range(3)), masks(first, range(3))
    assert not np.array_equal(a, b) and not np.array_equal(a[0], a[1])
    np.testing.assert_array_equal(masks(again, range(3)), a)  # reproducible
    np.testing.assert_array_equal(masks(again, range(3)), b)
    assert not np.array_equal(masks(esp.Engine(seed=2), range(3)), a)


def test_dropout_of_a_minibatch_is_keyed_by_id_and_epoch():
    data, engine = list(range(10)), esp.Engine(seed=1)
    a = masks(engine, esp.Minibatch(data, [4, 7], epoch=1))
    np.testing.assert_array_equal(masks(engine, esp.Minibatch(data, [4, 7], epoch=1)), a)
    np.testing.assert_array_equal(masks(engine, esp.Minibatch(data, [7, 1, 4], epoch=1))[[2, 0]], a)  # whatever the others are
    assert not np.array_equal(masks(engine, esp.Minibatch(data, [4, 7], epoch=2)), a)
    np.testing.assert_array_equal(masks(engine, [0, 0], ids=[4, 7], epoch=1), a)
    np.testing.assert_array_equal(masks(esp.Engine(seed=1, threads=2), esp.Minibatch(data, [4, 7], epoch=1)), a)


def test_random(engine):
    draw = lambda _: draws.append((esp.random(), esp.random())) or esp.zeros(1)  # noqa: E731
    draws = []
    engine.record(esp.Minibatch([0, 1], [0, 1], 3), draw)
    first, draws = draws, []
    esp.Engine().record(esp.Minibatch([0, 1], [0, 1], 3), draw)
    assert draws == first and len({x for pair in first for x in pair}) == 4


def test_minibatches():
    data = [f"example {i}" for i in range(10)]
    batches = esp.minibatches(data, 4, seed=1, epoch=2)
    assert [len(b) for b in batches] == [4, 4, 2] and sorted(x for b in batches for x in b) == data
    assert all(b.epoch == 2 for b in batches) and batches[0][0] == data[batches[0].ids[0]]
    assert [b.ids for b in esp.minibatches(data, 4, seed=1, epoch=2)] == [b.ids for b in batches]
    assert [b.ids for b in esp.minibatches(data, 4, seed=1, epoch=3)] != [b.ids for b in batches]
    assert [b.ids for b in esp.minibatches(data, 4, seed=2, epoch=2)] != [b.ids for b in batches]
    part = batches[0][1:3]
    assert isinstance(part, esp.Minibatch) and part.ids == batches[0].ids[1:3] and part.epoch == 2 and list(part) == [data[i] for i in part.ids]
    assert "4 examples" in repr(batches[0]) and data[batches[1].ids[2]] in batches[1]
    assert esp.minibatches([], 4) == []
    with pytest.raises((esp.Error, ValueError)):
        esp.minibatches(data, 0)
    with pytest.raises(TypeError):
        esp.minibatches(data, "4")


def test_emitted(engine, linear):
    def f(x):
        y = linear(x)
        esp.emit("scores", y, label=1)
        esp.emit("scores", y, 2)
        esp.emit("norm", esp.l2_norm(y))
        return y

    for threads in (1, 3):
        engine = esp.Engine(threads=threads)
        batch = engine.record(ROWS, f)
        assert len(batch.emitted("scores")) == 12 and batch.labels("scores") == [1, 2] * 6 and batch.emitted("other") == []
        np.testing.assert_allclose(engine.value(batch.emitted("norm")), [np.linalg.norm(by_numpy(linear, x)) for x in ROWS], rtol=1e-5)
    with pytest.raises(esp.GraphError):
        esp.emit("a", np.zeros(2))
    with pytest.raises(TypeError):
        engine.record([0], lambda _: esp.emit("a", "b"))


@pytest.mark.parametrize("use, accepted", [
    (lambda e: esp.Engine("gpu"), "Engine: device 'gpu' is unknown; it must be cpu, cuda, cuda:N, ref or null"),
    (lambda e: esp.Engine(policy="x"), "Engine: policy 'x' is unknown; it must be auto, agenda, depth or none"),
    (lambda e: esp.Engine(precision="x"), "Engine: precision 'x' is unknown; it must be f32, tf32 or bf16"),
    (lambda e: e.record([], lambda x: x, mode="x"), "record: mode 'x' is unknown; it must be train or infer"),
    (lambda e: e.graph("x"), "graph: mode 'x' is unknown; it must be train or infer"),
    (lambda e: esp.nn.MLP([2, 2], "x"), "activation 'x' is unknown; it must be the name of an element-wise function"),
])  # fmt: skip
def test_an_unknown_name(engine, use, accepted):
    with pytest.raises(esp.OptionError, match=re.escape(accepted)) as caught:
        use(engine)
    assert isinstance(caught.value, ValueError) and "(test_engine.py:" in str(caught.value)


def test_minibatches_of_other_objects():
    with pytest.raises(TypeError, match=r"data is a generator; it must be a sequence, .* \(test_engine.py"):
        esp.minibatches((i for i in range(3)), 2)
    for data in ({1: 2}, {1, 2}, None):
        with pytest.raises(TypeError, match="it must be a sequence, such as a list, or a number of examples"):
            esp.minibatches(data, 2)
    assert sorted(i for batch in esp.minibatches(5, 2) for i in batch) == [0, 1, 2, 3, 4]
