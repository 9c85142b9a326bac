"""Comma-separated values with a header line (RFC 4180): rows as dicts."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import os
from typing import Any, Iterator, Sequence

from .. import _core
from ._build import path_of


def stream(path: str | os.PathLike[str], numbers: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """The rows of a plain or gzip file one by one: {column: field}. The columns `numbers` are floats, or None for an empty
    field."""
    return iter(_core.data.table(path_of(path), list(numbers)))


def read(path: str | os.PathLike[str], numbers: Sequence[str] = ()) -> list[dict[str, Any]]:
    """All rows of a file. DataError with file:line:column: an unknown column, a row with more or fewer fields than the
    header, or a field that is not a number."""
    return list(stream(path, numbers))
