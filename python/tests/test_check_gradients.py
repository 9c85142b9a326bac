"""check_gradients: gradients of losses that Python functions record, compared with finite differences."""
import gc

import numpy as np
import pytest

import espalier as esp


class Tagger(esp.Module):
    def __init__(self):
        self.words = esp.nn.Embedding(5, 3)
        self.lstm = esp.nn.LSTM(3, 4)
        self.out = esp.nn.Linear(4, 2)

    def loss(self, wrong=False):
        losses = []
        for words in ([1, 2, 3], [4, 4], [0]):
            state = None
            for word in words:
                state = self.lstm(esp.dropout(self.words(word), 0.25), state)
            h = state.h + esp.stop_gradient(state.h) if wrong else state.h * 2  # the same value, half the gradient
            losses.append(esp.cross_entropy(self.out(h), words[0] % 2))
        return losses


@pytest.mark.parametrize("device", ["cpu", "ref"])
def test_right_gradients(device):
    model = Tagger()
    model.initialize(seed=7)
    before = {name: np.array(t) for name, t in model.state_dict().items()}
    check = esp.check_gradients(model, model.loss, device=device)
    assert check.ok and check, check
    assert check.wrong == [] and check.checked + check.skipped == 15 + 20 + 20 + 16 + 8 + 2
    assert repr(check) == check.text == f"{check.checked} elements checked, 0 wrong"
    for name, values in before.items():
        np.testing.assert_array_equal(model[name], values)


def test_wrong_gradients_are_named():
    model = Tagger()
    model.initialize(seed=7)
    check = esp.check_gradients(model, lambda: model.loss(wrong=True), pattern="lstm.*", elements=0)
    assert not check.ok and not check and check.checked == 48 + 64 + 16
    worst = check.wrong[0]
    assert worst.parameter.startswith("lstm.") and worst.gradient == pytest.approx(worst.slope / 2, abs=1e-4)
    assert check.text.startswith("128 elements checked, ") and f"{worst.parameter}[{worst.element}]" in repr(check)
    assert esp.check_gradients(model, lambda: model.loss(wrong=True), tolerance=2).ok
    assert esp.check_gradients(model, lambda: model.loss(wrong=True), pattern="out.*").ok


def test_a_list_of_parameters_and_values_drawn_late():
    linear = esp.nn.Linear(2, 2)
    unused = esp.nn.Linear(2, 2)
    whole = esp.Module()
    whole.a, whole.b = linear, unused
    assert not linear["weight"].drawn
    check = esp.check_gradients(whole, lambda: esp.cross_entropy(linear([1, 2]), 1))
    assert check.ok and check.checked == 12
    one = esp.check_gradients([linear["weight"]], lambda: esp.cross_entropy(linear([1, 2]), 1))
    assert one.ok and one.checked == 4


def test_kinks_are_skipped():
    model = esp.Module()
    model.w = esp.Parameter(5, init=[0.0, 0.0, 1e-4, -2e-4, 1.0])
    check = esp.check_gradients(model, lambda: esp.sum_elements(esp.relu(model.w) * 3 + esp.square(model.w)))
    assert (check.ok, check.checked, check.skipped) == (True, 3, 2)
    assert repr(check) == "3 elements checked, 2 skipped at kinks, 0 wrong"


def test_nothing_to_check_is_not_ok():
    model = Tagger()
    check = esp.check_gradients(model, model.loss, pattern="nothing.*")
    assert not check.ok and check.checked == 0
    model.requires_grad_(False)
    assert not esp.check_gradients(model, model.loss)


def test_errors_pass_through():
    model = Tagger()
    model.initialize(seed=1)
    before = np.array(model["lstm.weight_ih"])
    calls = []

    def fails_later():
        calls.append(1)
        if len(calls) > 5:
            raise KeyError("mine")
        return model.loss()

    with pytest.raises(KeyError, match="mine"):
        esp.check_gradients(model, fails_later)
    np.testing.assert_array_equal(model["lstm.weight_ih"], before)
    with pytest.raises(TypeError, match="returned an int; it must return an Expr"):
        esp.check_gradients(model, lambda: 3)
    with pytest.raises(esp.ShapeError, match="test_check_gradients.py"):
        esp.check_gradients(model, lambda: model.out([1, 2, 3]))
    with pytest.raises(esp.OptionError, match="device 'tpu' is unknown"):
        esp.check_gradients(model, model.loss, device="tpu")
    with pytest.raises(TypeError, match="no Parameter"):
        esp.check_gradients([1], model.loss)
    gc.collect()
    assert esp.check_gradients(model, model.loss).ok


def test_a_json_model():
    records = [{"a": 1.0, "kind": "x", "list": [1.5, 2.0]}, {"a": -1.0, "kind": "y", "list": []}]
    model = esp.json.model(records, hidden=3)
    check = esp.check_gradients(model, lambda: [esp.sum_elements(esp.square(model(r))) for r in records])
    assert check.ok, check
