"""Sentences with dependency trees in the CoNLL-U format of Universal Dependencies."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Iterator, Sequence

from .. import _core
from ._build import examples, path_of


@dataclass
class Word:
    """Fields as in the file; "_" if unspecified. head: the number of a word from 1; 0: root; -1: unspecified."""

    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    deprel: str = "_"
    head: int = -1


def _sentence(words: Sequence[tuple[str, str, str, str, str, int]]) -> list[Word]:
    return [Word(*word) for word in words]


def stream(path: str | os.PathLike[str]) -> Iterator[list[Word]]:
    """The sentences of a plain or gzip file one by one. Multiword tokens (3-4) and empty nodes (3.1) are skipped."""
    return examples(_core.data.conllu(path_of(path)), _sentence)


def read(path: str | os.PathLike[str]) -> list[list[Word]]:
    """All sentences of a file. DataError with file:line:column: anything malformed, heads that form no tree included."""
    return list(stream(path))


def is_projective(sentence: Sequence[Word]) -> bool:
    """Whether no two arcs cross, that is, every subtree covers a contiguous span of words."""
    return bool(_core.data.is_projective([word.head for word in sentence]))
