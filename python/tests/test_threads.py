"""Threads, Ctrl-C and fork."""
import gc
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import floats, run_python

import espalier as esp

ROWS = [floats(64, seed=i) for i in range(64)]


def in_threads(*functions):
    """Runs each in a thread, and raises the first exception."""
    errors = []

    def run(f):
        try:
            f()
        except BaseException as e:  # noqa: BLE001
            errors.append(e)

    threads = [threading.Thread(target=run, args=(f,)) for f in functions]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]


def train(seed, steps=30, threads=1):
    """Trains a small model and returns its values."""
    model, engine = esp.nn.MLP([64, 32, 4]).initialize(seed=seed), esp.Engine(seed=seed, threads=threads)
    adam = esp.optim.Adam(model.parameters())
    for k in range(steps):
        batch = esp.Minibatch(ROWS, range(k % 8, k % 8 + 16), epoch=k)
        losses = engine.record(batch, lambda x: esp.cross_entropy(esp.dropout(model(x), 0.1), 1))
        adam.step(engine.backward(losses))
    return model["0.weight"].numpy()


def test_two_engines_in_two_threads():
    """Both are inside at the same time, and the numbers are those of one after the other."""
    want, got, barrier = [train(1), train(2)], {}, threading.Barrier(2)

    def run(seed):
        barrier.wait()
        got[seed] = train(seed)

    in_threads(lambda: run(1), lambda: run(2))
    np.testing.assert_array_equal(got[1], want[0])
    np.testing.assert_array_equal(got[2], want[1])


def test_both_record_at_the_same_time():
    """Each waits for the other in the middle of its recording: the current graph belongs to the thread."""
    barrier, results = threading.Barrier(2), {}

    def run(k):
        engine = esp.Engine()

        def f(x):
            y = esp.tanh(x)
            barrier.wait()
            z = y + esp.full(64, float(k))
            barrier.wait()
            return z

        results[k] = engine.infer(ROWS[:4], f, stack=True)

    in_threads(lambda: run(1), lambda: run(2))
    for k in (1, 2):
        np.testing.assert_allclose(results[k], np.tanh(ROWS[:4]) + k, rtol=1e-5)


def test_one_engine_in_two_threads():
    """GraphError or a result, never a crash."""
    engine, model = esp.Engine(), esp.nn.MLP([64, 32, 4]).initialize(seed=1)
    want = engine.infer(ROWS, model, stack=True)
    counts = {"ok": 0, "refused": 0}
    kept = engine.record(ROWS, lambda x: esp.sum_elements(model(x)))

    def run():
        for k in range(40):
            try:
                np.testing.assert_array_equal(engine.infer(ROWS, model, stack=True), want)
                engine.backward(engine.record(ROWS[:8], lambda x: esp.sum_elements(model(x)))).norm()
                engine.counters(), engine.explain(kept), engine.backward(kept).norm()
                counts["ok"] += 1
            except esp.GraphError as e:
                assert "another thread" in str(e)
                counts["refused"] += 1

    in_threads(run, run, run)
    assert counts["ok"] + counts["refused"] == 120
    np.testing.assert_array_equal(engine.infer(ROWS, model, stack=True), want)


def test_an_engine_that_another_thread_is_recording_with():
    engine, inside, done = esp.Engine(), threading.Event(), threading.Event()

    def f(x):
        inside.set()
        done.wait()
        return esp.tanh(x)

    def other():
        inside.wait()
        try:
            for use in (lambda: engine.infer(ROWS, esp.tanh), lambda: engine.counters(), lambda: engine.graph(), lambda: setattr(engine, "seed", 3)):
                with pytest.raises(esp.GraphError, match="another thread is using the engine"):
                    use()
            repr(engine)
            with pytest.raises(esp.GraphError, match="nothing is being recorded"):
                esp.zeros(3)
        finally:
            done.set()

    in_threads(lambda: engine.infer(ROWS[:1], f), other)


def test_first_use_in_several_threads():
    model, barrier, want = esp.nn.Linear(64, 500), threading.Barrier(4), esp.nn.Linear(64, 500).initialize(seed=0).weight.numpy()
    results = []

    def run():
        barrier.wait()
        esp.Engine().infer(ROWS[:1], model)
        results.append(model.weight.numpy())

    in_threads(*[run] * 4)
    for r in results:
        np.testing.assert_array_equal(r, want)


def test_graphs_of_other_threads(engine):
    def leave(graph):
        with pytest.raises(esp.GraphError, match="another thread entered it"):
            graph.__exit__(None, None, None)

    def run():
        graph = engine.graph()
        graph.__enter__()
        in_threads(lambda: leave(graph))
        assert esp.ones(3).shape == (3,)
        graph.__exit__(None, None, None)
        with pytest.raises(esp.GraphError, match="nothing is being recorded"):
            esp.ones(3)
        # Freed in a thread that has not entered it: it stays the current graph of this one.
        lost = [engine.graph()]
        lost[0].__enter__()
        in_threads(lambda: (lost.clear(), gc.collect()))
        assert esp.ones(3).shape == (3,)

    in_threads(run)


def test_batches_freed_in_other_threads():
    engine, other, model = esp.Engine(), esp.Engine(), esp.nn.Linear(64, 4).initialize(seed=1)
    want = engine.infer(ROWS, model, stack=True)
    made, end = [], threading.Event()

    def free():
        while not end.is_set() or made:
            if made:
                made.pop()

    def make():
        try:
            for _ in range(100):
                made.append(engine.record(ROWS[:8], model))
                made.append(other.infer(ROWS[:8], model))
                np.testing.assert_array_equal(engine.infer(ROWS, model, stack=True), want)
                made.append(engine.backward(engine.record(ROWS[:8], lambda x: esp.sum_elements(model(x)))))
        finally:
            end.set()

    in_threads(make, free)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_gil_is_released_while_the_engine_runs(threads):
    """Another thread makes progress within a call, although it could never take the GIL from this one."""
    engine, model = esp.Engine(threads=threads), esp.nn.MLP([64, 256, 256, 8]).initialize(seed=1)
    batch = engine.record(ROWS, lambda x: esp.sum_elements(model(x)))
    gradients = engine.backward(batch)
    sgd = esp.optim.SGD(model.parameters(), lr=0.0)
    go, progress, end = threading.Semaphore(0), [], []

    def other():
        while not end:
            go.acquire()
            progress.append(1)

    interval = sys.getswitchinterval()
    thread = threading.Thread(target=other)
    thread.start()
    try:
        sys.setswitchinterval(1000)
        for call in (lambda: engine.backward(batch), lambda: engine.rerun(batch), lambda: sgd.step(gradients), gradients.norm,
                     lambda: engine.infer(engine.record(ROWS, model))):  # fmt: skip
            for _ in range(1000):  # the other thread may wake up too late
                before = len(progress)
                go.release()
                call()
                if len(progress) > before:
                    break
            else:
                pytest.fail("the other thread never ran")
    finally:
        end.append(True)
        go.release()
        sys.setswitchinterval(interval)
        thread.join()


# ---- Ctrl-C

LOOP = """
import signal, sys
import numpy as np
import espalier as esp
from conftest import floats

engine, model = esp.Engine(threads=int(sys.argv[1])), esp.nn.MLP([64, 64, 4]).initialize(seed=1)
rows = [floats(64, seed=i) for i in range(64)]
adam = esp.optim.Adam(model.parameters())

async def waits(x):
    await model(x)
    return esp.cross_entropy(model(x), 1)

f = waits if sys.argv[2] == "async" else lambda x: esp.cross_entropy(model(x), 1)
steps = 0
try:
    while True:
        adam.step(engine.backward(engine.record(rows, f, skip_bad=True)))
        steps += 1
        if steps == 3:
            print("ready", flush=True)
except KeyboardInterrupt:
    pass
assert adam.steps in (steps, steps + 1), (adam.steps, steps)
assert all(np.all(np.isfinite(p.numpy())) for p in model.parameters())
before = engine.infer(rows, model, stack=True)
gradients = engine.backward(engine.record(rows, f))
adam.step(gradients)
assert engine.infer(rows, model, stack=True).shape == (64, 4)
try:
    esp.zeros(3)
except esp.GraphError:
    print("usable", flush=True)
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", ["plain", "async"])
def test_ctrl_c(kind, threads):
    folders = [os.path.dirname(os.path.dirname(esp.__file__)), os.path.dirname(__file__)]
    process = subprocess.Popen([sys.executable, "-c", LOOP, str(threads), kind], env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
    assert process.stdout.readline() == "ready\n", process.stderr.read()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0 and out == "usable\n", err


def test_ctrl_c_within_an_example(engine):
    """The signal arrives while the user's function runs."""
    def f(x):
        if x is ROWS[2]:
            signal.raise_signal(signal.SIGINT)
        return esp.tanh(x)

    for more in ({}, {"skip_bad": True}):
        with pytest.raises(KeyboardInterrupt) as caught:
            engine.record(ROWS, f, **more)
        assert caught.value.__notes__ == ["example 2"]
    assert len(engine.infer(ROWS[:2], f)) == 2


# ---- fork

FORK = """
import gc, os, sys
import numpy as np
import espalier as esp

engine, model = esp.Engine(threads=int(sys.argv[1])), esp.nn.Linear(3, 2).initialize(seed=1)
rows = [np.ones(3, "f4")] * 8
batch = engine.record(rows, lambda x: esp.sum_elements(model(x)))
gradients = engine.backward(batch)
want = engine.infer(rows, model, stack=True)
child = os.fork()
if child == 0:
    refused = 0
    for use in (lambda: engine.infer(rows, model), lambda: engine.record(rows, model), lambda: engine.backward(batch), lambda: engine.counters(),
                lambda: engine.value(batch[0]), lambda: engine.graph(), lambda: engine.explain(batch), lambda: engine.wait(),
                lambda: engine.rerun(batch), lambda: engine.watch(batch[0]), lambda: engine.profile(), lambda: engine.reset_counters()):
        try:
            use()
        except esp.GraphError as e:
            assert "forked child" in str(e) and "make an engine in the child" in str(e), e
            refused += 1
    assert refused == 12, refused
    repr(engine)
    own = esp.Engine(threads=int(sys.argv[1]))
    np.testing.assert_array_equal(own.infer(rows, model, stack=True), want)
    adam = esp.optim.SGD(model.parameters(), lr=1)
    adam.step(own.backward(own.record(rows, lambda x: esp.sum_elements(model(x)))))
    del engine, batch, gradients
    gc.collect()
    print("child", flush=True)
    if sys.argv[2] == "exit":
        sys.exit(7)
    os._exit(7)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 7, status
np.testing.assert_array_equal(engine.infer(rows, model, stack=True), want)
assert engine.backward(batch).norm() == gradients.norm()
print("parent")
"""


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("end", ["exit", "_exit"])
def test_fork(threads, end):
    assert run_python(FORK, str(threads), end, timeout=60) == "child\nparent\n"


def test_exit_with_everything_alive():
    """The interpreter ends with engines, batches, waiting graphs and threads still there."""
    run_python("""
import threading
import numpy as np
import espalier as esp
engine, model = esp.Engine(threads=2), esp.nn.LSTM(3, 4)
batch = engine.record([np.ones(3)] * 4, lambda x: model(x).h)
values = engine.infer([np.ones(3)] * 4, lambda x: model(x).h)
graph = engine.graph()
graph.__enter__()
x = esp.ones(3)
cycle = [batch, values, graph, x]
cycle.append(cycle)
event = threading.Event()
threading.Thread(target=lambda: (esp.Engine().infer([1], lambda i: esp.ones(3)), event.set(), threading.Event().wait()), daemon=True).start()
event.wait()
""", timeout=60)


def test_import():
    """The package imports NumPy only when an array is needed, and nothing large."""
    loaded = run_python("import sys, espalier; print(*sys.modules)").split()
    assert "espalier" in loaded and "torch" not in loaded
