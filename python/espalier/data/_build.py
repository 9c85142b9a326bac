"""What the readers share: paths, and trees made of lists of nodes and back. Nothing here recurses."""
from __future__ import annotations

import os
from typing import Any, Callable, Iterator, Sequence, TypeVar

T = TypeVar("T")


def path_of(path: str | os.PathLike[str]) -> bytes:
    return os.fsencode(path)


def examples(handle: Any, make: Callable[[Any], T]) -> Iterator[T]:
    """An iterator that survives its errors: after a DataError it continues with the next example."""
    return map(make, handle)


def postorder(root: T, children: Callable[[T], Sequence[T]]) -> list[tuple[T, list[int]]]:
    """All nodes, children first, with the indices of their children."""
    order: list[T] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(children(node))
    order.reverse()  # children first, from left to right
    found: list[tuple[T, list[int]]] = []
    open_: list[int] = []  # the nodes that have no parent yet
    for i, node in enumerate(order):
        n = len(children(node))
        if n:
            found.append((node, open_[-n:]))
            del open_[-n:]
        else:
            found.append((node, []))
        open_.append(i)
    return found
