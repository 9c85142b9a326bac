"""progress: on a terminal, in a notebook, and elsewhere."""
import io
import types

import pytest

import espalier as esp
from espalier import _progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that advances by a second whenever it is read."""
    seconds = iter(range(10**6))
    monkeypatch.setattr(_progress, "monotonic", lambda: float(next(seconds)))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def terminal(monkeypatch):
    made = Terminal()
    replace(monkeypatch, made)
    return made


def replace(monkeypatch, stderr, **modules):
    """pytest sets sys.stderr again between a fixture and its test."""
    monkeypatch.setattr(_progress, "sys", types.SimpleNamespace(stderr=stderr, modules=modules))


def test_a_terminal_has_one_line(clock, terminal):
    steps = esp.progress(esp.minibatches(list(range(10)), 4, seed=1), "epoch 3")
    sizes = []
    for batch in steps:
        sizes.append(len(batch))
        steps.show(loss=0.51234)
    assert sizes == [4, 4, 2]
    text = terminal.getvalue()
    assert text.count("\n") == 1 and text.endswith("\n") and "\n" not in text[:-1]
    first, *_, last = text.replace("\x1b[K", "").strip("\r\n").split("\r")
    assert first == "epoch 3  40%  4/10  2.00/s  0:03 left  loss 0.5123"
    assert last == "epoch 3  100%  10/10  1.43/s  0:07  loss 0.5123"


def test_iterables_without_a_length(clock, terminal):
    assert list(esp.progress(i for i in range(2))) == [0, 1]
    assert "%" not in terminal.getvalue() and "\r2  " in terminal.getvalue()
    assert list(esp.progress((i for i in range(2)), "read", total=4)) == [0, 1]
    assert "\rread  50%  2/4  " in terminal.getvalue()


def test_a_long_line_is_cut(clock, terminal, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    list(esp.progress([1], "x" * 50))
    assert terminal.getvalue() == "\r" + "x" * 19 + "\x1b[K" + "\r" + "x" * 19 + "\x1b[K\n"


def test_a_loop_that_ends_early_ends_the_line(clock, terminal):
    with pytest.raises(RuntimeError):
        for _ in esp.progress(range(5)):
            raise RuntimeError
    for _ in esp.progress(range(5)):
        break
    assert terminal.getvalue().count("\n") == 2 and "\r0%  0/5  " in terminal.getvalue()


def test_a_loop_over_a_progress_again(clock, terminal):
    steps = esp.progress([1, 2])
    assert list(steps) == list(steps) == [1, 2] and "4/2" not in terminal.getvalue()


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_elsewhere_nothing_is_written(clock, monkeypatch, term):
    out = Terminal() if term == "dumb" else io.StringIO()
    replace(monkeypatch, out)
    monkeypatch.setenv("TERM", term)
    assert list(esp.progress([1, 2])) == [1, 2] and out.getvalue() == ""
    replace(monkeypatch, None)  # of pythonw
    assert list(esp.progress([1, 2])) == [1, 2]


class Handle:
    def __init__(self, shown):
        self.shown = shown

    def update(self, data, raw):
        assert raw
        self.shown.append(("update", data["text/plain"]))


@pytest.mark.parametrize("kernel", [object(), None])
def test_a_notebook_has_one_output(clock, terminal, monkeypatch, kernel):
    shown = []

    def display(data, raw, display_id):
        assert raw and display_id
        shown.append(("display", data["text/plain"]))
        return Handle(shown)

    shell = types.SimpleNamespace(kernel=kernel)
    ipython = types.SimpleNamespace(get_ipython=lambda: shell, display=types.SimpleNamespace(display=display))
    replace(monkeypatch, terminal, IPython=ipython)
    list(esp.progress([1, 2], "x"))
    if kernel is None:  # IPython in a terminal
        assert not shown and terminal.getvalue()
    else:
        assert [kind for kind, _ in shown] == ["display", "update", "update"] and terminal.getvalue() == ""
        assert shown[-1][1].startswith("x  100%  2/2  ")


def test_ipython_is_not_imported():
    from conftest import run_python

    run_python("import sys, espalier as esp; list(esp.progress([1])); assert 'IPython' not in sys.modules")
