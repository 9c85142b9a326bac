"""Files: parameters, checkpoints, PyTorch files, and those of the C++ program."""
import errno
import json
import os
import subprocess

import numpy as np
import pytest
from conftest import floats

import espalier as esp

ROWS = [floats(4, seed=i) for i in range(6)]


class Model(esp.Module):
    def __init__(self, n=4):
        self.hidden, self.out, self.layers = esp.nn.Linear(n, 5), esp.nn.Linear(5, 2), [esp.Parameter(()), esp.Parameter((2, 1, 3))]

    def __call__(self, x):
        return self.out(esp.tanh(self.hidden(x)))


def loss(model):
    return lambda x: esp.squared_distance(model(x), [1, 2])


def train(engine, model, optimizer, steps, average=None):
    for _ in range(steps):
        gradients = engine.backward(engine.record(ROWS, loss(model)), scale=1 / 6)
        average.step(optimizer, gradients) if average else optimizer.step(gradients)


def assert_equal(a, b):
    a, b = a.state_dict(), b.state_dict()
    assert list(a) == list(b)
    for n in a:
        np.testing.assert_array_equal(a[n].numpy(), b[n].numpy())


def test_round_trip(tmp_path):
    model, other, path = Model().initialize(seed=1), Model(), tmp_path / "model.safetensors"
    esp.save(model, path, metadata={"note": "häßlich"})
    loaded = esp.load(other, path)
    assert_equal(model, other)
    assert isinstance(loaded, esp.Loaded) and loaded.metadata["note"] == "häßlich"
    assert loaded.missing == loaded.unexpected == loaded.misshapen == [] and (loaded.epoch, loaded.minibatch) == (0, 0)
    esp.save(model, str(path))
    assert "note" not in esp.load(other, str(path)).metadata
    assert os.listdir(tmp_path) == ["model.safetensors"]


def test_saving_draws_first(tmp_path):
    path = tmp_path / "a"
    esp.save(Model(), path)
    other = Model()
    esp.load(other, path)
    assert_equal(other, Model().initialize(seed=0))


def test_parts_are_saved_by_their_own_names(tmp_path):
    model, part, path = Model().initialize(seed=1), esp.nn.Linear(4, 5), tmp_path / "a"
    esp.save(model.hidden, path)
    assert list(esp.load_file(path)) == ["bias", "weight"] or set(esp.load_file(path)) == {"bias", "weight"}
    assert model.hidden.weight.name == "hidden.weight"
    esp.load(part, path)
    np.testing.assert_array_equal(part.weight.numpy(), model.hidden.weight.numpy())
    other = Model()
    esp.load(other.hidden, path)
    np.testing.assert_array_equal(other.hidden.weight.numpy(), model.hidden.weight.numpy())
    assert other.hidden.weight.name == "hidden.weight" and other.layers[0].name == "layers.0"


@pytest.mark.parametrize("make", [
    lambda p: esp.optim.Adam(p, lr=0.02), lambda p: esp.optim.AdamW(p, amsgrad=True), lambda p: esp.optim.SGD(p, momentum=0.9),
    lambda p: esp.optim.SGD(p), lambda p: esp.optim.Adagrad(p), lambda p: esp.optim.Adadelta(p),
    lambda p: esp.optim.RMSprop(p, centered=True, momentum=0.5), lambda p: esp.optim.CyclicalSGD(p),
])  # fmt: skip
def test_training_goes_on(make, tmp_path):
    """Stopped after 3 steps and continued from the file: the same bits as without a stop."""
    engine, path = esp.Engine(), tmp_path / "a"
    straight = Model().initialize(seed=1)
    optimizer = make(straight.parameters())
    train(engine, straight, optimizer, 3)
    esp.save(straight, path, optimizer=optimizer, epoch=2, minibatch=7)
    train(engine, straight, optimizer, 3)

    resumed = Model().initialize(seed=9)
    optimizer = make(resumed.parameters())
    loaded = esp.load(resumed, path, optimizer=optimizer)
    assert (loaded.epoch, loaded.minibatch) == (2, 7) and optimizer.steps == 3
    train(engine, resumed, optimizer, 3)
    assert_equal(straight, resumed)


def test_averages_go_on(tmp_path):
    engine, path = esp.Engine(), tmp_path / "a"
    straight = Model().initialize(seed=1)
    adam, average = esp.optim.Adam(straight.parameters()), esp.optim.MovingAverage(straight.parameters(), 0.9)
    train(engine, straight, adam, 3, average)
    esp.save(straight, path, optimizer=adam, average=average)
    train(engine, straight, adam, 2, average)

    resumed = Model()
    other, other_average = esp.optim.Adam(resumed.parameters()), esp.optim.MovingAverage(resumed.parameters(), 0.9)
    esp.load(resumed, path, optimizer=other, average=other_average)
    train(engine, resumed, other, 2, other_average)
    assert_equal(straight, resumed)
    assert set(average.tensors()) == set(straight.state_dict())
    for n, t in average.tensors().items():
        np.testing.assert_array_equal(t.numpy(), other_average.tensors()[n].numpy())


def test_what_does_not_fit(tmp_path):
    path = tmp_path / "a"
    esp.save(Model().initialize(seed=1), path)
    other = Model(3).initialize(seed=2)
    before = other.state_dict()
    with pytest.raises(esp.ShapeError, match=r"hidden.weight is \[5, 4\], and the parameter is \[5, 3\]") as caught:
        esp.load(other, path)
    assert "test_files.py" in str(caught.value)
    for n, t in before.items():
        np.testing.assert_array_equal(other[n].numpy(), t.numpy())
    loaded = esp.load(other, path, strict=False)
    assert loaded.misshapen == ["hidden.weight"] and loaded.missing == loaded.unexpected == []
    np.testing.assert_array_equal(other.out.weight.numpy(), esp.load_file(path)["out.weight"].numpy())

    class Larger(Model):
        def __init__(self):
            super().__init__()
            self.more = esp.nn.Linear(2, 2)
            del self.out

    with pytest.raises(esp.DataError, match="more"):
        esp.load(Larger(), path)
    loaded = esp.load(Larger(), path, strict=False)
    assert loaded.missing == ["more.bias", "more.weight"] or set(loaded.missing) == {"more.bias", "more.weight"}
    assert set(loaded.unexpected) == {"out.bias", "out.weight"}


def test_wrong_files(tmp_path):
    model = Model()
    path = tmp_path / "a"
    esp.save(model, path)
    whole = path.read_bytes()
    with pytest.raises((esp.DataError, OSError), match="nowhere"):
        esp.load(model, tmp_path / "nowhere")
    for n, content in enumerate([b"", b"x", b"no tensors at all" * 10, whole[:20], whole[:-1], whole + b"x", b"\xff" * 100, b"PK\x03\x04" + b"\0" * 100]):
        bad = tmp_path / f"bad{n}"
        bad.write_bytes(content)
        for f in (lambda: esp.load(model, bad), lambda: esp.load_file(bad), lambda: esp.load(model, bad, strict=False)):
            with pytest.raises(esp.DataError, match=f"bad{n}") as caught:
                f()
            assert "(test_files.py:" in str(caught.value)
    with pytest.raises((esp.DataError, OSError)):
        esp.save(model, tmp_path / "no" / "folder")
    with pytest.raises((esp.DataError, OSError)):
        esp.load(model, tmp_path)
    with pytest.raises(TypeError):
        esp.save(model, 5)
    with pytest.raises(TypeError):
        esp.save(model, path, metadata={"number": 5})
    with pytest.raises((TypeError, AttributeError)):
        esp.save([1], path)
    with pytest.raises((esp.Error, ValueError), match="espalier"):
        esp.save(model, path, metadata={"espalier.position.epoch": "1"})
    assert path.read_bytes() == whole


def test_an_optimizer_of_another_kind(tmp_path):
    engine, model, path = esp.Engine(), Model().initialize(seed=1), tmp_path / "a"
    adam = esp.optim.Adam(model.parameters())
    train(engine, model, adam, 1)
    esp.save(model, path, optimizer=adam)
    with pytest.raises(esp.DataError):
        esp.load(Model(), path, optimizer=esp.optim.Adagrad(model.parameters()))
    other = Model()
    esp.load(other, path)  # without the optimiser
    assert_equal(model, other)


def test_tensor_files(tmp_path):
    path = tmp_path / "t"
    tensors = {"a": floats(2, 3), "b.c": np.float64(4), "d": [1, 2], "e": esp.Tensor(floats(2)), "f": np.zeros((0, 3)), "g": esp.Parameter((2,), init=1)}
    esp.save_file(tensors, path, {"k": "v"})
    read = esp.load_file(path)
    assert set(read) == set(tensors) and read["b.c"].shape == () and read["f"].shape == (0, 3)
    for n, t in tensors.items():
        np.testing.assert_array_equal(read[n].numpy(), np.asarray(t, "f4"))
    for bad in ({"a": "text"}, {"a": None}, {5: floats(2)}):
        with pytest.raises(TypeError):
            esp.save_file(bad, tmp_path / "u")
    assert not (tmp_path / "u").exists()
    p = esp.Parameter((2, 3), init=esp.init.from_file(str(path), "a"))
    np.testing.assert_array_equal(p.numpy(), floats(2, 3))
    with pytest.raises(esp.Error):
        esp.Parameter((2, 3), init=esp.init.from_file(str(path), "d")).numpy()


def test_safetensors_of_other_writers(tmp_path):
    """The format itself: a length, a header in JSON, the numbers."""
    path, values = tmp_path / "t", {"weight": floats(2, 3), "bias": np.arange(2, dtype="f8")}
    header, data = {}, b""
    for n, v in values.items():
        header[n] = {"dtype": {"f4": "F32", "f8": "F64"}[v.dtype.str[1:]], "shape": v.shape, "data_offsets": [len(data), len(data) + v.nbytes]}
        data += v.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    linear = esp.nn.Linear(3, 2)
    esp.load(linear, path)
    np.testing.assert_array_equal(linear.bias.numpy(), [0, 1])
    esp.save(linear, path, metadata={"a": "b"})
    raw = path.read_bytes()
    n = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + n])
    begin, end = header["weight"]["data_offsets"]
    np.testing.assert_array_equal(np.frombuffer(raw[8 + n + begin : 8 + n + end], "f4").reshape(header["weight"]["shape"]), floats(2, 3))
    assert header["__metadata__"]["a"] == "b"


def test_torch_files(tmp_path):
    torch = pytest.importorskip("torch")
    other = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    torch.save({"0.weight": other[0].weight, "0.bias": other[0].bias, "1.weight": other[2].weight, "1.bias": other[2].bias}, tmp_path / "t.pt")
    mlp = esp.nn.MLP([4, 8, 2])
    esp.load(mlp, tmp_path / "t.pt")
    np.testing.assert_allclose(esp.Engine().infer(ROWS, mlp, stack=True), other(torch.tensor(np.stack(ROWS))).detach().numpy(), rtol=1e-4, atol=1e-5)


class FizzBuzz(esp.Module):
    """The model of the program's task of this name."""

    def __init__(self):
        self.hidden, self.out = esp.nn.Linear(10, 100), esp.nn.Linear(100, 4)


@pytest.mark.skipif(not os.environ.get("ESPALIER_PROGRAM"), reason="$ESPALIER_PROGRAM names no program")
def test_checkpoints_of_the_program(tmp_path):
    def run(*arguments):
        return subprocess.run([os.path.abspath(os.environ["ESPALIER_PROGRAM"]), *arguments], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    run("train", "fizz-buzz", "--epochs", "2", "--threads", "1", "--quiet")
    folder = tmp_path / "runs" / "fizz-buzz"
    model = FizzBuzz()
    adam = esp.optim.Adam(model.parameters())
    loaded = esp.load(model, folder / "last.safetensors", optimizer=adam)
    assert loaded.epoch == 2 and loaded.minibatch == 0 and loaded.metadata["task"] == "fizz-buzz"
    assert adam.steps == 30 and adam.lr == pytest.approx(0.01)
    # What Python writes is read by the program: the same score.
    best = esp.load(model, folder / "best.safetensors")
    metadata = {k: v for k, v in best.metadata.items() if not k.startswith("espalier.")}
    score = run("eval", str(folder / "best.safetensors"))
    esp.save(model, tmp_path / "python.safetensors", metadata=metadata)
    by_python = run("eval", str(tmp_path / "python.safetensors"))
    assert json.loads(score)["accuracy"] == json.loads(by_python)["accuracy"] if "accuracy" in json.loads(score) else score.split()[-1] == by_python.split()[-1]


MISSING = [
    lambda folder: esp.load(esp.nn.Linear(2, 2), folder / "none"),
    lambda folder: esp.load_file(folder / "none"),
    lambda folder: esp.save(esp.nn.Linear(2, 2), folder / "none" / "file"),
    lambda folder: esp.save_file({"x": [1.0]}, folder / "none" / "file"),
    lambda folder: esp.data.text.read(folder / "none", esp.data.Vocabulary()),
    lambda folder: esp.data.sentiment.read(folder / "none", esp.data.Vocabulary()),
    lambda folder: esp.data.word_vectors.read(folder / "none"),
    lambda folder: esp.data.table.read(folder / "none"),
]


@pytest.mark.parametrize("act", MISSING)
def test_a_missing_file_is_a_file_not_found_error(act, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        act(tmp_path)
    error = caught.value
    assert isinstance(error, esp.DataError) and isinstance(error, esp.FileNotFoundError)
    assert error.errno == errno.ENOENT and error.strerror == os.strerror(errno.ENOENT)
    assert error.filename.startswith(str(tmp_path / "none"))
    assert str(error).startswith(f"{error.filename}: cannot be ") and "(test_files.py:" in str(error)


def test_other_errors_of_files(tmp_path):
    with pytest.raises(esp.FileError) as caught:
        esp.save_file({"x": [1.0]}, "/proc/none")
    assert isinstance(caught.value, OSError) and caught.value.errno
    with pytest.raises(esp.FileError) as caught:  # opens, but cannot be read
        esp.data.text.read(tmp_path, esp.data.Vocabulary())
    assert caught.value.errno == errno.EISDIR and caught.value.filename == str(tmp_path)
    with pytest.raises(esp.DataError) as caught:
        esp.load_file(tmp_path)
    assert not isinstance(caught.value, esp.FileNotFoundError)
