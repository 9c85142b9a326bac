"""Molecules from SMILES strings (Weininger 1988), with RDKit: only if the package was built with it."""
# pyright: reportPrivateUsage=false, reportUnknownVariableType=false
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, NamedTuple, Sequence

from . import _core
from .data.molecule import Atom, Bond, BondOrder, BondStereo, Chirality, Hybridisation, Molecule

try:
    from . import _smiles  # type: ignore[attr-defined]

    _missing = ""
except ImportError as error:
    _smiles = None
    _missing = str(error)


def available() -> bool:
    """Whether the package was built with RDKit. Without it, the other functions raise an Error."""
    return _smiles is not None


def _reader() -> Any:
    if _smiles is None:
        raise _core.Error(
            "smiles: this package was built without RDKit; build it from source with RDKit's headers and libraries "
            f"(Debian: librdkit-dev and libboost-dev) ({_missing})"
        )
    return _smiles


def _molecule(parts: tuple[list[Any], list[Any]]) -> Molecule:
    atoms, bonds = parts
    return Molecule(
        [
            Atom(*a[:6], hybridisation=Hybridisation(a[6]), chirality=Chirality(a[7]), aromatic=a[8])  # type: ignore[misc]
            for a in atoms
        ],
        [Bond(b[0], BondOrder(b[1]), BondStereo(b[2]), b[3], b[4]) for b in bonds],
    )


@dataclass
class Example:
    """A row of a table. targets: NaN is a missing one."""

    smiles: str
    molecule: Molecule
    targets: list[float]


class Examples(NamedTuple):
    """refused: one message for each row with an invalid SMILES: "bbbp.csv:61:3: ..."."""

    rows: list[Example]
    refused: list[str]


def parse(smiles: str) -> Molecule:
    """The molecule of a SMILES. DataError: invalid syntax, or an impossible molecule."""
    return _molecule(_reader().parse(smiles))


def scaffold(smiles: str) -> str:
    """The rings of a molecule and the chains between them (Bemis and Murcko 1996) as a canonical SMILES; empty if it has no
    ring. Data sets are divided by scaffold to test a model on new kinds of molecules."""
    return str(_reader().scaffold(smiles))


def read(path: str | os.PathLike[str], *, targets: Sequence[str] = (), smiles: str = "smiles") -> Examples:
    """Molecules and targets from columns of a plain or gzip table. An error in the table itself is a DataError."""
    rows, refused = _reader().read(os.fsencode(path), list(targets), smiles)
    return Examples([Example(text, _molecule(parts), numbers) for text, parts, numbers in rows], refused)
