"""Minibatches: the examples of one epoch, shuffled and split."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

from . import _check, _core


class Minibatch(Sequence[Any]):
    """Examples by their ids. Ids and epoch key dropout, so it does not depend on the other examples."""

    __slots__ = ("source", "ids", "epoch")

    def __init__(self, source: Any, ids: Sequence[int], epoch: int = 0) -> None:
        self.source = source
        self.ids = list(ids)
        self.epoch = epoch

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return Minibatch(self.source, self.ids[i], self.epoch)
        return self.source[self.ids[i]]

    def __iter__(self) -> Iterator[Any]:
        source = self.source
        return iter([source[i] for i in self.ids])

    def __repr__(self) -> str:
        return f"<Minibatch of {len(self)} examples, epoch {self.epoch}>"


def minibatches(data: Any, size: int, *, seed: int = 0, epoch: int = 0) -> list[Minibatch]:
    """All examples of `data`, a sequence, once each, in an order that depends on seed and epoch only. The last minibatch
    may be smaller. A number n stands for range(n)."""
    who = "minibatches"
    if isinstance(data, int):
        data = range(_check.integer(who, "data", data))
    if not hasattr(data, "__len__") or not hasattr(data, "__getitem__") or isinstance(data, Mapping):
        raise TypeError(
            f"{who}: data is {_check.type_of(data)}; it must be a sequence, such as a list, or a number of examples"
            + _core.user_line()
        )
    size, seed = _check.integer(who, "size", size), _check.integer(who, "seed", seed)
    all_ids = _core.minibatches(len(data), size, seed, _check.integer(who, "epoch", epoch))
    return [Minibatch(data, ids, epoch) for ids in all_ids]
