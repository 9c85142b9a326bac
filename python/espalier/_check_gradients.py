"""check_gradients: compares gradients with finite differences."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import Any, Callable, NamedTuple

from . import _core
from .module import Module


class GradientDifference(NamedTuple):
    """An element of a parameter whose gradient is wrong; slope: the finite difference."""

    parameter: str
    element: int
    gradient: float
    slope: float


class GradientCheck:
    """What check_gradients() found; true if `ok`.

    checked: elements compared; skipped: elements at a kink, where the left and right slopes differ; wrong: the
    differences, the largest first; text: all this in one line.
    """

    __slots__ = ("checked", "skipped", "wrong", "text")

    def __init__(self, checked: int, skipped: int, wrong: list[tuple[str, int, float, float]], text: str) -> None:
        self.checked = checked
        self.skipped = skipped
        self.wrong = [GradientDifference(*w) for w in wrong]
        self.text = text

    @property
    def ok(self) -> bool:
        """Whether elements were compared and none is wrong."""
        return self.checked > 0 and not self.wrong

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        return self.text


def check_gradients(
    parameters: Any,
    loss: Callable[[], Any],
    *,
    pattern: str = "*",
    elements: int = 20,
    tolerance: float = 1e-4,
    device: str = "cpu",
) -> GradientCheck:
    """Compares the gradients of a loss with finite differences in double, for tests of a model.

        check = esp.check_gradients(model, lambda: esp.cross_entropy(model(tree), 1))
        assert check.ok, check

    parameters: a Module, or a list of Parameters. loss: records the same loss at every call and returns it: an Expr, or
    several, whose sum is the loss. pattern: a glob of names. elements: random ones per parameter; 0: all. device: cpu, ref
    or cuda; it computes the gradients. Dropout draws the same numbers at every call. Parameters keep their values.
    """
    listed = parameters.parameters() if isinstance(parameters, Module) else list(parameters)
    return GradientCheck(*_core.check_gradients(listed, loss, pattern, elements, tolerance, device))
