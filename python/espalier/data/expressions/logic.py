"""Pairs of propositional formulas with their logical relation (Bowman, Potts & Manning 2015), such as
<  ( a ( and b ) )  ( not ( ( not a ) ( and c ) ) ), separated by tabs."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Iterator, Sequence

from ... import _core
from .._build import examples, path_of, postorder
from ..trees import Tree, binary

token_names: tuple[str, ...] = _core.data.logic_tokens  # a ... f, not, and, or
relation_names: tuple[str, ...] = _core.data.logic_relations  # = ^ < > | v #
variables = 6


@dataclass
class Formula:
    """A variable, or an operator with its operands; `not` has only `right`. token: an index of token_names."""

    token: int
    left: "Formula | None" = None
    right: "Formula | None" = None

    @property
    def is_variable(self) -> bool:
        return self.token < variables

    @property
    def operators(self) -> int:
        """The number of operators; the published files are split by the larger one of each pair."""
        return sum(not f.is_variable for f, _ in postorder(self, _operands))


@dataclass
class Pair:
    """relation: an index of relation_names."""

    left: Formula
    right: Formula
    relation: int


def _operands(f: Formula) -> list[Any]:
    return [x for x in (f.left, f.right) if x is not None]


def _formula(nodes: Sequence[tuple[int, int, int]]) -> Formula:
    made: list[Formula] = []
    for token, left, right in nodes:
        if token < variables:
            made.append(Formula(token))
        else:
            made.append(Formula(token, None if token_names[token] == "not" else made[left], made[right]))
    return made[-1]


def _nodes(formula: Formula) -> list[tuple[int, int, int]]:
    nodes: list[tuple[int, int, int]] = []
    for f, operands in postorder(formula, _operands):
        needed = 0 if f.is_variable else 1 if f.token < len(token_names) and token_names[f.token] == "not" else 2
        if len(operands) != needed or (needed == 1 and f.left is not None):
            raise _core.DataError(f"logic: token {f.token} has {len(operands)} operands; {needed} are needed")
        nodes.append((f.token, operands[0] if needed == 2 else 0, operands[-1] if needed else 0))
    return nodes


def _pair(parts: tuple[Any, Any, int]) -> Pair:
    return Pair(_formula(parts[0]), _formula(parts[1]), parts[2])


def stream(path: str | os.PathLike[str]) -> Iterator[Pair]:
    """The pairs of a plain or gzip file one by one, one per line."""
    return examples(_core.data.logic(path_of(path)), _pair)


def read(path: str | os.PathLike[str]) -> list[Pair]:
    """All pairs of a file. DataError with file:line:column: a malformed one, or a relation that is not theirs."""
    return list(stream(path))


def parse(line: str) -> Pair:
    """A tab-separated pair, optionally after its relation."""
    return _pair(_core.data.logic_parse(line))


def parse_formula(text: str) -> Formula:
    return _formula(_core.data.logic_parse_formula(text))


def draw(index: int, *, seed: int = 0, max_operators: int = 6, variables: int = 4) -> Pair:
    """Pair `index` of this seed; at most max_operators operators per formula, `variables` variables per pair."""
    return _pair(_core.data.logic_draw(seed, index, max_operators, variables))


def generate(n: int, *, seed: int = 0, max_operators: int = 6, variables: int = 4) -> list[Pair]:
    """The first n distinct pairs of this seed."""
    return [_pair(parts) for parts in _core.data.logic_generate(n, seed, max_operators, variables)]


def relation(left: Formula, right: Formula) -> int:
    """The index of the first relation that holds."""
    return int(_core.data.logic_relation(_nodes(left), _nodes(right)))


def to_text(formula: Formula) -> str:
    return str(_core.data.logic_text(_nodes(formula)))


def binarise(formula: Formula) -> Tree:
    """The tree of the text: every pair of parentheses joins two nodes. The words of leaves are tokens."""
    return binary(_core.data.logic_binarise(_nodes(formula)))
