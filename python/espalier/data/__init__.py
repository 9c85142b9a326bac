"""Readers of data sets and synthetic data, as plain Python objects.

Each format is a module. `read(path, ...)` returns a list, `stream(path, ...)` reads one example at a time, `parse(text,
...)` reads one from a string, `generate(n, seed=...)` makes synthetic examples. Files may be gzip-compressed. Invalid input
is a DataError with file, line and column: "train.txt:3:17: '5' is not a label; expected a digit 0-4".

    words = esp.data.Vocabulary()
    train = esp.data.sentiment.read("train.txt", words)
    words.close()                                      # from here on, unknown words are len(words)
    dev = esp.data.sentiment.read("dev.txt", words)
"""
from .._core.data import Vocabulary
from . import conllu, labelled_tree, molecule, sentiment, sick, table, tagged, text, treebank, word_vectors
from .expressions import arithmetic, listops, logic
from .molecule import Molecule
from .synthetic import binary_tree, digit_images, fizz_buzz, languages, marked
from .trees import NaryTree, Tree, random_trees
from .word_vectors import WordVectors, fill

__all__ = [
    "Molecule", "NaryTree", "Tree", "Vocabulary", "WordVectors", "arithmetic", "binary_tree", "conllu", "digit_images",
    "fill", "fizz_buzz", "labelled_tree", "languages", "listops", "logic", "marked", "molecule", "random_trees",
    "sentiment", "sick", "table", "tagged", "text", "treebank", "word_vectors",
]  # fmt: skip
