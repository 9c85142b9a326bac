"""Molecules from SMILES strings, if the package was built with RDKit."""
import numpy as np
import pytest

import espalier as esp
from espalier.data import molecule


def error_of(f):
    with pytest.raises(esp.DataError) as caught:
        f()
    return str(caught.value)


def test_smiles(tmp_path):
    if not esp.smiles.available():
        with pytest.raises(esp.Error, match="built without RDKit.*librdkit-dev"):
            esp.smiles.parse("C")
        return
    phenol = esp.smiles.parse("c1ccccc1O")
    assert [a.element for a in phenol.atoms] == [6] * 6 + [8] and phenol.atoms[0].aromatic
    assert {b.order for b in phenol.bonds} == {molecule.BondOrder.AROMATIC, molecule.BondOrder.SINGLE}
    assert esp.smiles.scaffold("c1ccccc1O") == "c1ccccc1" and esp.smiles.scaffold("CC") == ""
    assert "is not a valid molecule" in error_of(lambda: esp.smiles.parse("C(C)(C)(C)(C)C"))
    path = tmp_path / "esol.csv"
    path.write_text("smiles,logp\nCC,1.5\nC(,2\nCO,\n")
    examples = esp.smiles.read(path, targets=["logp"])
    assert [e.smiles for e in examples.rows] == ["CC", "CO"] and examples.rows[0].targets == [1.5]
    assert np.isnan(examples.rows[1].targets[0]) and "esol.csv:3:1: " in examples.refused[0]
    assert "no column 'SMILES'; the table has 'smiles', 'logp'" in error_of(lambda: esp.smiles.read(path, smiles="SMILES"))


def test_without_rdkit_the_error_names_it(monkeypatch):
    monkeypatch.setattr(esp.smiles, "_smiles", None)
    assert not esp.smiles.available()
    for f in (esp.smiles.parse, esp.smiles.scaffold, esp.smiles.read):
        with pytest.raises(esp.Error, match="built without RDKit.*librdkit-dev"):
            f("C")
