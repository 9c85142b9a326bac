"""Models over JSON records."""
import copy
import json
import os
import pickle
import sys

import numpy as np
import pytest

import espalier as esp

RECORDS = [
    {"logp": 4.2, "flag": True, "atoms": [{"element": "c", "charge": -0.1}, {"element": "h", "charge": 0.2}], "toxic": 1},
    {"logp": None, "flag": False, "atoms": [], "toxic": 0},
    {"logp": 1.5, "flag": True, "atoms": [{"element": "o", "charge": 0.3}], "toxic": 1},
]


@pytest.fixture
def engine():
    return esp.Engine()


def model(**options):
    made = esp.json.model(RECORDS, hidden=4, ignore=["toxic"], **options)
    made.initialize(seed=1)
    return made


# ---- schemas


def test_a_schema_is_a_dict():
    schema = esp.json.infer_schema(RECORDS)
    assert schema["type"] == "object" and schema["required"] == ["atoms", "flag", "logp", "toxic"]
    assert schema["properties"]["logp"] == {"type": ["number", "null"], "minimum": 1.5, "maximum": 4.2}
    assert schema["properties"]["atoms"]["items"]["properties"]["element"]["enum"] == ["c", "h", "o"]
    assert json.loads(json.dumps(schema)) == schema
    assert esp.json.infer_schema(RECORDS[::-1]) == schema


def test_a_schema_of_a_file(tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(json.dumps(r) for r in RECORDS))
    assert esp.json.infer_schema(path) == esp.json.infer_schema(str(path)) == esp.json.infer_schema(RECORDS)
    assert esp.json.read(path) == RECORDS
    path.write_text(json.dumps(RECORDS))
    assert esp.json.read(path) == RECORDS
    made = esp.json.model(path, hidden=4, ignore=["toxic"])
    assert made.schema == model().schema


def test_records_are_read_exactly(tmp_path):
    value = [None, True, -(2**63), 2**64 - 1, 0.1, "\u00e9\u0000\U0001f600", [], {}, [[1]], {"a b": {"c": []}}]
    path = tmp_path / "values.json"
    path.write_text(json.dumps([value]))
    assert esp.json.read(path) == [value]
    assert [type(x) for x in esp.json.read(path)[0]] == [type(x) for x in value]


def test_an_invalid_file_is_named_with_line_and_column(tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_text('{"a": 1}\n{"a": x}\n')
    records = esp.json.stream(path)
    assert next(records) == {"a": 1}
    with pytest.raises(esp.DataError, match="records.jsonl:2:"):
        next(records)
    with pytest.raises(esp.DataError, match="records.jsonl:2:"):
        esp.json.infer_schema(path)


def test_records_that_json_does_not_have():
    def refused(record):
        with pytest.raises(esp.DataError) as caught:
            esp.json.infer_schema([{}, record])
        return str(caught.value)

    assert refused({"atoms": [1, 2, 3, {4}]}).startswith("$.atoms[3]: a set is given; a dict, list, string")
    assert "(record 1) (test_json.py:" in refused({"a": object()})
    assert refused({"a": {1: 2}}).startswith("$.a: a field is named by an int; a string is needed")
    assert refused({"a b": b"bytes"}).startswith('$["a b"]: a bytes is given')
    assert "lone surrogate" in refused({"a": "\ud800"})
    assert "outside the range" in refused({"a": 10**400})
    loop = []
    loop.append(loop)
    assert "nested deeper than 1000 levels" in refused(loop)
    for not_records in (3, RECORDS[0]):
        with pytest.raises(TypeError, match="list"):
            esp.json.infer_schema(not_records)
    with pytest.raises(esp.DataError):
        esp.json.infer_schema([])


def test_numpy_values_are_json(engine):
    made = model()
    record = copy.deepcopy(RECORDS[0])
    expected = engine.infer([record], made)[0]
    record["logp"] = np.float32(4.2).astype("f8")
    record["flag"] = np.bool_(True)
    record["atoms"] = tuple(record["atoms"])
    np.testing.assert_allclose(engine.infer([record], made)[0], expected, rtol=1e-6)
    assert esp.json.infer_schema([np.arange(3)]) == esp.json.infer_schema([[0, 1, 2]])
    assert esp.json.infer_schema([np.int64(7)]) == esp.json.infer_schema([7])


# ---- models


def test_a_model_is_a_module(engine):
    made = model()
    assert {n: p.shape for n, p in made.named_parameters()} == {
        "atoms.items.element.embedding": (4, 4),
        "atoms.items.weight": (4, 5),
        "atoms.items.bias": (4,),
        "atoms.attend": (4,),
        "atoms.weight": (4, 9),
        "atoms.bias": (4,),
        "weight": (4, 7),
        "bias": (4,),
    }
    rows = engine.infer(RECORDS, made)
    assert [r.shape for r in rows] == [(4,)] * 3 and np.abs(rows).max() <= 1
    assert not np.allclose(rows[0], rows[1])


def test_values_are_drawn_late():
    class Classifier(esp.Module):
        def __init__(self):
            self.molecule = esp.json.model(RECORDS, hidden=4, ignore=["toxic"])
            self.out = esp.nn.Linear(4, 2)

    made = Classifier()
    parameter = made["molecule.atoms.items.weight"]
    assert not parameter.drawn and parameter.name == "molecule.atoms.items.weight"
    made.initialize(seed=3)
    assert parameter.drawn
    np.testing.assert_array_equal(Classifier().initialize(seed=3)["molecule.atoms.weight"], made["molecule.atoms.weight"])


def test_a_model_learns(engine):
    molecule, out = esp.json.model(RECORDS, hidden=8, ignore=["toxic"]), esp.nn.Linear(8, 2)
    whole = esp.Module()
    whole.molecule, whole.out = molecule, out
    whole.initialize(seed=1)
    adam = esp.optim.Adam(whole.parameters(), lr=0.05)
    for _ in range(40):
        batch = engine.record(RECORDS, lambda r: esp.cross_entropy(out(molecule(r)), r["toxic"]))
        gradients = engine.backward(batch)
        adam.step(gradients)
    assert gradients.loss.item() < 0.1


def test_ignored_fields_are_not_read(engine):
    made = model()
    assert "toxic" not in made.schema["properties"] and "toxic" not in made.schema["required"]
    record = {**RECORDS[0], "toxic": [["anything"]], "new": None}
    np.testing.assert_array_equal(engine.infer([record], made)[0], engine.infer(RECORDS[:1], made)[0])
    with pytest.raises(esp.DataError, match="no field 'toxix' to ignore; their fields are atoms, flag, logp, toxic"):
        esp.json.model(RECORDS, ignore=["toxix"])
    with pytest.raises(TypeError, match="a list of fields"):
        esp.json.model(RECORDS, ignore="toxic")


def test_errors_have_the_path(engine):
    made = model()
    bad = copy.deepcopy(RECORDS)
    bad[2]["atoms"] = [{"element": "c", "charge": 0.5}] * 3 + [{"element": "c", "charge": "x"}]
    with pytest.raises(esp.DataError) as caught:
        engine.infer(bad, made)
    assert str(caught.value).startswith("$.atoms[3].charge: a string is given; a number is needed (test_json.py:")
    assert sys.version_info < (3, 11) or caught.value.__notes__ == ["example 2"]
    rows = engine.infer(bad, made, skip_bad=True)
    assert len(rows) == 2 and rows.failed[0].position == 2
    with pytest.raises(esp.DataError, match=r"^\$\.logp: a set is given"):
        engine.infer([{**RECORDS[0], "logp": {1}}], made)


def test_a_model_needs_a_graph():
    with pytest.raises(esp.GraphError, match="engine.record"):
        model()(RECORDS[0])


def test_a_schema_of_ones_own(engine):
    schema = {"type": "object", "properties": {"x": {"type": "number", "minimum": 0, "maximum": 1}}, "required": ["x"]}
    made = esp.json.Model(schema, hidden=3)
    assert made["weight"].shape == (3, 1)
    schema["properties"].clear()
    assert made.schema["properties"]
    assert engine.infer([{"x": 0.5}], made)[0].shape == (3,)
    with pytest.raises(esp.DataError, match="from_schema: .*ref"):
        esp.json.Model({"$ref": "#"})
    with pytest.raises(esp.DataError, match="hidden is 0; it must be at least 1"):
        esp.json.Model(schema, hidden=0)


def test_a_model_is_pickled_and_copied(engine):
    made = model()
    expected = engine.infer(RECORDS, made)
    for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert other.schema == made.schema
        np.testing.assert_array_equal(engine.infer(RECORDS, other), expected)


def test_state_dict_and_files(engine, tmp_path):
    made = model()
    esp.save(made, tmp_path / "model.safetensors")
    other = esp.json.Model(made.schema, hidden=4)
    esp.load(other, tmp_path / "model.safetensors")
    np.testing.assert_array_equal(engine.infer(RECORDS, other), engine.infer(RECORDS, made))


def test_published_records(engine):
    folder = os.environ.get("ESPALIER_DATA", "")
    path = os.path.join(folder, "json_mutagenesis", "mutagenesis.json")
    if not folder or not os.path.exists(path):
        pytest.skip("$ESPALIER_DATA has no json_mutagenesis")
    records = esp.json.read(path)
    with open(path, encoding="utf-8") as file:
        assert records == json.load(file)
    made = esp.json.model(records, hidden=8, ignore=["mutagenic"])
    assert made.schema == esp.json.model(path, hidden=8, ignore=["mutagenic"]).schema
    batch = engine.record(records, made)
    assert len(engine.infer(batch)) == len(records) == 188
    assert engine.dry_run(batch).calls > 10 * len(engine.dry_run(batch).steps)
