"""Words of invented languages for language identification: each language has its own syllable structure."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import NamedTuple

from ... import _core

names: tuple[str, ...] = _core.data.language_names


class Text(NamedTuple):
    """letters: one to three lower-case words separated by blanks; language: an index of `names`."""

    letters: str
    language: int


def draw(index: int, *, seed: int = 0) -> Text:
    """Example `index` of this seed."""
    return Text(*_core.data.language(seed, index))


def generate(n: int, *, seed: int = 0) -> list[Text]:
    """Examples 0 ... n-1."""
    return [draw(i, seed=seed) for i in range(n)]
