"""SICK (Marelli et al. 2014): pairs of sentences with a relatedness score 1 ... 5 and dependency trees, in the format of
Tai et al. (2015): a folder with a.toks, a.parents, b.toks, b.parents and sim.txt."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Iterator

from .. import _core
from ._build import examples, path_of


@dataclass
class Node:
    """A word, its position in the sentence, and the nodes that depend on it."""

    word: int
    position: int
    children: list["Node"] = field(default_factory=list["Node"])


@dataclass
class Sentence:
    """Words, the position of each word's parent (-1: the root), and the same as a tree."""

    words: list[int]
    parents: list[int]
    root: Node


@dataclass
class Pair:
    """similarity: 1 ... 5; 0: not given."""

    a: Sentence
    b: Sentence
    similarity: float = 0.0


def _sentence(parts: tuple[list[int], list[int], list[int], list[list[int]]]) -> Sentence:
    words, parents, order, children = parts
    made: list[Any] = [None] * len(words)
    for i in order:
        made[i] = Node(words[i], i, [made[c] for c in children[i]])
    return Sentence(words, parents, made[order[-1]])


def _pair(parts: tuple[Any, Any, float]) -> Pair:
    return Pair(_sentence(parts[0]), _sentence(parts[1]), parts[2])


def stream(folder: str | os.PathLike[str], words: _core.data.Vocabulary) -> Iterator[Pair]:
    """The pairs of a folder one by one. Its files may be gzip-compressed and end in .gz."""
    return examples(_core.data.sick(path_of(folder), words), _pair)


def read(folder: str | os.PathLike[str], words: _core.data.Vocabulary) -> list[Pair]:
    """All pairs of a folder. DataError with file:line:column: files of different lengths, or parents that form no tree."""
    return list(stream(folder, words))


def parse(line: str, words: _core.data.Vocabulary) -> Pair:
    """A pair of one tab-separated line: words, parents, words, parents, and optionally the similarity."""
    return _pair(_core.data.sick_parse(line, words))
