"""Molecules as graphs: the chemical features of atoms and bonds as small integers. espalier.smiles reads them."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from .. import _core


class Hybridisation(IntEnum):
    OTHER, S, SP, SP2, SP3, SP3D, SP3D2 = range(7)


class Chirality(IntEnum):
    """Cahn-Ingold-Prelog rules."""

    NONE, R, S = range(3)


class BondOrder(IntEnum):
    OTHER, SINGLE, DOUBLE, TRIPLE, AROMATIC = range(5)


class BondStereo(IntEnum):
    NONE, Z, E = range(3)


@dataclass
class Atom:
    """Hydrogens are counted in their heavy atom. smallest_ring: the size of the smallest ring with this atom; 0: none."""

    element: int = 0  # atomic number; 0: any element (*)
    degree: int = 0  # bonds to other atoms of the molecule
    charge: int = 0
    hydrogens: int = 0
    radicals: int = 0  # unpaired electrons
    smallest_ring: int = 0
    hybridisation: Hybridisation = Hybridisation.OTHER
    chirality: Chirality = Chirality.NONE
    aromatic: bool = False


@dataclass
class Bond:
    """ends: the indices of two atoms."""

    ends: tuple[int, int]
    order: BondOrder = BondOrder.OTHER
    stereo: BondStereo = BondStereo.NONE
    conjugated: bool = False
    in_ring: bool = False


class AtomPair(NamedTuple):
    """Two atoms, ends[0] < ends[1]; distance: bonds on the shortest path; bond: the one between them, or -1."""

    ends: tuple[int, int]
    distance: int
    bond: int


@dataclass
class Molecule:
    atoms: list[Atom] = field(default_factory=list[Atom])
    bonds: list[Bond] = field(default_factory=list[Bond])

    def bonds_of_atoms(self) -> list[list[int]]:
        """For each atom, the indices of its bonds."""
        return list(_core.data.bonds_of_atoms(len(self.atoms), self._ends()))

    def pairs_within(self, distance: int) -> list[AtomPair]:
        """All pairs of atoms at most `distance` bonds apart, sorted by their ends."""
        return [AtomPair(*pair) for pair in _core.data.pairs_within(len(self.atoms), self._ends(), distance)]

    def _ends(self) -> list[tuple[int, int]]:
        return [bond.ends for bond in self.bonds]
