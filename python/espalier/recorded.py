"""Recorded: examples that are recorded once and replayed in later epochs."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Sequence

if TYPE_CHECKING:
    from .engine import Batch, Engine


class Recorded(Sequence[Any]):
    def __init__(self, data: Sequence[Any], f: Callable[[Any], Any]) -> None:
        self._data, self._f = data, f

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, i: Any) -> Any:
        return self._data[i]

    def _record(self, engine: Engine, batch: Sequence[Any], train: bool) -> Batch:
        return engine.record(batch, self._f, mode="train" if train else "infer")
