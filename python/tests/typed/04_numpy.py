# The program of the same name, with annotations: type checkers read it, in strict mode.
"""Arrays in and out; files that PyTorch and the C++ program read."""
import os
import tempfile

import numpy as np

import espalier as esp

model = esp.nn.MLP([4, 8, 2])
model.initialize(seed=3)
engine = esp.Engine()

weights = model.state_dict()                                    # name -> tensor, in the order of making
view = np.from_dlpack(weights["0.weight"])                      # no copy, read-only: write with parameter.assign(array)
assert view.shape == (8, 4) and view.dtype == np.float32 and not view.flags.writeable
np.asarray(weights["0.bias"])

x = np.array(range(12), dtype=np.float64).reshape(3, 4)               # other number types are converted, once, with a clear rule
rows = engine.infer(list(x), model)
assert len(rows) == 3 and rows[0].shape == (2,) and rows[0].dtype == np.float32
stacked = engine.infer(list(x), model, stack=True)              # one array [3, 2]
np.testing.assert_array_equal(np.stack(rows), stacked)

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "mlp.safetensors")
    esp.save(model, path, metadata={"note": "three layers"})
    other = esp.nn.MLP([4, 8, 2])
    esp.load(other, path)
    np.testing.assert_array_equal(engine.infer(list(x), other, stack=True), stacked)
    try:
        esp.load(esp.nn.MLP([4, 9, 2]), path)
        raise AssertionError("a file of another shape was taken")
    except esp.ShapeError as e:
        assert "0.weight" in str(e) and "[9, 4]" in str(e), e

# The gradients of named inputs, one array per example.
losses = engine.record(list(x), lambda v: esp.sum_elements(model(esp.input(v, name="v")) ** 2))
assert [g.shape for g in engine.backward(losses).inputs["v"]] == [(4,)] * 3
