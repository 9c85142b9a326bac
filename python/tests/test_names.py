"""The names of the package: what a star imports, signatures, docstrings."""
import builtins
import inspect
import re

import pytest

import espalier as esp

PUBLIC = {name: getattr(esp, name) for name in dir(esp) if not name.startswith("_")}


def test_a_star_import_shadows_nothing():
    names = {}
    exec("from espalier import *", names)
    assert not {name for name in names if hasattr(builtins, name)} - {"__builtins__"}
    assert {"Engine", "Module", "nn", "optim", "tanh", "minibatches", "cell", "progress"} <= set(names)
    assert not {"json", "random", "sys", "input", "sum", "max", "IndexError"} & set(names)


def methods(kind):
    for name in dir(kind):
        if not name.startswith("_") and callable(getattr(kind, name)):
            yield getattr(kind, name)


def test_every_function_and_method_has_a_signature():
    without = []
    for name, value in PUBLIC.items():
        if isinstance(value, type) and issubclass(value, BaseException):
            continue
        for one in [value, *(methods(value) if isinstance(value, type) else ())]:
            if callable(one) and one not in (esp.Expr, esp.State, esp.Tensor, esp.Parameter, esp.Cell):
                try:
                    inspect.signature(one)
                except ValueError:
                    without.append(f"{name}: {one}")
    assert not without


@pytest.mark.parametrize("made, expected", [
    (lambda: esp.nn.LSTM(2, 3), "(x, state=None)"),
    (lambda: esp.nn.LSTM(2, 3).run, "(xs)"),
    (lambda: esp.nn.TreeLSTM(2, 3).node, "(left, right)"),
    (lambda: esp.nn.Linear(2, 3), "(x)"),
    (lambda: esp.nn.Linear, "(in_features: 'int', out_features: 'int', bias: 'bool' = True) -> 'None'"),
    (lambda: esp.softmax, "(x, axis=-1)"),
    (lambda: esp.input, "(array, name=None)"),
    (lambda: esp.cell(lambda x, h: x + h, x=(3,), h=(3,)), "(x, h)"),
    (lambda: esp.Parameter((2,)).assign, "(value, /)"),
    (lambda: esp.Parameter((2,)).initialize, "(seed=0)"),
])  # fmt: skip
def test_signature(made, expected):
    assert str(inspect.signature(made())) == expected


def test_signatures_of_other_modules():
    class Mine(esp.Module):
        def forward(self, x, y=1): ...

    assert str(inspect.signature(Mine())) == "(x, y=1)"
    with pytest.raises(ValueError):
        inspect.signature(esp.nn.TreeLSTM(2, 3))  # it has leaf() and node()


FUNCTIONS = {name: value for name, value in PUBLIC.items() if type(value) is type(esp.tanh)}
# Arguments whose names are also plain words or mathematical symbols.
WORDS = set("a b k n p x value values rows shape mask mean axis end order weight target name".split())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_docstring_names_no_argument_of_another_function(name):
    names = {f: set(inspect.signature(value).parameters) for f, value in FUNCTIONS.items()}
    words = set(re.findall(r"[A-Za-z_]\w*", FUNCTIONS[name].__doc__))
    others = set.union(*names.values()) | {"reverse"}
    assert not (words & others) - names[name] - WORDS
