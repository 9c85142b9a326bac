"""Fizz-buzz: classifies a number as itself, fizz, buzz or fizzbuzz."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import NamedTuple

from ... import _core

answer_names: tuple[str, ...] = _core.data.fizz_buzz_names


class Number(NamedTuple):
    """answer: an index of answer_names."""

    number: int
    answer: int


def answer(number: int) -> int:
    return int(_core.data.fizz_buzz_answer(number))


def generate(n: int, *, seed: int = 0, first: int = 101, last: int = 1023) -> list[Number]:
    """n uniform numbers of first ... last."""
    return [Number(*x) for x in _core.data.fizz_buzz(n, seed, first, last)]
