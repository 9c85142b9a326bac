"""Trees for torch_tree.py: reads or generates them, and arranges them level by level."""

import collections
import random
import re

import numpy as np

CLASSES = 5

# Statistics of synthetic trees, equal to those in src/data/synthetic/sentiment.cc.
VOCABULARY = 18280
LEAVES = [2, 5, 7, 9, 11, 12, 13, 15, 16, 17, 18, 20, 21, 22, 24, 25, 27, 29, 32, 35, 52]  # quantiles
# (limit, left, right): for nodes with fewer leaves than the limit, the probabilities that the left child, or else the
# right child, is a single leaf.
SPLITS = [(5, 0.744, 0.205), (10, 0.534, 0.160), (20, 0.438, 0.187), (40, 0.311, 0.233), (10**9, 0.188, 0.270)]

Level = collections.namedtuple("Level", "readers sizes")
# numbers: words, labels and orders, concatenated; sizes: the length of each. pieces: a Level per height.
Levels = collections.namedtuple("Levels", "numbers sizes pieces")


class Tree:
    """nodes: (left, right, word), children before parents; left and right are -1 at a leaf, word elsewhere."""

    def __init__(self, nodes, labels):
        self.nodes, self.labels = nodes, labels
        height, parent, side = [], [-1] * len(nodes), [0] * len(nodes)
        for i, (left, right, _) in enumerate(nodes):
            height.append(0 if left < 0 else 1 + max(height[left], height[right]))
            if left >= 0:
                parent[left] = parent[right] = i
                side[right] = 1
        self.height, self.parent, self.side = np.array(height), np.array(parent), np.array(side)
        self.word = np.array([word for _, _, word in nodes])
        self.label = np.array(labels)


def arrange(trees):
    """Sorts the rows of a minibatch by height, then by the height of their reader, so a level reads a few contiguous
    pieces of earlier levels. `orders` permutes the concatenated pieces to (left children, right children)."""
    starts = np.cumsum([0] + [len(t.labels) for t in trees[:-1]])
    height = np.concatenate([t.height for t in trees])
    side = np.concatenate([t.side for t in trees])
    parent = np.concatenate([np.where(t.parent < 0, -1, t.parent + start) for t, start in zip(trees, starts)])
    levels = int(height.max()) + 1
    reader = np.where(parent < 0, levels, height[parent])  # roots are read at the end

    row_of, rows = np.empty(len(height), np.int64), np.lexsort((reader, height))
    row_of[rows] = np.arange(len(rows))
    begin = np.searchsorted(height[rows], np.arange(levels + 1))
    pieces = []
    for level in range(levels):
        readers, sizes = np.unique(reader[rows[begin[level]:begin[level + 1]]], return_counts=True)
        pieces.append(Level(readers.tolist(), sizes.tolist()))

    read = rows[np.argsort(reader[rows], kind="stable")]  # in the order of the concatenated pieces of each reader
    read_begin = np.searchsorted(reader[read], np.arange(levels + 1))
    orders = []
    for level in range(1, levels):
        children, nodes = read[read_begin[level]:read_begin[level + 1]], begin[level + 1] - begin[level]
        order = np.empty(2 * nodes, np.int64)
        order[side[children] * nodes + row_of[parent[children]] - begin[level]] = np.arange(2 * nodes)
        orders.append(order)
    words = np.concatenate([t.word for t in trees])[rows[:begin[1]]]
    labels = np.concatenate([t.label for t in trees])[rows]
    parts = [words, labels] + orders
    return Levels(np.concatenate(parts), [len(p) for p in parts], pieces)


def read_treebank(path):
    """The shuffled trees of a file of the Stanford Sentiment Treebank, and the number of distinct words."""
    words, trees = {}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            nodes, labels, opened = [], [], []
            tokens = re.findall(r"[()]|[^() \n]+", line)
            at = 0
            while at < len(tokens):
                if tokens[at] == "(" and tokens[at + 2] != "(":
                    nodes.append((-1, -1, words.setdefault(tokens[at + 2], len(words))))
                    labels.append(int(tokens[at + 1]))
                    at += 4
                elif tokens[at] == "(":
                    opened.append((int(tokens[at + 1]), []))
                    at += 2
                    continue
                else:
                    label, (left, right) = opened.pop()
                    nodes.append((left, right, -1))
                    labels.append(label)
                    at += 1
                if opened:
                    opened[-1][1].append(len(nodes) - 1)
            trees.append(Tree(nodes, labels))
    random.Random(1).shuffle(trees)
    return trees, len(words)


def make_treebank(count):
    """Trees with the lengths, the splits and the word frequencies (Zipf's law) of the treebank's training file."""
    draw, trees = random.Random(7), []

    def split(leaves):
        left, right = next(shares for most, *shares in SPLITS if leaves < most)
        x = draw.random() * (left + right if leaves == 3 else 1)
        if leaves == 2 or x < left:
            return 1
        return leaves - 1 if leaves == 3 or x < left + right else draw.randrange(2, leaves - 1)

    for _ in range(count):
        at = draw.random() * (len(LEAVES) - 1)
        leaves = round(LEAVES[int(at)] + (at % 1) * (LEAVES[int(at) + 1] - LEAVES[int(at)]))
        nodes = grow(leaves, split, lambda: int(VOCABULARY ** draw.random()) - 1)
        trees.append(Tree(nodes, [draw.randrange(CLASSES) for _ in nodes]))
    return trees, VOCABULARY


def make_fold_trees(count, leaves, shape):
    """Trees with this many leaves, split at random, in the middle, or before the last leaf."""
    draw = random.Random(7)
    split = {"random": lambda n: draw.randrange(1, n), "balanced": lambda n: n // 2, "sequence": lambda n: n - 1}[shape]
    trees = [grow(leaves, split, lambda: draw.randrange(leaves)) for _ in range(count)]
    return [Tree(nodes, [0] * len(nodes)) for nodes in trees]


def grow(leaves, split, word):
    """The nodes of a tree; split(n) returns how many of n leaves go to the left. Not recursive: trees may be deep."""
    nodes, work, done = [], [(leaves, False)], []
    while work:
        n, joined = work.pop()
        if n == 1:
            nodes.append((-1, -1, word()))
        elif not joined:
            left = split(n)
            work += [(n, True), (n - left, False), (left, False)]
            continue
        else:
            right, left = done.pop(), done.pop()
            nodes.append((left, right, -1))
        done.append(len(nodes) - 1)
    return nodes
