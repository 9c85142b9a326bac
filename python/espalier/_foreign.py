"""The error for an example that awaits what only another library, such as asyncio, can wait for."""
from __future__ import annotations

import os
import sysconfig
from typing import Any, Iterator

_LIBRARIES = tuple({os.path.join(sysconfig.get_path(name), "") for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_PACKAGE = os.path.join(os.path.dirname(__file__), "")


def error(coroutine: Any, awaited: object) -> TypeError:
    """awaited: what reached the engine. The coroutine is suspended there."""
    name, line = f"an object of type {type(awaited).__name__}", ""
    for frame, outer in _frames(coroutine):
        file = frame.f_code.co_filename
        if file.startswith(_LIBRARIES) and not file.startswith(_PACKAGE):
            name = f"{frame.f_globals.get('__name__', '?')}.{outer}()"
            break
        if not file.startswith(_PACKAGE):
            line = f" ({os.path.basename(file)}:{frame.f_lineno})"
    return TypeError(
        f"record: the example awaits {name}; it can await Exprs, espalier.gather and coroutines of such awaits, "
        f"because the engine runs it, not asyncio{line}"
    )


def _frames(suspended: Any) -> Iterator[tuple[Any, str]]:
    """The frames of a coroutine and of what it awaits, the outermost first, with their names."""
    while suspended is not None:
        frame = getattr(suspended, "cr_frame", None) or getattr(suspended, "gi_frame", None)
        if frame is None:
            return
        yield frame, getattr(suspended, "__qualname__", "?")
        if frame.f_code.co_filename.startswith(_PACKAGE):  # espalier.gather: its branches
            for branch in frame.f_locals.get("iterators", ()):
                yield from _frames(_awaited_by(branch))
            return
        suspended = getattr(suspended, "cr_await", None) or getattr(suspended, "gi_yieldfrom", None)


def _awaited_by(iterator: Any) -> Any:
    """The coroutine behind the iterator that its __await__ returned, which does not tell."""
    import gc

    if hasattr(iterator, "cr_frame") or hasattr(iterator, "gi_frame"):
        return iterator
    return next((x for x in gc.get_referents(iterator) if hasattr(x, "cr_frame")), None)
