"""Synthetic images of handwritten digits with the size and the classes of MNIST (LeCun et al. 1998)."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ... import _core

width, height, digits = 28, 28, 10


@dataclass(eq=False)
class Image:
    """pixels: a read-only array [28, 28]; 0: paper, 1: ink."""

    pixels: Any
    digit: int


def draw(index: int, *, seed: int = 0) -> Image:
    """Example `index` of this seed."""
    return Image(*_core.data.digit_image(seed, index))


def generate(n: int, *, seed: int = 0) -> list[Image]:
    """Examples 0 ... n-1."""
    return [draw(i, seed=seed) for i in range(n)]
