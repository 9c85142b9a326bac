"""Optimisers, schedules and moving averages against formulas in NumPy."""
import inspect
import math

import numpy as np
import pytest
from conftest import floats

import espalier as esp

START, SLOPES = floats(3, 4, seed=1), [floats(3, 4, seed=i) for i in range(2, 7)]


class Model(esp.Module):
    def __init__(self):
        self.W = esp.Parameter((3, 4), init=START)
        self.b = esp.Parameter((4,), init=[1, 2, 3, 4])


def gradients_of(engine, model, slope, also=0.0):
    """Gradients that are `slope` for W, and `also` for each element of b."""
    batch = engine.record([0], lambda _: esp.sum_elements(esp.input(slope) * model.W) + also * esp.sum_elements(model.b))
    return engine.backward(batch)


def sgd(g, p, s, t, lr=0.1, momentum=0.0, nesterov=False, weight_decay=0.0):
    g = g + weight_decay * p
    s["v"] = momentum * s.get("v", 0) + g
    return p - lr * (g + momentum * s["v"] if nesterov else s["v"] if momentum else g)


def adagrad(g, p, s, t, lr=1e-2, lr_decay=0.0, weight_decay=0.0, initial=0.0, eps=1e-10):
    g = g + weight_decay * p
    s["v"] = s.get("v", initial) + g**2
    return p - lr / (1 + (t - 1) * lr_decay) * g / (np.sqrt(s["v"]) + eps)


def adadelta(g, p, s, t, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0.0):
    g = g + weight_decay * p
    s["v"] = rho * s.get("v", 0) + (1 - rho) * g**2
    d = np.sqrt(s.get("u", 0) + eps) / np.sqrt(s["v"] + eps) * g
    s["u"] = rho * s.get("u", 0) + (1 - rho) * d**2
    return p - lr * d


def rmsprop(g, p, s, t, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0.0, momentum=0.0, centered=False):
    g = g + weight_decay * p
    s["v"] = alpha * s.get("v", 0) + (1 - alpha) * g**2
    v = s["v"]
    if centered:
        s["m"] = alpha * s.get("m", 0) + (1 - alpha) * g
        v = v - s["m"] ** 2
    s["b"] = momentum * s.get("b", 0) + g / (np.sqrt(v) + eps)
    return p - lr * s["b"]


def adam(g, p, s, t, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, amsgrad=False, decoupled=False):
    if decoupled:
        p = p * (1 - lr * weight_decay)
    else:
        g = g + weight_decay * p
    s["m"] = betas[0] * s.get("m", 0) + (1 - betas[0]) * g
    s["v"] = betas[1] * s.get("v", 0) + (1 - betas[1]) * g**2
    v = s["x"] = np.maximum(s.get("x", 0), s["v"]) if amsgrad else s["v"]
    return p - lr / (1 - betas[0] ** t) * s["m"] / (np.sqrt(v / (1 - betas[1] ** t)) + eps)


def adamw(g, p, s, t, weight_decay=1e-2, **more):
    return adam(g, p, s, t, weight_decay=weight_decay, decoupled=True, **more)


def cyclical(g, p, s, t, base_lr=0.01, max_lr=0.1, step_size=2000, gamma=1.0, **more):
    at = (t - 1) % (2 * step_size)
    height = (at if at <= step_size else 2 * step_size - at) / step_size * gamma ** (t - 1)
    return sgd(g, p, s, t, lr=base_lr + (max_lr - base_lr) * height, **more)


CASES = [
    ("SGD", sgd, {}), ("SGD", sgd, dict(lr=0.5, momentum=0.9)), ("SGD", sgd, dict(momentum=0.9, nesterov=True, weight_decay=0.1)),
    ("CyclicalSGD", cyclical, dict(step_size=3)), ("CyclicalSGD", cyclical, dict(base_lr=0.1, max_lr=0.5, step_size=2, gamma=0.9, momentum=0.5)),
    ("Adagrad", adagrad, {}), ("Adagrad", adagrad, dict(lr=0.5, lr_decay=0.1, weight_decay=0.1)),
    ("Adadelta", adadelta, {}), ("Adadelta", adadelta, dict(lr=0.5, rho=0.5, eps=1e-3, weight_decay=0.1)),
    ("RMSprop", rmsprop, {}), ("RMSprop", rmsprop, dict(lr=0.1, alpha=0.5, momentum=0.9, centered=True, weight_decay=0.1)),
    ("Adam", adam, {}), ("Adam", adam, dict(lr=0.1, betas=(0.5, 0.9), eps=1e-3, weight_decay=0.1, amsgrad=True)),
    ("AdamW", adamw, {}), ("AdamW", adamw, dict(lr=0.1, weight_decay=0.5, amsgrad=True)),
]  # fmt: skip


@pytest.mark.parametrize("name, formula, options", CASES)
def test_steps(name, formula, options, engine):
    model = Model()
    optimizer = getattr(esp.optim, name)(model.parameters(), **options)
    want, state = START.astype("f8"), {}
    for t, slope in enumerate(SLOPES, 1):
        optimizer.step(gradients_of(engine, model, slope))
        want = formula(slope.astype("f8"), want, state, t, **options)
        np.testing.assert_allclose(model.W.numpy(), want, rtol=2e-4, atol=2e-5)
    assert optimizer.steps == 5 and name in repr(optimizer) and "steps=5" in repr(optimizer)


def test_initial_accumulator(engine):
    model = Model()
    optimizer = esp.optim.Adagrad(model.parameters(), 0.1, initial_accumulator_value=4.0)
    optimizer.step(gradients_of(engine, model, SLOPES[0]))
    np.testing.assert_allclose(model.W.numpy(), adagrad(SLOPES[0], START, {}, 1, lr=0.1, initial=4.0), rtol=1e-4)


def test_clipping(engine):
    model = Model()
    esp.optim.SGD(model.parameters(), lr=1, clip_norm=0.5).step(gradients_of(engine, model, SLOPES[0]))
    np.testing.assert_allclose(model.W.numpy(), START - SLOPES[0] * 0.5 / np.linalg.norm(SLOPES[0]), rtol=1e-3, atol=1e-5)


def test_sparse_tables(engine):
    table = esp.nn.Embedding(5, 3).initialize(seed=1)
    before = table.weight.numpy()
    adam_ = esp.optim.Adam(table.parameters(), lr=0.1)
    for _ in range(2):
        adam_.step(engine.backward(engine.record([1, 3, 3], lambda i: esp.sum_elements(table(i)))))
    after = table.weight.numpy()
    np.testing.assert_array_equal(after[[0, 2, 4]], before[[0, 2, 4]])
    np.testing.assert_allclose(after[[1, 3]], before[[1, 3]] - 0.2, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", [list, tuple, iter])
def test_groups(kind, engine):
    model = Model()
    groups = kind([{"params": [model.W], "lr": 0.5, "weight_decay": 0.2}, {"params": model.b}])
    optimizer = esp.optim.SGD(groups, lr=0.1)
    optimizer.step(gradients_of(engine, model, SLOPES[0], 2.0))
    np.testing.assert_allclose(model.W.numpy(), START - 0.5 * (SLOPES[0] + 0.2 * START), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model.b.numpy(), np.array([1, 2, 3, 4]) - 0.2, rtol=1e-5)
    optimizer.lr = 0.2
    before = model.b.numpy()
    optimizer.step(gradients_of(engine, model, 0 * SLOPES[0], 1.0))
    np.testing.assert_allclose(model.b.numpy(), before - 0.2, rtol=1e-5)


def test_groups_by_pattern(engine):
    model = Model()
    optimizer = esp.optim.SGD(model.parameters(), lr=0.1)
    optimizer.group("b*", lr_factor=0)
    optimizer.step(gradients_of(engine, model, SLOPES[0], 2.0))
    np.testing.assert_array_equal(model.b.numpy(), [1, 2, 3, 4])
    assert np.any(model.W.numpy() != START)


def test_what_parameters_may_be(engine):
    model = Model()
    for params in (model, model.parameters(), tuple(model.parameters()), iter(model.parameters()), model.named_parameters(), [model.W], model.W,
                   dict(model.named_parameters()).values()):  # fmt: skip
        model.W.assign(START)
        esp.optim.SGD(params, lr=1).step(gradients_of(engine, model, SLOPES[0]))
        np.testing.assert_allclose(model.W.numpy(), START - SLOPES[0], rtol=1e-5, atol=1e-6)
    first, second = Model(), Model()
    for params, kind, text in [
        ([], ValueError, "there are no parameters"), ([5], TypeError, "no Parameter"), (5, TypeError, ""), ("W", TypeError, ""), (None, TypeError, ""),
        ([{"params": [model.W], "momentum": 1}], ValueError, "only params, lr and weight_decay"),
        ([first.W, second.W], esp.GraphError, "two parameters are named 'W'"), ([{"lr": 1}], (KeyError, ValueError), "params"),
    ]:  # fmt: skip
        with pytest.raises(kind, match=text):
            esp.optim.SGD(params, lr=1)
    with pytest.raises(ValueError, match="lr is 0"):
        esp.optim.SGD([{"params": [model.W], "lr": 1}], lr=0)


def test_wrong_settings(engine):
    model = Model()
    for make in (lambda p: esp.optim.SGD(p, lr=-1), lambda p: esp.optim.Adam(p, lr=math.nan), lambda p: esp.optim.Adam(p, betas=(1.5, 0.9)),
                 lambda p: esp.optim.SGD(p, weight_decay=-1), lambda p: esp.optim.RMSprop(p, alpha=2)):  # fmt: skip
        with pytest.raises(esp.Error, match="test_optim.py"):
            make(model.parameters())
    with pytest.raises(TypeError):
        esp.optim.Adam(model.parameters(), betas=0.9)
    with pytest.raises(TypeError):
        esp.optim.Adam(model.parameters(), lr="a")
    optimizer = esp.optim.Adam(model.parameters())
    with pytest.raises(esp.Error):
        optimizer.lr = -1
    for bad in (5, None, [1]):
        with pytest.raises((TypeError, AttributeError)):
            optimizer.step(bad)
    for bad in (5, lambda n: 0.1, esp.optim.ReduceLROnPlateau(0.1)):
        with pytest.raises(TypeError, match="schedule"):
            optimizer.set_schedule(bad)


def test_steps_after_other_modules_have_named_the_parameters(engine):
    model = Model()

    class Whole(esp.Module):
        def __init__(self):
            self.part = model

    optimizer = esp.optim.SGD(model.parameters(), lr=1)
    whole = Whole()
    assert [p.name for p in whole.parameters()] == ["part.W", "part.b"]
    optimizer.step(gradients_of(engine, model, SLOPES[0]))
    np.testing.assert_allclose(model.W.numpy(), START - SLOPES[0], rtol=1e-5, atol=1e-6)


def test_an_optimizer_outlives_its_model(engine):
    model = Model()
    optimizer, gradients = esp.optim.Adam(model.parameters()), gradients_of(engine, model, SLOPES[0])
    del model
    optimizer.step(gradients)
    assert optimizer.steps == 1


# ---- schedules


def cosine(t, lr=0.1, t_max=10, low=0.01):
    return low + (lr - low) * (1 + math.cos(math.pi * t / t_max)) / 2


SCHEDULES = [
    (lambda o: o.StepLR(0.1, 3), lambda t: 0.1 * 0.1 ** (t // 3)),
    (lambda o: o.StepLR(0.1, step_size=2, gamma=0.5), lambda t: 0.1 * 0.5 ** (t // 2)),
    (lambda o: o.ExponentialLR(0.1, 0.9), lambda t: 0.1 * 0.9**t),
    (lambda o: o.CosineAnnealingLR(0.1, 10, 0.01), cosine),
    (lambda o: o.LinearLR(0.1, 4), lambda t: 0.1 * (1 / 3 + 2 / 3 * min(t, 4) / 4)),
    (lambda o: o.LinearLR(0.1, total_iters=4, start_factor=1, end_factor=0), lambda t: 0.1 * (1 - min(t, 4) / 4)),
    (lambda o: o.CyclicLR(0.1, 0.5, 4), lambda t: 0.1 + 0.4 * (t % 8 if t % 8 <= 4 else 8 - t % 8) / 4),
    (lambda o: o.CyclicLR(0.1, 0.5, step_size_up=2, step_size_down=3, mode="triangular2"),
     lambda t: 0.1 + 0.4 * (t % 5 / 2 if t % 5 <= 2 else (5 - t % 5) / 3) * 0.5 ** (t // 5)),
    (lambda o: o.CyclicLR(0.1, 0.5, 2, mode="exp_range", gamma=0.9), lambda t: 0.1 + 0.4 * (t % 4 if t % 4 <= 2 else 4 - t % 4) / 2 * 0.9**t),
    (lambda o: o.WarmUp(3, o.CosineAnnealingLR(0.1, 10, 0.01), 0.2), lambda t: 0.1 * (0.2 + 0.8 * t / 3) if t < 3 else cosine(t - 3)),
]  # fmt: skip


@pytest.mark.parametrize("make, formula", SCHEDULES)
def test_schedules(make, formula, engine):
    schedule = make(esp.optim)
    for t in range(14):
        assert schedule(t) == pytest.approx(formula(t), rel=1e-5)
    model = Model()
    optimizer = esp.optim.SGD(model.parameters(), lr=99)
    optimizer.set_schedule(schedule)
    want = START.astype("f8")
    for t, slope in enumerate(SLOPES):
        optimizer.step(gradients_of(engine, model, slope))
        assert optimizer.lr == pytest.approx(formula(t), rel=1e-5)
        want = want - formula(t) * slope
    np.testing.assert_allclose(model.W.numpy(), want, rtol=1e-4, atol=1e-5)


def test_schedules_against_torch():
    torch = pytest.importorskip("torch")
    lr = torch.optim.lr_scheduler
    for make, mine in [
        (lambda o: lr.StepLR(o, 3, 0.5), esp.optim.StepLR(0.1, 3, 0.5)),
        (lambda o: lr.ExponentialLR(o, 0.9), esp.optim.ExponentialLR(0.1, 0.9)),
        (lambda o: lr.CosineAnnealingLR(o, 10, 0.01), esp.optim.CosineAnnealingLR(0.1, 10, 0.01)),
        (lambda o: lr.LinearLR(o, 1 / 3, 1, 4), esp.optim.LinearLR(0.1, 4)),
    ]:
        optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
        schedule = make(optimizer)
        for t in range(9):
            assert mine(t) == pytest.approx(optimizer.param_groups[0]["lr"], rel=1e-4)
            optimizer.step()
            schedule.step()


def test_wrong_schedules():
    o = esp.optim
    for make in (lambda: o.StepLR(0.1, 0), lambda: o.ExponentialLR(-1, 1), lambda: o.CyclicLR(0.1, 1, mode="square"),
                 lambda: o.LinearLR(0.1, 3, 2.0), lambda: o.ReduceLROnPlateau(0.1, mode="up")):  # fmt: skip
        with pytest.raises(esp.Error, match="test_optim.py"):
            make()
    with pytest.raises(TypeError, match="must be a schedule"):
        o.WarmUp(3, 5)
    for make, kind, text in [
        (lambda: o.StepLR("a", 3), TypeError, "StepLR: lr is 'a'; it must be a number"), (lambda: o.StepLR(0.1, -3), ValueError, "step_size is -3"),
        (lambda: o.StepLR(0.1, 2.5), TypeError, "step_size is 2.5; it must be an integer"), (lambda: o.CyclicLR(0.1, 1, mode=5), TypeError, "mode is 5"),
        (lambda: o.ReduceLROnPlateau(0.1, threshold_mode="x"), ValueError, "threshold_mode is 'x'"),
        (lambda: o.ReduceLROnPlateau(0.1).step("a"), TypeError, "metric is 'a'"),
    ]:  # fmt: skip
        with pytest.raises(kind, match=text) as caught:
            make()
        assert "test_optim.py" in str(caught.value)


def test_documented():
    for name in esp.optim.__all__:
        c = getattr(esp.optim, name)
        assert len(inspect.signature(c).parameters) >= 2 or name == "MovingAverage", name


def test_plateau():
    plateau = esp.optim.ReduceLROnPlateau(1.0, factor=0.5, patience=1, cooldown=1)
    rates = [plateau.step(m) for m in (3, 2, 2, 2, 2, 2, 2, 1, 1)]
    assert rates == [1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25] and plateau.lr == 0.25
    other = esp.optim.ReduceLROnPlateau(1.0, factor=0.5, patience=1, cooldown=1)
    other.load_state_dict(plateau.state_dict())
    assert other.lr == 0.25 and [other.step(5), other.step(5)] == [plateau.step(5), plateau.step(5)]
    up = esp.optim.ReduceLROnPlateau(1.0, mode="max", patience=0, threshold=0.5, threshold_mode="abs")
    assert up.step(1) == 1 and up.step(1.4) == pytest.approx(0.1) and up.step(2) == pytest.approx(0.1)
    with pytest.raises(esp.Error):
        other.load_state_dict("nonsense")


# ---- moving averages


def test_moving_average(engine):
    model = Model()
    average, sgd_ = esp.optim.MovingAverage(model.parameters(), 0.75), esp.optim.SGD(model.parameters(), lr=0.1)
    want, p = START.astype("f8"), START.astype("f8")
    for i, slope in enumerate(SLOPES):
        if i % 2:
            average.step(sgd_, gradients_of(engine, model, slope))
        else:
            sgd_.step(gradients_of(engine, model, slope))
            average.update()
        p = p - 0.1 * slope
        want = 0.75 * want + 0.25 * p
    np.testing.assert_allclose(average.tensors()["W"].numpy(), want, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model.W.numpy(), p, rtol=1e-4, atol=1e-5)
    with average.swapped() as a:
        assert a is average
        np.testing.assert_allclose(model.W.numpy(), want, rtol=1e-4, atol=1e-5)
        with pytest.raises(esp.Error):
            average.swap_in()
        with pytest.raises(esp.Error):
            average.update()
    np.testing.assert_allclose(model.W.numpy(), p, rtol=1e-4, atol=1e-5)
    with pytest.raises(ZeroDivisionError):
        with average.swapped():
            1 / 0
    np.testing.assert_allclose(model.W.numpy(), p, rtol=1e-4, atol=1e-5)
    with pytest.raises(esp.Error):
        average.swap_out()
    with pytest.raises(esp.Error):
        esp.optim.MovingAverage(model.parameters(), 1.5)
