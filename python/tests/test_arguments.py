"""Arguments of the wrong kind are refused by name, with the user's line, and not in the words of C++."""
import inspect

import numpy as np
import pytest
from conftest import floats

import espalier as esp

X, LINEAR = floats(3), esp.nn.Linear(3, 2).initialize(seed=1)
ENGINE = esp.Engine()


def loss(x):
    return esp.sum_elements(LINEAR(x))


def gradients():
    return ENGINE.backward(ENGINE.record([X], loss))


CASES = [
    (lambda: esp.Engine(threads="two"), TypeError, "threads is 'two'; it must be an integer"),
    (lambda: esp.Engine(5), TypeError, "device is 5; it must be a string"),
    (lambda: esp.Engine(seed=-1), ValueError, "seed is -1; it must be at least 0"),
    (lambda: esp.Engine(seed=1.5), TypeError, "seed is 1.5"),
    (lambda: esp.Engine(memory_limit=2**64), ValueError, "memory_limit"),
    (lambda: setattr(ENGINE, "seed", "a"), TypeError, "seed is 'a'"),
    (lambda: ENGINE.record([X], loss, epoch=-1), ValueError, "epoch is -1"),
    (lambda: ENGINE.record([X], loss, ids=["a"]), TypeError, "an id is 'a'"),
    (lambda: ENGINE.record([X], loss, max_rounds=None), TypeError, "max_rounds is None"),
    (lambda: ENGINE.record([X]), TypeError, "f is missing"),
    (lambda: ENGINE.record([X], loss, mode="test"), esp.OptionError, "mode 'test' is unknown; it must be train or infer"),
    (lambda: ENGINE.infer(5, loss), TypeError, "the first argument is an int; it must be a list"),
    (lambda: ENGINE.backward([], scale="a"), TypeError, "scale is 'a'; it must be a number"),
    (lambda: ENGINE.backward(None), TypeError, "hold no Expr"),
    (lambda: ENGINE.backward(5), TypeError, "hold no Expr"),
    (lambda: ENGINE.value(None), TypeError, "hold no Expr"),
    (lambda: ENGINE.value([1, 2]), TypeError, "hold no Expr"),
    (lambda: ENGINE.watch("x"), TypeError, "x is a str"),
    (lambda: ENGINE.explain(5), TypeError, "an int is given; it must be a Batch or GraphContext"),
    (lambda: ENGINE.dry_run([X]), TypeError, "a list is given"),
    (lambda: ENGINE.rerun(None), TypeError, "None is given; it must be a Batch"),
    (lambda: gradients().clip_norm("a"), TypeError, "limit is 'a'"),
    (lambda: gradients().__iadd__(5), TypeError, "an int is given; it must be a Gradients"),
    (lambda: gradients().__imul__("a"), TypeError, "the factor is 'a'"),
    (lambda: gradients().of(5), TypeError, "an int is given; a Parameter or a watched Expr is needed"),
    (lambda: esp.optim.Adam(LINEAR, lr="a"), TypeError, "Adam: lr is 'a'; it must be a number"),
    (lambda: esp.optim.Adam(LINEAR, betas=0.9), TypeError, "betas is 0.9; it must be two numbers"),
    (lambda: esp.optim.Adam(LINEAR, betas=(0.9, "a")), TypeError, "betas is 'a'; it must be a number"),
    (lambda: esp.optim.SGD(LINEAR, momentum=None), TypeError, "SGD: momentum is None"),
    (lambda: esp.optim.SGD(LINEAR).step(5), TypeError, "an int is given; it must be a Gradients"),
    (lambda: setattr(esp.optim.SGD(LINEAR), "lr", "a"), TypeError, "lr is 'a'"),
    (lambda: esp.optim.SGD(LINEAR).group(5), TypeError, "pattern is 5"),
    (lambda: esp.optim.SGD(5), TypeError, "an int is given; module.parameters() is needed"),
    (lambda: esp.optim.MovingAverage(LINEAR, "a"), TypeError, "decay is 'a'"),
    (lambda: esp.optim.MovingAverage(LINEAR).step(5, 6), TypeError, "it must be a Optimizer"),
    (lambda: esp.minibatches([1, 2], "4"), TypeError, "size is '4'"),
    (lambda: esp.minibatches([1, 2], 0), esp.Error, "batch = 0"),
    (lambda: esp.minibatches([1, 2], 1, seed=-1), ValueError, "seed is -1"),
    (lambda: esp.save(LINEAR, "unused", metadata={"a": 5}), TypeError, "metadata['a'] is 5; it must be a string"),
    (lambda: esp.save(LINEAR, "unused", epoch="a"), TypeError, "epoch is 'a'"),
    (lambda: esp.save([LINEAR], "unused"), TypeError, "a list is given; a Module is needed"),
    (lambda: esp.load(5, "unused"), TypeError, "an int is given; a Module is needed"),
    (lambda: ENGINE.record([X], lambda x: esp.input(x, name=5)), TypeError, "name is an int; it must be a string"),
    (lambda: ENGINE.record([X], lambda x: esp.emit(5, LINEAR(x))), TypeError, "metric is an int"),
    (lambda: ENGINE.record([X], lambda x: esp.emit("a", LINEAR(x), "b")), TypeError, "label is a str; it must be an integer"),
    (lambda: ENGINE.record([X], lambda x: esp.emit("a", LINEAR(x), 2**40)), IndexError, "label"),
    (lambda: LINEAR[0], TypeError, "the name of a parameter is 0"),
    (lambda: esp.Tensor(None), TypeError, "NoneType is given"),
]


@pytest.mark.parametrize("call, kind, text", CASES)
def test_refused(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value) and "(test_arguments.py:" in str(caught.value), caught.value


def test_modules_are_no_sequences():
    for use in (lambda: list(LINEAR), lambda: "weight" in LINEAR, lambda: len(LINEAR)):
        with pytest.raises(TypeError):
            use()


def test_numbers_of_numpy():
    """What has the protocol of an integer or a number is one."""
    engine = esp.Engine(threads=np.int64(1), seed=np.uint8(3))
    assert engine.seed == 3
    batch = engine.record([X], loss, ids=np.array([4]), epoch=np.int32(1))
    gradients = engine.backward(batch, scale=np.float32(0.5))
    gradients *= np.float64(2)
    esp.optim.SGD(LINEAR, lr=np.float32(0.1), momentum=0).step(gradients)
    assert len(esp.minibatches([1, 2, 3], np.int64(2))) == 2


def public(owner):
    return {n: x for n, x in vars(owner).items() if not n.startswith("_") and not inspect.ismodule(x)}


def test_everything_public_has_a_docstring():
    missing = []
    for module in (esp, esp.nn, esp.optim, esp.init, esp.data):
        for name, x in public(module).items():
            if x is esp.Recorded:  # not yet what it will be
                continue
            if not callable(x) or getattr(x, "__module__", "").split(".")[0] != "espalier":
                continue
            if not getattr(x, "__doc__", None):
                missing.append(f"{module.__name__}.{name}")
            if inspect.isclass(x):
                missing += [f"{module.__name__}.{name}.{n}" for n, m in public(x).items()
                            if (callable(m) or isinstance(m, property)) and not m.__doc__]
    assert not missing, "\n".join(missing)
