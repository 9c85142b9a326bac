"""Arithmetic expressions: ( + ( ( - ( 7 8 ) ) -9 ) ) is 7 - 8 + -9."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Iterator, Sequence

from ... import _core
from .._build import examples, path_of, postorder
from ..trees import Tree, binary

largest = 10  # numbers are -10 ... 10
tokens = 2 * largest + 4  # the numbers, then + - *

# Expressions as typed into a calculator: generate(100, **calculator).
calculator: dict[str, Any] = {"max_operators": 5, "ops": "+-*", "smallest": 0, "biggest": 9, "bounded": False}


@dataclass
class Expression:
    """A number (op is empty), or an operator +, - or * and two operands. value: of this subtree."""

    op: str
    value: int
    left: "Expression | None" = None
    right: "Expression | None" = None

    @property
    def is_number(self) -> bool:
        return not self.op

    @property
    def token(self) -> int:
        """0 ... 20: the numbers -10 ... 10; 21, 22, 23: + - *."""
        return "+-*".index(self.op) + 2 * largest + 1 if self.op else self.value + largest


def _expression(nodes: Sequence[tuple[str, int, int, int]]) -> Expression:
    made: list[Expression] = []
    for op, value, left, right in nodes:
        made.append(Expression(op, value, made[left], made[right]) if op else Expression(op, value))
    return made[-1]


def _operands(e: Expression) -> list[Any]:
    return [e.left, e.right] if e.op else []


def _nodes(expression: Expression) -> list[tuple[str, int, int, int]]:
    return [(e.op, e.value, *(of or [0, 0])) for e, of in postorder(expression, _operands)]  # type: ignore[misc]


def stream(path: str | os.PathLike[str]) -> Iterator[Expression]:
    """The expressions of a plain or gzip file one by one: one per line, optionally after its value and a tab. The
    published file is sorted by value."""
    return examples(_core.data.arithmetic(path_of(path)), _expression)


def read(path: str | os.PathLike[str]) -> list[Expression]:
    """All expressions of a file. DataError with file:line:column: a malformed one, or a label that is not its value."""
    return list(stream(path))


def parse(text: str) -> Expression:
    """Prefix form, as in the files, or infix form: 1 + (2 - 3)."""
    return _expression(_core.data.arithmetic_parse(text))


def draw(
    index: int,
    *,
    seed: int = 0,
    max_operators: int = 3,
    ops: str = "+-",
    smallest: int = -10,
    biggest: int = 10,
    bounded: bool = True,
) -> Expression:
    """Expression `index` of this seed. bounded: limits the value to -10 ... 10."""
    return _expression(_core.data.arithmetic_draw(seed, index, max_operators, ops, smallest, biggest, bounded))


def generate(
    n: int,
    *,
    seed: int = 0,
    max_operators: int = 3,
    ops: str = "+-",
    smallest: int = -10,
    biggest: int = 10,
    bounded: bool = True,
) -> list[Expression]:
    """The first n distinct expressions of this seed."""
    made = _core.data.arithmetic_generate(n, seed, max_operators, ops, smallest, biggest, bounded)
    return [_expression(nodes) for nodes in made]


def to_text(expression: Expression, form: str = "prefix") -> str:
    """form: prefix, as in the files, or infix."""
    if form not in ("prefix", "infix"):
        raise _core.OptionError(f"arithmetic: form {form!r} is unknown; it must be prefix or infix{_core.user_line()}")
    return str(_core.data.arithmetic_text(_nodes(expression), form == "infix"))


def binarise(expression: Expression) -> Tree:
    """The tree of the prefix form: every pair of parentheses joins two nodes. The words of leaves are tokens."""
    return binary(_core.data.arithmetic_binarise(_nodes(expression)))
