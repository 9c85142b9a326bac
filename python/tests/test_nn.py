"""The modules of esp.nn: names, shapes, batching, training, and PyTorch's values where PyTorch is installed."""
import inspect

import numpy as np
import pytest
from conftest import floats

import espalier as esp

nn = esp.nn
ROWS = [floats(3, seed=i) for i in range(5)]
KIDS = [floats(4, seed=10 + i) for i in range(3)]


def state(x, n=4):
    return esp.State(x, x * 0.5)


def tree(module):
    """(((0 1) 2) (3 4))"""
    leaf = [module.leaf(x) for x in ROWS]
    return module.node(module.node(module.node(leaf[0], leaf[1]), leaf[2]), module.node(leaf[3], leaf[4])).h


def rows_tree(module, n):
    leaf = [esp.input(r) for r in KIDS[:n]]
    return module.node(module.node(leaf[0], leaf[1]), leaf[2])


def chain(module):
    s = None
    for x in ROWS:
        s = module(x, s)
    return s


def steps(module):
    return esp.sum(module.run(ROWS))


def stack(module):
    s = module.start()
    outputs = [s.top()]
    for x in ROWS[:3]:
        s.push(x)
        outputs.append(s.top())
    s.pop()
    other = s.fork()
    other.push(ROWS[4])
    assert len(s) == 2 and len(other) == 3
    return esp.concat([*outputs, s.top(), other.top()])


def nary(module):
    a, b = module.node(ROWS[0]), module.node(None, [module.node(ROWS[1])])
    return module.node(ROWS[2], [a, b]).h


# name, constructor, use, shape of the result
CASES = [
    ("Linear", lambda: nn.Linear(3, 2), lambda m: m(ROWS[0]), (2,)),
    ("Linear", lambda: nn.Linear(3, 2, bias=False), lambda m: m(ROWS[0]), (2,)),
    ("Embedding", lambda: nn.Embedding(6, 4), lambda m: m(5), (4,)),
    ("MLP", lambda: nn.MLP([3, 5, 2]), lambda m: m(ROWS[0]), (2,)),
    ("MLP", lambda: nn.MLP([3, 5, 2], "tanh", dropout=0.1), lambda m: m(ROWS[0]), (2,)),
    ("FC", lambda: nn.FC(3, 2), lambda m: m(ROWS[0]), (2,)),
    ("FC", lambda: nn.FC(3, 2, None, 0.2, True), lambda m: m(ROWS[0]), (2,)),
    ("LayerNorm", lambda: nn.LayerNorm(3), lambda m: m(ROWS[0]), (3,)),
    ("LSTM", lambda: nn.LSTM(3, 4), lambda m: chain(m).h, (4,)),
    ("LSTM", lambda: nn.LSTM(3, 4), steps, (4,)),
    ("CoupledLSTM", lambda: nn.CoupledLSTM(3, 4), lambda m: chain(m).h + steps(m), (4,)),
    ("LayerNormLSTM", lambda: nn.LayerNormLSTM(3, 4), lambda m: chain(m).h + steps(m), (4,)),
    ("VariationalLSTM", lambda: nn.VariationalLSTM(3, 4, 0.2), lambda m: chain(m)[0] + steps(m), (4,)),
    ("GRU", lambda: nn.GRU(3, 4), lambda m: chain(m) + steps(m), (4,)),
    ("RNN", lambda: nn.RNN(3, 4), lambda m: chain(m) + steps(m), (4,)),
    ("RNN", lambda: nn.RNN(3, 4, "relu"), lambda m: chain(m), (4,)),
    ("DeepLSTM", lambda: nn.DeepLSTM(3, 4, 2, 0.1), lambda m: chain(m)[-1].h + steps(m), (4,)),
    ("DeepGRU", lambda: nn.DeepGRU(3, 4, 2), lambda m: chain(m)[-1] + steps(m), (4,)),
    ("DeepRNN", lambda: nn.DeepRNN(3, 4, 2), lambda m: chain(m)[-1] + steps(m), (4,)),
    *[(n, (lambda c: lambda: c(3, 4))(getattr(nn, n)), lambda m: esp.sum(m(ROWS)), (8,)) for n in ("BiLSTM", "BiGRU", "BiRNN")],
    *[(n, (lambda c: lambda: c(3, 4, 2))(getattr(nn, n)), lambda m: esp.sum(m(ROWS)), (8,)) for n in ("DeepBiLSTM", "DeepBiGRU")],
    ("TreeLSTM", lambda: nn.TreeLSTM(3, 4), tree, (4,)),
    ("ChildSumTreeLSTM", lambda: nn.ChildSumTreeLSTM(3, 4),
     lambda m: m.node(ROWS[0], [m.node(ROWS[1]), m.node(ROWS[2]), m.node(ROWS[3], [])]).h, (4,)),
    *[("NaryTreeLSTM", (lambda k: lambda: nn.NaryTreeLSTM(3, 4, k))(k), nary, (4,)) for k in (2, 3, 4, 5, 6, 8)],
    ("BidirectionalTreeLSTM", lambda: nn.BidirectionalTreeLSTM(3, 4), lambda m: esp.sum(m(ROWS, [2, 2, 4, 4, -1])), (8,)),
    ("TreeRNN", lambda: nn.TreeRNN(4), lambda m: rows_tree(m, 3), (4,)),
    ("RNTN", lambda: nn.RNTN(4), lambda m: rows_tree(m, 3), (4,)),
    ("MVRNN", lambda: nn.MVRNN(6, 3), lambda m: m.node(m.leaf(1), m.node(m.leaf(2), m.leaf(5)))[0], (3,)),
    ("DotProductAttention", lambda: nn.DotProductAttention(4), lambda m: m(KIDS[0], KIDS, KIDS), (4,)),
    ("AdditiveAttention", lambda: nn.AdditiveAttention(3, 4, 5), lambda m: m(ROWS[0], m.remember(KIDS)), (4,)),
    ("FeedForwardAttention", lambda: nn.FeedForwardAttention(4), lambda m: m(KIDS), (4,)),
    ("MultiheadAttention", lambda: nn.MultiheadAttention(4, 2), lambda m: esp.sum(m(KIDS)), (4,)),
    ("GraphConvolution", lambda: nn.GraphConvolution(3, 2, "tanh"), lambda m: esp.sum(m(ROWS[:3], [[1], [0, 2], [1]])), (2,)),
    ("Weave", lambda: nn.Weave(3, 4, 5, 2), lambda m: esp.sum(m(ROWS[:3], KIDS[:2], [(0, 1), (1, 2)])[0]), (2,)),
    ("CharLSTM", lambda: nn.CharLSTM(7, 3, 4), lambda m: m([1, 6, 0]), (8,)),
    ("CharCNN", lambda: nn.CharCNN(7, 3, 5), lambda m: m([1, 6, 0, 2]), (5,)),
    ("ClassFactoredSoftmax", lambda: nn.ClassFactoredSoftmax(4, [0, 0, 1, 1, 2]), lambda m: m(KIDS[0], 3), ()),
    ("HierarchicalSoftmax", lambda: nn.HierarchicalSoftmax(4, [5, 1, 1, 3]), lambda m: m(KIDS[0], 2), ()),
    ("StackLSTM", lambda: nn.StackLSTM(3, 4), stack, (24,)),
]  # fmt: skip
NAMES = {
    "Linear": {"weight": (2, 3), "bias": (2,)},
    "Embedding": {"weight": (6, 4)},
    "MLP": {"0.weight": (5, 3), "0.bias": (5,), "1.weight": (2, 5), "1.bias": (2,)},
    "LayerNorm": {"weight": (3,), "bias": (3,)},
    "LSTM": {"weight_ih": (16, 3), "weight_hh": (16, 4), "bias": (16,)},
    "GRU": {"weight_ih": (12, 3), "weight_hh": (12, 4), "bias_ih": (12,), "bias_hh": (12,)},
    "RNN": {"weight_ih": (4, 3), "weight_hh": (4, 4), "bias": (4,)},
    "LayerNormLSTM": {"weight_ih": (16, 3), "weight_hh": (16, 4), "bias": (16,), "norm_ih.weight": (16,), "norm_hh.weight": (16,),
                      "norm_c.weight": (4,), "norm_c.bias": (4,)},
    "BiRNN": {f"{d}.{n}": s for d in ("forward", "backward") for n, s in (("weight_ih", (4, 3)), ("weight_hh", (4, 4)), ("bias", (4,)))},
    "TreeLSTM": {"W": (12, 3), "U": (12, 8), "Uf": (8, 8), "b": (12,), "bf": (8,)},
    "ChildSumTreeLSTM": {"W": (12, 3), "U": (12, 4), "Wf": (4, 3), "Uf": (4, 4), "b": (12,), "bf": (4,)},
    "TreeRNN": {"weight": (4, 8), "bias": (4,)},
    "RNTN": {"tensor": (4, 8, 8), "weight": (4, 8), "bias": (4,)},
    "MVRNN": {"weight": (3, 6), "matrix_weight": (3, 6), "vectors": (6, 3), "matrices": (6, 3, 3)},
    "AdditiveAttention": {"weight_query": (5, 3), "weight_key": (5, 4), "weight": (5,)},
    "MultiheadAttention": {"in_proj_weight": (12, 4), "in_proj_bias": (12,), "out_proj.weight": (4, 4), "out_proj.bias": (4,)},
    "CharCNN": {"letters.weight": (8, 3), "weight": (5, 9), "bias": (5,)},
    "ClassFactoredSoftmax": {"classes.weight": (3, 4), "classes.bias": (3,), "words.weight": (5, 4), "words.bias": (5,)},
    "HierarchicalSoftmax": {"weight": (3, 4), "bias": (3,)},
    "StackLSTM": {"weight_ih": (16, 3), "weight_hh": (16, 4), "bias": (16,), "empty": (4,)},
}  # fmt: skip


def classes():
    return {n: c for n, c in vars(nn).items() if inspect.isclass(c) and issubclass(c, esp.Module) and not n.startswith("_") and n != "Module"}


def identified(cases):
    return pytest.mark.parametrize("case", cases, ids=[f"{i}-{c[0]}" for i, c in enumerate(cases)])


def test_every_module_is_tested():
    assert set(classes()) == {c[0] for c in CASES}


@pytest.mark.parametrize("name", classes())
def test_documented(name):
    c = classes()[name]
    assert c.__doc__ and len(inspect.signature(c).parameters) >= 1
    parameters = dict(inspect.signature(c.__init__).parameters)
    native = getattr(esp._core, "modules").get(name)
    if native is not None:
        # The same names and defaults in both languages.
        assert str(inspect.signature(native)) == str(inspect.Signature(
            [p.replace(annotation=p.empty) for n, p in parameters.items() if n != "self"]))


@identified(CASES)
def test_shapes_and_batching(case, engine):
    _, make, use, shape = case
    module = make().initialize(seed=1)
    together = engine.infer(range(4), lambda _: use(module))
    assert all(v.shape == shape and np.all(np.isfinite(v)) for v in together)
    alone = engine.infer([0], lambda _: use(module))[0]
    for v in together:
        np.testing.assert_allclose(v, alone, rtol=1e-5, atol=1e-6)
    threads = esp.Engine(threads=2).infer(range(4), lambda _: use(module))
    np.testing.assert_array_equal(threads[3], threads[0])
    assert module.parameters() or case[0] == "DotProductAttention"
    assert type(module).__name__ in repr(module)


@identified(CASES)
def test_one_step_lowers_the_loss(case, engine):
    _, make, use, shape = case
    module = make().initialize(seed=2)
    if not module.parameters():
        return
    target = np.full(shape, 0.3, "f4")
    loss = lambda _: esp.squared_distance(use(module), target) if shape else use(module)  # noqa: E731
    sgd = esp.optim.SGD(module.parameters(), lr=1e-4)
    mode = dict(mode="infer")  # without dropout
    batch = engine.record(range(2), loss, **mode)
    gradients = engine.backward(batch)
    before = gradients.loss.item()
    assert gradients.norm() > 0
    sgd.step(gradients)
    assert engine.backward(engine.record(range(2), loss, **mode)).loss.item() < before


@identified(CASES)
def test_gradients_by_differences(case, ref):
    """Of one element of each parameter, in double."""
    _, make, use, shape = case
    module = make().initialize(seed=3)
    module.requires_grad_(True)
    loss = lambda _: esp.sum_elements(use(module) ** 2)  # noqa: E731
    value = lambda: float(ref.infer([0], loss)[0])  # noqa: E731
    batch = ref.record([0], loss, mode="infer")
    gradients = ref.backward(batch)
    for name, p in module.named_parameters():
        g, before, h = gradients.of(p).numpy(), p.numpy().copy(), 1e-2
        at = np.unravel_index(np.abs(g).argmax(), g.shape)
        values = []
        for k in (-2, -1, 1, 2):
            moved = before.copy()
            moved[at] += np.float32(k * h)
            p.assign(moved)
            values.append(value())
        p.assign(before)
        slope = np.dot(values, [1, -8, 8, -1]) / (12 * h)
        assert slope == pytest.approx(g[at], rel=2e-2, abs=2e-3), name


@pytest.mark.parametrize("name", NAMES)
def test_names_and_shapes(name):
    make = next(c[1] for c in CASES if c[0] == name)
    assert {n: t.shape for n, t in make().state_dict().items()} == NAMES[name]


@identified(CASES)
def test_names_follow_the_path(case):
    class Model(esp.Module):
        def __init__(self):
            self.part = case[1]()
            self.list = [case[1](), case[1]()]

    model = Model()
    own = [n for n, _ in case[1]().named_parameters()]
    paths = [f"{p}.{n}" for p in ("part", "list.0", "list.1") for n in own]
    assert [n for n, _ in model.named_parameters()] == paths
    assert [p.name for p in model.parameters()] == paths
    for n in own:
        if "." not in n:
            assert getattr(model.part, n) is model.part[n]
    model.initialize(seed=1)
    # Weights that are drawn differ; forget biases and identity matrices do not.
    for p, q in zip(model.part.parameters(), model.list[0].parameters(), strict=True):
        assert not np.array_equal(p.numpy(), q.numpy()) or np.unique(p.numpy()).size <= 2
    assert [p.name for p in model.parameters()] == paths


def test_wrong_arguments():
    for make, kind in [(lambda: nn.Linear("3", 2), TypeError), (lambda: nn.Linear(-1, 2), esp.Error), (lambda: nn.Linear(3), TypeError),
                       (lambda: nn.MLP([3]), esp.Error), (lambda: nn.MLP(3), TypeError), (lambda: nn.MLP([3, 2], "bad"), esp.Error),
                       (lambda: nn.NaryTreeLSTM(3, 4, 7), esp.ShapeError), (lambda: nn.MultiheadAttention(5, 2), esp.Error),
                       (lambda: nn.LSTM(3, 2.5), TypeError), (lambda: nn.Embedding(10**12, 3), esp.Error)]:  # fmt: skip
        with pytest.raises(kind) as caught:
            make()
        assert "test_nn.py" in str(caught.value) or "__init__" in str(caught.value), caught.value


def test_wrong_calls(engine):
    linear, lstm, tree_lstm, embedding = nn.Linear(3, 2), nn.LSTM(3, 4), nn.TreeLSTM(3, 4), nn.Embedding(5, 3)
    with engine.graph():
        for call, kind in [(lambda: linear(KIDS[0]), esp.ShapeError), (lambda: linear(), TypeError), (lambda: linear(ROWS[0], 1), TypeError),
                           (lambda: linear(y=ROWS[0]), TypeError), (lambda: lstm(ROWS[0], ROWS[0]), TypeError), (lambda: lstm(ROWS[0], state=5), TypeError),
                           (lambda: lstm.run(5), TypeError), (lambda: tree_lstm(ROWS[0]), TypeError), (lambda: tree_lstm.node(1, 2), TypeError),
                           (lambda: embedding(5), esp.IndexError), (lambda: embedding(-1), esp.IndexError), (lambda: embedding(1.0), TypeError),
                           (lambda: nn.StackLSTM(3, 4).start().pop(), IndexError),
                           (lambda: nn.DotProductAttention(4)(KIDS[0], KIDS, KIDS[:1]), esp.ShapeError)]:  # fmt: skip
            with pytest.raises(kind) as caught:
                call()
            assert "test_nn.py" in str(caught.value), caught.value
    with pytest.raises(esp.GraphError, match="test_nn.py"):
        linear(ROWS[0])


def test_empty_sequences(engine):
    for module in (nn.LSTM(3, 4), nn.GRU(3, 4), nn.DeepLSTM(3, 4, 2)):
        assert list(engine.infer([0], lambda _: module.run([]))) == [[]]
    assert list(engine.infer([0], lambda _: nn.BiLSTM(3, 4)([]))) == [[]]


def test_modules_within_cells(engine):
    """A module's call inside a traced function becomes part of the cell."""
    class Model(esp.Module):
        def __init__(self):
            self.words, self.lstm, self.out = nn.Embedding(5, 3), nn.LSTM(3, 4), nn.Linear(4, 2)
            self.step = esp.cell(self._step, word=int, s=esp.State(4))

        def _step(self, word, s):
            s = self.lstm(self.words(word), s)
            return s, self.out(s.h)

    model = Model().initialize(seed=1)

    def by_cell(words):
        s = esp.State(esp.zeros(4), esp.zeros(4))
        for w in words:
            s, y = model.step(w, s)
        return y

    def by_modules(words):
        s = None
        for w in words:
            s = model.lstm(model.words(w), s)
        return model.out(s.h)

    data = [[1, 2, 3], [4], [0, 0]]
    np.testing.assert_allclose(engine.infer(data, by_cell, stack=True), engine.infer(data, by_modules, stack=True), rtol=1e-5, atol=1e-6)


# ---- the same numbers without PyTorch


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_lstm_and_gru_by_numpy(ref):
    lstm, gru = nn.LSTM(3, 4).initialize(seed=5), nn.GRU(3, 4).initialize(seed=6)
    for m in (lstm, gru):
        for p in m.parameters():
            p.assign(floats(*p.shape, seed=len(p.name)))
    p = {n: t.numpy().astype("f8") for n, t in lstm.state_dict().items()}
    h = c = np.zeros(4)
    for x in ROWS:
        a = p["weight_ih"] @ x + p["weight_hh"] @ h + sum(v for n, v in p.items() if n.startswith("bias"))
        i, f, g, o = a.reshape(4, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    [got] = ref.infer([0], lambda _: chain(lstm))
    np.testing.assert_allclose(got.h, h, rtol=1e-5)
    np.testing.assert_allclose(got.c, c, rtol=1e-5)


    gru.bias_ih.assign(floats(12, seed=7))  # not the one of bias_hh
    p, h = {n: t.numpy().astype("f8") for n, t in gru.state_dict().items()}, np.zeros(4)
    for x in ROWS:
        (a, b, c), (d, e, f) = (p["weight_ih"] @ x + p["bias_ih"]).reshape(3, 4), (p["weight_hh"] @ h + p["bias_hh"]).reshape(3, 4)
        r, z = sigmoid(a + d), sigmoid(b + e)
        h = (1 - z) * np.tanh(c + r * f) + z * h
    [got] = ref.infer([0], lambda _: chain(gru))
    np.testing.assert_allclose(got, h, rtol=1e-5)


def test_attention_by_numpy(ref):
    """As torch.nn.MultiheadAttention(4, 2)."""
    module = nn.MultiheadAttention(4, 2)
    for i, q in enumerate(module.parameters()):
        q.assign(floats(*q.shape, seed=i))
    p, x = {n: t.numpy().astype("f8") for n, t in module.state_dict().items()}, np.array(KIDS, "f8")
    q, k, v = np.split(x @ p["in_proj_weight"].T + p["in_proj_bias"], 3, axis=1)
    heads = []
    for s in (slice(0, 2), slice(2, 4)):
        w = np.exp(q[:, s] @ k[:, s].T / np.sqrt(2))
        heads.append(w / w.sum(1, keepdims=True) @ v[:, s])
    want = np.concatenate(heads, 1) @ p["out_proj.weight"].T + p["out_proj.bias"]
    [got] = ref.infer([0], lambda _: esp.stack(module(KIDS)))
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)


# ---- PyTorch


def names_of(module, name, suffix):
    """Where PyTorch has two biases, which are added, some modules have one."""
    name = name.removesuffix(suffix)
    return name if name in dict(module.named_parameters()) else "bias"


def compare(ref, module, torch_module, use, by_torch, suffix=""):
    """Values, and the gradients of Σ y²."""
    torch = pytest.importorskip("torch")
    own, values = dict(module.named_parameters()), {}
    for name, p in torch_module.named_parameters():
        to = names_of(module, name, suffix)
        values[to] = values.get(to, 0) + p.detach().numpy()
    for name, value in values.items():
        own[name].assign(value)
    want = by_torch(torch)
    [got] = ref.infer([0], lambda _: use())
    np.testing.assert_allclose(got, want.detach().numpy(), rtol=1e-4, atol=1e-5)
    gradients = ref.backward(ref.record([0], lambda _: esp.sum_elements(use() ** 2)))
    (want**2).sum().backward()
    for name, p in torch_module.named_parameters():
        mine = gradients.of(own[names_of(module, name, suffix)]).numpy()
        np.testing.assert_allclose(mine, p.grad.numpy(), rtol=1e-3, atol=1e-5)


def test_torch_linear(ref):
    torch = pytest.importorskip("torch")
    module, other = nn.Linear(3, 2), torch.nn.Linear(3, 2)
    compare(ref, module, other, lambda: module(ROWS[0]), lambda t: other(t.tensor(ROWS[0])))


def test_torch_embedding(ref):
    torch = pytest.importorskip("torch")
    module, other = nn.Embedding(6, 4), torch.nn.Embedding(6, 4)
    compare(ref, module, other, lambda: module(2) + module(5) * 2, lambda t: other(t.tensor(2)) + other(t.tensor(5)) * 2)


def test_torch_layer_norm(ref):
    torch = pytest.importorskip("torch")
    module, other = nn.LayerNorm(3), torch.nn.LayerNorm(3)
    compare(ref, module, other, lambda: module(ROWS[0]), lambda t: other(t.tensor(ROWS[0])))


@pytest.mark.parametrize("name", ["LSTM", "GRU", "RNN"])
def test_torch_recurrent(name, ref):
    torch = pytest.importorskip("torch")
    module, other = getattr(nn, name)(3, 4), getattr(torch.nn, name)(3, 4)
    compare(ref, module, other, lambda: esp.stack(module.run(ROWS)), lambda t: other(t.tensor(np.stack(ROWS)))[0], "_l0")


def test_torch_attention(ref):
    torch = pytest.importorskip("torch")
    module, other = nn.MultiheadAttention(4, 2), torch.nn.MultiheadAttention(4, 2)

    def by_torch(t):
        x = t.tensor(np.stack(KIDS))[:, None]
        return other(x, x, x, need_weights=False)[0][:, 0]

    compare(ref, module, other, lambda: esp.stack(module(KIDS)), by_torch)
