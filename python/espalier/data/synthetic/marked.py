"""The adding and the multiplication problem (Hochreiter & Schmidhuber 1997, as in Raffel & Ellis 2015): long sequences of
numbers, two of them marked; the target is the sum or the product of the marked numbers."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import Any, NamedTuple

from ... import _core


class Step(NamedTuple):
    """mark: 1 at the two marked steps, else -1 at the first and last step, else 0."""

    number: float
    mark: float


class Sequence(NamedTuple):
    steps: list[Step]
    target: float


def _sequence(parts: tuple[Any, float]) -> Sequence:
    return Sequence([Step(*step) for step in parts[0]], parts[1])


def draw(index: int, *, problem: str = "addition", seed: int = 0, shortest: int = 50, longest: int = 1000) -> Sequence:
    """Example `index` of this seed. problem: addition, whose target is 0.5 + (a + b) / 4, or multiplication."""
    return _sequence(_core.data.marked(problem, seed, index, shortest, longest))


def generate(
    n: int, *, problem: str = "addition", seed: int = 0, shortest: int = 50, longest: int = 1000
) -> list[Sequence]:
    """Examples 0 ... n-1."""
    return [draw(i, problem=problem, seed=seed, shortest=shortest, longest=longest) for i in range(n)]


def parse(text: str, *, problem: str = "addition") -> Sequence:
    """The sequence of "0.31 -0.5* 0.2 0.77* 0": a star follows each marked number."""
    return _sequence(_core.data.marked_parse(problem, text))
