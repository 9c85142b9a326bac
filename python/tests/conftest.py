"""Fixtures and comparisons that several files use. PYTHONPATH names the folder that holds the built package."""
import os
import subprocess
import sys

import numpy as np
import pytest

import espalier as esp


@pytest.fixture
def engine():
    return esp.Engine()


@pytest.fixture
def ref():
    return esp.Engine(device="ref")


@pytest.fixture
def graph(engine):
    """The engine, within `with engine.graph():`."""
    with engine.graph():
        yield engine


def run_python(source, *arguments, **more):
    """Runs a program in another process, with this package and this folder in its path. Returns its output."""
    folders = [os.path.dirname(os.path.dirname(esp.__file__)), os.path.dirname(__file__)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    done = subprocess.run([sys.executable, "-c", source, *arguments], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **more)  # fmt: skip
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def floats(*shape, seed=0, lo=-1.0, hi=1.0):
    return np.random.default_rng(seed).uniform(lo, hi, shape).astype("f4")


def here(frame_line):
    """The end of a message about this line of a test."""
    return f":{frame_line})"


def analytic(engine, f, arrays):
    """Value and gradients of Σ w·f(arrays) with fixed random weights w."""
    def loss(_):
        y = f(*[esp.input(a, name=str(i)) for i, a in enumerate(arrays)])
        return esp.sum_elements(y * floats(*y.shape, seed=77))

    losses = engine.record([0], loss)
    gradients = engine.backward(losses)
    by_name = gradients.inputs
    return gradients.loss.item(), [by_name[str(i)][0] for i in range(len(arrays))]


def numeric(engine, f, arrays, h=0.02):
    """The gradients by differences of fourth order, all of them in one batch."""
    moved = []
    for i, a in enumerate(arrays):
        for at in np.ndindex(a.shape):
            for k in (-2, -1, 1, 2):
                others = [b.copy() for b in arrays]
                others[i][at] += np.float32(k * h)
                moved.append(others)

    def loss(values):
        y = f(*[esp.input(a) for a in values])
        return esp.sum_elements(y * floats(*y.shape, seed=77))

    values = engine.infer(moved, loss, stack=True).astype("f8").reshape(-1, 4)
    slopes = values @ np.array([1, -8, 8, -1]) / (12 * h)
    result, first = [], 0
    for a in arrays:
        result.append(slopes[first : first + a.size].reshape(a.shape))
        first += a.size
    return result


def check_gradient(engine, f, arrays, rtol=2e-3, atol=2e-3):
    arrays = [np.asarray(a, "f4") for a in arrays]
    _, got = analytic(engine, f, arrays)
    for g, want in zip(got, numeric(engine, f, arrays), strict=True):
        np.testing.assert_allclose(g, want, rtol=rtol, atol=atol)
