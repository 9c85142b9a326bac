"""Binary trees with a given number of leaves: the synthetic data of TensorFlow Fold's benchmark (Looks et al. 2017)."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from ... import _core
from ..trees import Tree, binary


def generate(n: int, *, leaves: int, kinds: int, seed: int = 0, form: str = "random") -> list[Tree]:
    """n trees without labels (-1), whose words are uniform in 0 ... kinds-1.

    form: random (the number of leaves in the left child is uniform), balanced, or sequence (the deepest).
    """
    return [binary(nodes) for nodes in _core.data.binary_tree_generate(n, seed, leaves, kinds, form)]
