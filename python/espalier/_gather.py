"""gather: several awaits of one example at once."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import Any, Generator

from . import _core


class gather:
    """await esp.gather(a, b, ...): waits for Exprs and coroutines together, and returns a list of their results.

    Each coroutine has random numbers of its own. If one raises an exception, the others are cancelled.
    """

    def __init__(self, *awaitables: Any) -> None:
        self._awaitables = awaitables

    def __await__(self) -> Generator[Any, None, list[Any]]:
        results: list[Any] = [None] * len(self._awaitables)
        iterators: list[Any] = []
        for x in self._awaitables:
            if not hasattr(x, "__await__"):
                raise TypeError(f"gather: {type(x).__name__} cannot be awaited; an Expr or a coroutine is needed")
            iterators.append(x.__await__())
        branches = [_core.Branch(i) for i in range(len(iterators))]
        _core.end_fork()
        waiting = list(range(len(iterators)))
        try:
            while waiting:
                requests: list[Any] = []
                for i in list(waiting):
                    branches[i].enter()
                    try:
                        requests.append(next(iterators[i]))
                    except StopIteration as stop:
                        results[i] = stop.value
                        waiting.remove(i)
                    finally:
                        branches[i].leave()
                if requests:
                    yield tuple(requests)
        finally:
            for i in waiting:
                close = getattr(iterators[i], "close", None)
                if close is not None:
                    close()
        return results
