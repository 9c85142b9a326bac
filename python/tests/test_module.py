"""Module and Parameter: names, values, copies."""
import copy
import ctypes
import gc
import pickle
import weakref
from dataclasses import dataclass

import numpy as np
import pytest
from conftest import floats

import espalier as esp


class Mixed(esp.Module):
    def __init__(self, n=3):
        self.first = esp.nn.Linear(n, 2)
        self.W = esp.Parameter((2, n))
        self.layers = [esp.nn.Linear(2, 2), esp.nn.Linear(2, 2)]
        self.by_name = {"a": esp.nn.Linear(2, 1), "b": [esp.Parameter((4,)), {"deep": esp.Parameter(())}]}
        self.pair = (esp.Parameter((1,)), esp.nn.Embedding(3, 2))
        self.size, self.text, self.nothing = n, "text", None


NAMES = ["first.weight", "first.bias", "W", "layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias",
         "by_name.a.weight", "by_name.a.bias", "by_name.b.0", "by_name.b.1.deep", "pair.0", "pair.1.weight"]  # fmt: skip


def names(module):
    return [n for n, _ in module.named_parameters()]


def test_names():
    model = Mixed()
    assert names(model) == NAMES == list(model.state_dict()) == [p.name for p in model.parameters()]
    assert model["layers.1.bias"] is model.layers[1].bias and model["W"] is model.W
    with pytest.raises(KeyError, match="no parameter 'layer.1.bias'; the nearest are layers.1.bias"):
        model["layer.1.bias"]
    assert [n for n, _ in model.named_modules()] == ["", "first", "layers.0", "layers.1", "by_name.a", "pair.1"]
    assert model.modules()[0] is model


def test_lists_that_grow():
    model = Mixed()
    model.layers.append(esp.nn.Linear(2, 3))
    model.by_name["c"] = esp.Parameter((2,))
    assert names(model)[7:9] == ["layers.2.weight", "layers.2.bias"] and "by_name.c" in names(model)
    assert model.layers[2].weight.name == "layers.2.weight"
    del model.layers[0]
    assert "layers.2.weight" not in names(model) and model.layers[0].weight.name == "layers.0.weight"


def test_shared_parts():
    class Shared(esp.Module):
        def __init__(self):
            self.a = esp.nn.Linear(2, 2)
            self.b = self.a
            self.c = [self.a, esp.nn.Linear(2, 2)]
            self.W = esp.Parameter((3,))
            self.tied = self.W

    model = Shared()
    assert names(model) == ["a.weight", "a.bias", "c.1.weight", "c.1.bias", "W"]
    assert len(model.parameters()) == 5
    sgd = esp.optim.SGD(model.parameters(), lr=1)
    before = model.a.bias.numpy().copy()
    engine = esp.Engine()
    sgd.step(engine.backward(engine.record([0], lambda _: esp.sum_elements(model.b(model.c[0]([1, 2]))))))
    assert not np.array_equal(model.a.bias.numpy(), before)


def test_two_parameters_of_one_name():
    model = Mixed()
    model.by_name[1] = esp.Parameter((1,))
    model.by_name["1"] = esp.Parameter((1,))
    with pytest.raises(esp.GraphError, match=r"two parameters are named 'by_name.1' \(test_module.py"):
        model.state_dict()


def test_cycles():
    class Node(esp.Module):
        def __init__(self):
            self.W = esp.Parameter((2,))

    a, b = Node(), Node()
    a.other, b.other = b, a
    assert names(a) == ["W", "other.W"] and names(b) == ["W", "other.W"]
    a.list = []
    a.list.append(a.list)
    assert names(a) == ["W", "other.W"] and repr(a)
    reference = weakref.ref(a)
    del a, b
    gc.collect()
    assert reference() is None


def test_names_seen_from_a_part():
    """A part's own view names the parameters of its dict; their full names stay."""
    model = Mixed()
    assert names(model.layers[0]) == ["weight", "bias"] == list(model.layers[0].state_dict())
    assert model.layers[0].weight.name == "layers.0.weight"
    groups = [{"params": model.layers[0].parameters(), "lr": 0.5}, {"params": model.layers[1].parameters()}]
    esp.optim.SGD(groups, lr=1.0)
    esp.optim.Adam([*model.layers[0].parameters(), *model.layers[1].parameters()])
    # The values are the same, whoever asks for them first.
    other = Mixed()
    model.initialize(seed=2)
    other.layers[1].initialize(seed=2)
    np.testing.assert_array_equal(other.layers[1].weight.numpy(), model.layers[1].weight.numpy())
    # Another name as a part of another module.
    class Whole(esp.Module):
        def __init__(self, part):
            self.part = part

    whole = Whole(model)
    assert whole.part.W.name == "part.W" and whole.part.first.weight.name == "part.first.weight"


def test_replaced_attributes():
    model = Mixed()
    old = model.first
    model.first = esp.nn.Linear(5, 2)
    assert model["first.weight"].shape == (2, 5) and names(model)[:2] == ["first.weight", "first.bias"]
    model.W = esp.Parameter((7,))
    assert model["W"].shape == (7,) and model.W.name == "W"
    model.first = None
    assert "first.weight" not in names(model)
    del model.W
    assert "W" not in names(model)
    with pytest.raises(AttributeError):
        model.W
    assert old.weight.shape == (2, 3)


def test_parameters_of_the_library_cannot_be_replaced():
    """The C++ module would go on with its own."""
    linear, table = esp.nn.Linear(3, 4), esp.nn.Embedding(4, 3)
    with pytest.raises(AttributeError, match=r"assign\(array\) sets its values"):
        linear.weight = table.weight
    with pytest.raises(AttributeError, match="cannot be replaced or deleted"):
        del linear.weight
    linear.note = "fine"
    del linear.note


def test_initialize():
    first, second = Mixed().initialize(seed=1), Mixed().initialize(seed=1)
    other = Mixed().initialize(seed=2)
    for n in NAMES:
        np.testing.assert_array_equal(first[n].numpy(), second[n].numpy())
    assert not np.array_equal(first.W.numpy(), other.W.numpy())
    assert not np.array_equal(first.layers[0].weight.numpy(), first.layers[1].weight.numpy())

    class Renamed(esp.Module):
        def __init__(self):
            self.first, self.V = esp.nn.Linear(3, 2), esp.Parameter((2, 3))

    renamed = Renamed().initialize(seed=1)
    np.testing.assert_array_equal(renamed.first.weight.numpy(), first.first.weight.numpy())
    assert not np.array_equal(renamed.V.numpy(), first.W.numpy())
    first.initialize(seed=2)
    np.testing.assert_array_equal(first.W.numpy(), other.W.numpy())
    assert first.initialize() is first


def test_first_use_draws_with_seed_0():
    used, read, drawn = Mixed(), Mixed(), Mixed().initialize(seed=0)
    assert not used.W.drawn and not used.first.weight.drawn and drawn.W.drawn
    esp.Engine().infer([np.ones(3)], lambda x: (used.first(x), used.W @ x))
    assert used.W.drawn and used.first.weight.drawn and not used.layers[0].weight.drawn
    for n in NAMES:
        np.testing.assert_array_equal(read[n].numpy(), drawn[n].numpy())
        np.testing.assert_array_equal(used[n].numpy(), drawn[n].numpy())


def test_a_parameter_without_a_name(engine):
    alone = esp.Parameter((2, 2))
    assert alone.name == "" and not alone.drawn and repr(alone) == "Parameter([2,2])"
    with pytest.raises(esp.GraphError, match="no name and no values"):
        alone.numpy()
    with pytest.raises(esp.GraphError, match="no name"):
        engine.infer([np.ones(2)], lambda x: alone @ x)
    with pytest.raises(esp.GraphError, match="no name"):
        esp.optim.SGD([alone])
    alone.assign([[1, 2], [3, 4]])
    np.testing.assert_allclose(engine.infer([np.ones(2)], lambda x: alone @ x)[0], [3, 7])
    np.testing.assert_array_equal(esp.Parameter((2,), init=esp.init.ones()).numpy(), [1, 1])


def test_inits():
    init = esp.init
    values = lambda how, shape=(4, 6): named(esp.Parameter(shape, init=how)).numpy()  # noqa: E731

    def named(p):
        holder = esp.Module()
        holder.p = p
        return p

    np.testing.assert_array_equal(values(init.zeros()), np.zeros((4, 6)))
    np.testing.assert_array_equal(values(init.constant(2.5)), np.full((4, 6), 2.5))
    np.testing.assert_array_equal(values(3), np.full((4, 6), 3))
    np.testing.assert_array_equal(values(init.identity(2), (3, 3)), 2 * np.eye(3))
    assert np.abs(values(init.glorot())).max() <= np.sqrt(6 / 10)
    assert np.abs(values(init.uniform(2, 3)) - 2.5).max() <= 0.5
    assert abs(values(init.normal(5, 0.1), (50, 50)).mean() - 5) < 0.05
    assert abs(values(init.he(), (50, 50)).std() - np.sqrt(2 / 50)) < 0.02
    w = values(init.orthogonal(), (4, 4))
    np.testing.assert_allclose(w @ w.T, np.eye(4), atol=1e-5)
    array = floats(4, 6)
    np.testing.assert_array_equal(values(array), array)
    model = esp.Module()
    model.p = esp.Parameter((4, 6), init=array)
    np.testing.assert_array_equal(model.initialize(seed=3).p.numpy(), array)  # left as it is
    for bad, kind in [(dict(init="he"), TypeError), (dict(init=np.zeros(3)), esp.ShapeError), (dict(init=None, sparse=5, more=3), TypeError)]:
        with pytest.raises(kind):
            esp.Parameter((4, 6), **bad)
    for shape, kind in [("a", TypeError), ((-1,), esp.ShapeError), ((1,) * 7, esp.ShapeError), (2.5, TypeError)]:
        with pytest.raises(kind, match="test_module.py"):
            esp.Parameter(shape)
    with pytest.raises(esp.ShapeError):
        esp.Parameter((), sparse=True)


class Configured(esp.Module):
    def __init__(self, init, activation, cell):
        self.W, self.activation, self.cell = esp.Parameter((2, 2), init=init), activation, cell


def double(x):
    return x * 2


@pytest.mark.parametrize("how", [esp.init.glorot(2), esp.init.he(), esp.init.normal(1, 2), esp.init.zeros(), esp.init.identity(), esp.init.uniform(2, 3)], ids=repr)
def test_copies_of_inits_and_functions(how):
    assert repr(how).startswith("init.") and "0x" not in repr(how)
    model = Configured(how, esp.tanh, double)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.activation is esp.tanh and other.cell is double
        np.testing.assert_array_equal(other.initialize(seed=3).W.numpy(), Configured(how, None, None).initialize(seed=3).W.numpy())


def test_copies_of_errors():
    for kind in (esp.ShapeError, esp.IndexError, esp.DataError, esp.FileError, esp.FileNotFoundError, esp.OptionError, esp.GraphError, esp.NumberError, esp.DeviceError, esp.InternalError, esp.Error):
        error = pickle.loads(pickle.dumps(kind("text")))
        assert type(error) is kind and str(error) == "text" and kind.__doc__ and kind.__module__ == "espalier"


def test_assign():
    p = esp.Parameter((2, 3))
    p.assign(floats(2, 3))
    before = p.numpy()
    p.assign(np.zeros((2, 3), "f8"))
    np.testing.assert_array_equal(before, floats(2, 3))  # a copy
    np.testing.assert_array_equal(p.numpy(), np.zeros((2, 3)))
    other = esp.Parameter((2, 3), init=4)
    p.assign(other)
    np.testing.assert_array_equal(np.asarray(p), np.full((2, 3), 4))
    assert np.asarray(p, "f8").dtype == np.float64
    p.assign(p.tensor())
    for bad, kind in [(np.zeros(3), esp.ShapeError), ("a", TypeError), (None, TypeError), (np.zeros((3, 2)), esp.ShapeError)]:
        with pytest.raises(kind, match="test_module.py"):
            p.assign(bad)
    with pytest.raises((ValueError, AttributeError)):
        p.numpy()[0, 0] = 1
    with pytest.raises(AttributeError):
        p.shape = (3, 2)


def test_state_dict():
    model, other = Mixed().initialize(seed=1), Mixed()
    state = model.state_dict()
    assert all(isinstance(t, esp.Tensor) for t in state.values())
    other.load_state_dict(state)  # before anything was drawn
    for n in NAMES:
        np.testing.assert_array_equal(other[n].numpy(), model[n].numpy())
    model.W.assign(np.zeros((2, 3)))
    assert np.any(state["W"].numpy())  # a copy
    other.load_state_dict({n: t.numpy().astype("f8").tolist() for n, t in state.items()})
    np.testing.assert_array_equal(other["by_name.b.1.deep"].numpy(), state["by_name.b.1.deep"].numpy())
    assert other["by_name.b.1.deep"].shape == ()
    before = other.W.numpy()
    for change, kind, text in [
        (lambda s: s.pop("W"), esp.DataError, r"missing \['W'\]"),
        (lambda s: s.update(more=1), esp.DataError, r"unexpected \['more'\]"),
        (lambda s: s.update({"pair.0": np.zeros(3)}), esp.ShapeError, r"pair.0 is \[3\], and the parameter is \[1\]"),
    ]:
        broken = {n: t.numpy() * 0 for n, t in state.items()}
        change(broken)
        with pytest.raises(kind, match=text) as caught:
            other.load_state_dict(broken)
        assert "(test_module.py:" in str(caught.value)
        np.testing.assert_array_equal(other.W.numpy(), before)
    other.load_state_dict({"W": np.ones((2, 3)), "more": 5}, strict=False)
    np.testing.assert_array_equal(other.W.numpy(), np.ones((2, 3)))


@pytest.mark.parametrize("copied", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy, copy.copy], ids=["pickle", "deepcopy", "copy"])
def test_copies(copied, engine):
    model = Mixed(4).initialize(seed=3)
    model.layers[0].requires_grad_(False)
    model.eval()
    other = copied(model)
    assert type(other) is Mixed and other is not model and other.size == 4 and names(other) == NAMES
    for n in NAMES:
        np.testing.assert_array_equal(other[n].numpy(), model[n].numpy())
        assert other[n].requires_grad == model[n].requires_grad
    assert not other.training
    other.W.assign(np.zeros((2, 4)))
    assert np.any(model.W.numpy())
    native = copied(esp.nn.LSTM(3, 4).initialize(seed=1))
    np.testing.assert_array_equal(native.weight_ih.numpy(), esp.nn.LSTM(3, 4).initialize(seed=1).weight_ih.numpy())
    assert engine.infer([np.ones(3)], lambda x: native(x).h)[0].shape == (4,)


class Wrapper(esp.Module):
    def __init__(self, inner, *, scale=1):
        self.inner, self.scale = inner, scale


@pytest.mark.parametrize("copied", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy], ids=["pickle", "deepcopy"])
def test_copies_of_modules_given_as_arguments(copied):
    model = Wrapper(Wrapper(Mixed()), scale=3).initialize(seed=1)
    other = copied(model)
    assert other.scale == 3
    other.inner.inner.W.assign(np.zeros((2, 3)))
    assert np.any(model.inner.inner.W.numpy())
    shared = esp.nn.Linear(2, 2)
    one, two = copied([Wrapper(shared), Wrapper(shared)])
    assert one.inner is two.inner is not shared


def test_copies_do_not_draw():
    model = Mixed()
    other = copy.deepcopy(model)
    assert not model.W.drawn and not other.W.drawn
    np.testing.assert_array_equal(other.initialize(seed=5).W.numpy(), model.initialize(seed=5).W.numpy())


class Grown(esp.Module):
    def __init__(self):
        self.layers = []


def test_copies_of_what_the_constructor_does_not_make():
    model = Grown()
    model.layers.append(esp.nn.Linear(2, 2))
    model.initialize()
    for f in (copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))):
        with pytest.raises(esp.DataError, match="must be made in __init__"):
            f(model)


def test_parameters_cannot_be_copied_alone():
    p = esp.Parameter((2,), init=[1, 2])
    for f in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            f(p)


def test_repr():
    text = repr(Mixed())
    assert text.startswith("Mixed(") and "layers.0.weight [2, 2]" in text and "values)" in text
    assert repr(esp.nn.Linear(1000, 3)).startswith("Linear(3,003 values)")
    model = Mixed()
    assert repr(model.layers[1].weight) == "Parameter(layers.1.weight [2,2])"
    assert repr(esp.Module()) == "Module(0 values)"


def test_requires_grad(engine):
    model = Mixed().initialize(seed=1)
    assert model.W.requires_grad
    model.W.requires_grad = False
    gradients = engine.backward(engine.record([np.ones(3)], lambda x: esp.sum_elements(model.W @ x + model.first(x))))
    assert not np.any(gradients.of(model.W).numpy()) and np.any(gradients.of(model.first.weight).numpy())
    before = model.W.numpy()
    esp.optim.SGD(model.parameters(), lr=1, weight_decay=0.1).step(gradients)
    np.testing.assert_array_equal(model.W.numpy(), before)
    assert model.requires_grad_(False) is model and not any(p.requires_grad for p in model.parameters())
    model.requires_grad_()
    assert all(p.requires_grad for p in model.parameters())
    with pytest.raises((TypeError, AttributeError)):
        del model.W.requires_grad


def test_train_and_eval():
    model = Mixed()
    assert model.training and model.layers[0].training
    assert model.eval() is model and not model.training and not model.layers[1].training
    assert model.train() is model and model.layers[1].training


def test_forward(engine):
    class Forward(esp.Module):
        def forward(self, x, k=1):
            return esp.tanh(x) * k

    class Derived(Forward):
        def forward(self, x):
            return super().forward(x, k=2)

    class Both(esp.Module):
        def forward(self, x):
            return esp.exp(x)

        def __call__(self, x):
            return self.forward(x) + 1

    x = floats(3)
    for module, want in [(Forward(), np.tanh(x)), (Derived(), 2 * np.tanh(x)), (Both(), np.exp(x) + 1)]:
        np.testing.assert_allclose(engine.infer([x], module)[0], want, rtol=1e-5)
    with engine.graph():
        np.testing.assert_allclose(engine.value(Forward()(x, k=3)), 3 * np.tanh(x), rtol=1e-5)
    with pytest.raises(TypeError, match=r"cannot be called.*test_module.py"):
        Mixed()(x)


def test_inheritance(engine):
    class Scaled(esp.nn.Linear):
        def __init__(self, n):
            super().__init__(n, n)
            self.scale = esp.Parameter((n,), init=2.0)

        def __call__(self, x):
            return super().__call__(x) * self.scale

    class Mixin:
        kind = "mixin"

    class Base(esp.Module):
        def __init__(self, n):
            self.a = esp.nn.Linear(n, n)

    class Derived(Mixin, Base):
        def __init__(self, n):
            super().__init__(n)
            self.b = esp.nn.Linear(n, n)

    scaled = Scaled(3).initialize(seed=1)
    assert names(scaled) == ["weight", "bias", "scale"] and names(Derived(2)) == ["a.weight", "a.bias", "b.weight", "b.bias"]
    x = floats(3)
    np.testing.assert_allclose(engine.infer([x], scaled)[0], 2 * (scaled.weight.numpy() @ x), rtol=1e-5)


def test_init_without_super(engine):
    class NoSuper(esp.Module):
        def __init__(self):
            self.a = esp.nn.Linear(3, 2)

    class WithSuper(esp.Module):
        def __init__(self):
            super().__init__()
            self.a = esp.nn.Linear(3, 2)

    @dataclass(eq=False, repr=False)
    class Data(esp.Module):
        n: int

        def __post_init__(self):
            self.a = esp.nn.Linear(self.n, 2)

    for model in (NoSuper(), WithSuper(), Data(3)):
        assert names(model) == ["a.weight", "a.bias"]
    with pytest.raises(TypeError, match="takes no arguments"):
        esp.Module(3)


def test_slots_and_class_attributes():
    class Slots(esp.Module):
        __slots__ = ()
        shared = esp.nn.Linear(2, 2)  # of the class, so not of the instance

    assert names(Slots()) == []


def test_modules_are_freed():
    model = Mixed()
    references = [weakref.ref(model), weakref.ref(model.W), weakref.ref(model.layers[0])]
    esp.Engine().infer([np.ones(3)], lambda x: model.first(x))
    adam = esp.optim.Adam(model.parameters())
    del model
    gc.collect()
    assert [r() for r in references] == [None] * 3
    assert adam.steps == 0


# ---- tensors


def test_tensors():
    array = floats(2, 3)
    t = esp.Tensor(array)
    assert t.shape == (2, 3) and t.ndim == 2 and len(t) == 2
    view = np.asarray(t)
    assert not view.flags.writeable and view.dtype == np.float32
    assert np.shares_memory(np.asarray(t), view) and np.shares_memory(t.numpy(), np.from_dlpack(t))
    np.testing.assert_array_equal(view, array)
    array[0, 0] = 9
    assert view[0, 0] != 9  # a copy
    np.testing.assert_array_equal(t[1], view[1])
    np.testing.assert_array_equal(list(t)[1], view[1])
    assert t.sum() == view.sum() and t.mean(axis=0).shape == (3,) and t.dtype == np.float32 and t.tolist() == view.tolist()
    assert repr(esp.Tensor([1, 2])) == "Tensor([1., 2.])"
    del t
    gc.collect()
    assert view[1, 2] == floats(2, 3)[1, 2]
    for number in (3, np.float64(3), esp.Tensor(3)):
        scalar = esp.Tensor(number)
        assert scalar.shape == () and scalar.item() == 3 and float(scalar) == 3 and "3" in repr(scalar)
    with pytest.raises(TypeError, match="no length"):
        len(scalar)
    with pytest.raises(esp.ShapeError, match="must have one"):
        esp.Tensor([1, 2]).item()
    with pytest.raises(esp.ShapeError):
        float(esp.Tensor([1, 2]))
    with pytest.raises(TypeError, match="not writable"):
        (ctypes.c_char * 4).from_buffer(esp.Tensor([1.0]))
    for bad in ((), ("a",), (None,), ([[1], [2, 3]],), (np.zeros((1,) * 8),), (1, 2)):
        with pytest.raises((TypeError, ValueError)):
            esp.Tensor(*bad)
    with pytest.raises(AttributeError):
        scalar.nothing
    assert esp.Tensor(np.zeros((0, 3))).shape == (0, 3)


def test_operators_of_tensors(engine):
    t, u = esp.Tensor([1, 2]), esp.Tensor([1, 3])
    cases = [lambda a, b: a + b, lambda a, b: a - 1, lambda a, b: 2 * a, lambda a, b: a / b, lambda a, b: a**b, lambda a, b: 2**a, lambda a, b: a @ b,
             lambda a, b: -a, lambda a, b: abs(a), lambda a, b: a == b, lambda a, b: a != b, lambda a, b: a < b, lambda a, b: b >= 2,
             lambda a, b: np.ones(2) + a]  # fmt: skip
    for f in cases:
        np.testing.assert_array_equal(f(t, u), f(np.array([1, 2], "f4"), np.array([1, 3], "f4")))
    assert int(esp.Tensor(3.7)) == 3 and bool(esp.Tensor(1.0)) and not esp.Tensor([0.0]) and len({t, u, t}) == 2
    with pytest.raises(ValueError, match="ambiguous"):
        bool(t)
    with pytest.raises(TypeError):
        t + "a"
    with engine.graph():
        for row in (t * esp.input([3, 4]), esp.input([3, 4]) * t, t * esp.Parameter((2,), init=[3, 4])):
            assert isinstance(row, esp.Expr)
            np.testing.assert_array_equal(engine.value(row), [3, 8])


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,), (2, 1, 2, 1, 2, 1)])
def test_copies_of_tensors(shape):
    t = esp.Tensor(floats(*shape))
    for other in (pickle.loads(pickle.dumps(t)), copy.deepcopy(t), copy.copy(t)):
        assert isinstance(other, esp.Tensor) and other.shape == shape
        np.testing.assert_array_equal(other.numpy(), t.numpy())


def test_tensors_of_torch():
    torch = pytest.importorskip("torch")
    t = esp.Tensor(floats(2, 3))
    np.testing.assert_array_equal(t.torch().numpy(), t.numpy())
    assert torch.from_dlpack(t).shape == (2, 3)
    np.testing.assert_array_equal(esp.Tensor(torch.ones(3)).numpy(), np.ones(3))
    engine = esp.Engine()
    np.testing.assert_array_equal(engine.infer([torch.ones(3)], lambda x: esp.input(x) * 2)[0], [2, 2, 2])
