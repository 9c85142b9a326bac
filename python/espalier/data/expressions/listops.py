"""ListOps (Nangia & Bowman 2018): nested operations on digits, such as [MAX 2 9 [MIN 4 7 ] 0 ]."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Iterator, Sequence

from ... import _core
from .._build import examples, path_of, postorder
from ..trees import Tree, binary

vocabulary: tuple[str, ...] = _core.data.listops_vocabulary()  # "0" ... "9" "[MAX" "[MIN" "[MED" "[SM" "]"
tokens = len(vocabulary)


@dataclass
class Expression:
    """A digit, or an operator and its arguments. token: an index of `vocabulary`; value: of this subtree, 0 ... 9."""

    token: int
    value: int
    args: list["Expression"] = field(default_factory=list["Expression"])

    @property
    def is_digit(self) -> bool:
        return self.token < 10


def _expression(nodes: Sequence[tuple[int, int, list[int]]]) -> Expression:
    made: list[Expression] = []
    for token, value, args in nodes:
        made.append(Expression(token, value, [made[i] for i in args]))
    return made[-1]


def _nodes(expression: Expression) -> list[tuple[int, int, list[int]]]:
    return [(e.token, e.value, args) for e, args in postorder(expression, _args)]


def _args(expression: Expression) -> list[Expression]:
    return expression.args


def stream(path: str | os.PathLike[str]) -> Iterator[Expression]:
    """The expressions of a plain or gzip file one by one: one per line, plain or with the published parentheses,
    optionally after its value and a tab."""
    return examples(_core.data.listops(path_of(path)), _expression)


def read(path: str | os.PathLike[str]) -> list[Expression]:
    """All expressions of a file. DataError with file:line:column: a malformed one, or a label that is not its value."""
    return list(stream(path))


def parse(text: str) -> Expression:
    return _expression(_core.data.listops_parse(text))


def generate(
    n: int, *, seed: int = 0, max_depth: int = 20, max_args: int = 5, max_tokens: int = 0
) -> list[Expression]:
    """n distinct expressions with the distribution of the published data. max_tokens=0: no limit."""
    return [_expression(nodes) for nodes in _core.data.listops_generate(n, seed, max_depth, max_args, max_tokens)]


def evaluate(expression: Expression) -> int:
    """The value, from the digits; stored values are ignored."""
    return int(_core.data.listops_evaluate(_nodes(expression)))


def to_text(expression: Expression, form: str = "plain") -> str:
    """form: plain, or binarised, the form of the published files."""
    return str(_core.data.listops_text(_nodes(expression), _binarised(form)))


def _binarised(form: Any) -> bool:
    if form not in ("plain", "binarised"):
        raise _core.OptionError(f"listops: form {form!r} is unknown; it must be plain or binarised{_core.user_line()}")
    return bool(form == "binarised")


def binarise(expression: Expression) -> Tree:
    """The published binarisation ((([MAX 2) 9) 0) ]: the words of leaves are tokens, and labels are values; -1 at a list that
    is still open, and at operators."""
    return binary(_core.data.listops_binarise(_nodes(expression)))
