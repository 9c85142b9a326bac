"""progress: shows how far a loop is."""
from __future__ import annotations

import os
import shutil
import sys
from time import monotonic
from typing import Any, Collection, Generic, Iterable, Iterator, TypeVar, cast

from .minibatch import Minibatch

T = TypeVar("T")
REDRAW_SECONDS = 0.1


class progress(Generic[T]):
    """Iterates, and shows how far the loop is: "epoch 3  42%  5,376/12,800  1,234/s  0:06 left  loss 0.432".

        steps = esp.progress(esp.minibatches(trees, 64, seed=1, epoch=epoch), f"epoch {epoch}")
        for batch in steps:
            ...
            steps.show(loss=gradients.loss.item() / len(batch))

    Minibatches are counted by their examples, other items one by one. total: of an iterable without a length. On a terminal
    (stderr) one line is redrawn, in a notebook one output; nothing is written to files and pipes.
    """

    def __init__(self, items: Iterable[T], label: str = "", *, total: int | None = None) -> None:
        self._items, self._label, self._total = items, label, total
        if total is None and hasattr(items, "__len__"):
            known = cast("Collection[T]", items)
            self._total = sum(map(_size, known)) if isinstance(known, list) else len(known)
        self._done = 0
        self._shown: dict[str, float] = {}
        self._began = self._drawn = 0.0

    def show(self, **values: float) -> None:
        """Values at the end of the line; each stays until it is given again."""
        self._shown.update((name, float(value)) for name, value in values.items())

    def __iter__(self) -> Iterator[T]:
        screen = _screen()
        self._done, self._began = 0, monotonic()
        self._drawn = self._began
        try:
            for item in self._items:
                yield item
                self._done += _size(item)
                now = monotonic()
                if screen is not None and now - self._drawn >= REDRAW_SECONDS:
                    self._drawn = now
                    screen.draw(self.line())
        finally:
            if screen is not None:
                screen.end(self.line(ended=True))

    def line(self, ended: bool = False) -> str:
        """The line that is shown now."""
        seconds = monotonic() - self._began
        rate = self._done / seconds if seconds > 0 else 0.0
        parts = [self._label] if self._label else []
        if self._total:
            parts.append(f"{100 * self._done // self._total}%")
        parts.append(f"{self._done:,}" + (f"/{self._total:,}" if self._total else ""))
        if rate > 0:
            parts.append(f"{rate:.2f}/s" if rate < 10 else f"{rate:,.0f}/s")
        if ended:
            parts.append(_duration(seconds))
        elif self._total and rate > 0:
            parts.append(_duration((self._total - self._done) / rate) + " left")
        return "  ".join(parts + [f"{name} {value:.4g}" for name, value in self._shown.items()])


def _size(item: object) -> int:
    return len(item) if isinstance(item, Minibatch) else 1


def _duration(seconds: float) -> str:
    s = round(max(seconds, 0.0))
    return f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}" if s >= 3600 else f"{s // 60}:{s % 60:02}"


class _Terminal:
    def draw(self, line: str) -> None:
        width = shutil.get_terminal_size().columns
        sys.stderr.write(f"\r{line[: width - 1]}\x1b[K")
        sys.stderr.flush()

    def end(self, line: str) -> None:
        self.draw(line)
        sys.stderr.write("\n")


class _Notebook:
    """One output of the cell, which is updated in place."""

    def __init__(self, ipython: Any) -> None:
        self._display = ipython.display.display
        self._handle: Any = None

    def draw(self, line: str) -> None:
        text = {"text/plain": line}
        if self._handle is None:
            self._handle = self._display(text, raw=True, display_id=True)
        else:
            self._handle.update(text, raw=True)

    end = draw


def _screen() -> _Terminal | _Notebook | None:
    ipython = sys.modules.get("IPython")  # a program that runs in a notebook has imported it
    shell = ipython.get_ipython() if ipython is not None else None
    if getattr(shell, "kernel", None) is not None:
        return _Notebook(ipython)
    if sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        return _Terminal()
    return None
