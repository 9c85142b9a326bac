#!/usr/bin/env python3
"""The tasks fold-tree and tree-lstm of `espalier bench`, written in PyTorch.

  torch_tree.py fold-tree|tree-lstm [--way levels|nodes] [--mode train|infer] [--batch B] ...

--way levels batches all nodes of the minibatch with the same height by hand; --way nodes runs one node at a time.
Prints a line of JSON with the keys of `espalier bench --json`. Runs with PyTorch 1.13 or later.
"""

import argparse
import sys

import torch
import torch.nn.functional as F
from torch import nn

import torch_levels
import torch_measure


class FoldTree(nn.Module):
    """The synthetic tree of Fold's ICLR 2017 benchmark. A state is a row of `dim`."""

    def __init__(self, dim, words):
        super().__init__()
        self.words = nn.Embedding(words, dim, sparse=True)
        self.hidden = nn.Linear(2 * dim, dim)
        self.gates = nn.Linear(dim, 4 * dim)

    def leaf(self, words):
        return self.words(words)

    def node(self, children):  # [2, nodes, dim]: left, then right
        left, right = children
        h = F.relu(self.hidden(torch.cat([left, right], -1)))
        keep_left, keep_right, add, new = self.gates(h).chunk(4, -1)
        return torch.sigmoid(keep_left) * left + torch.sigmoid(keep_right) * right + torch.sigmoid(add) * torch.tanh(new)

    def loss(self, states, roots, labels):
        return 0.5 * roots.square().sum()

    def optimizers(self):
        return [torch.optim.SGD(self.parameters(), lr=1e-5)]


class TreeLstm(nn.Module):
    """The Tree-LSTM of the task tree-lstm. A state is the row [h, c]."""

    def __init__(self, dim, hidden, words, classes=5):
        super().__init__()
        self.size = hidden
        self.words = nn.Embedding(words, dim, sparse=True)
        self.leaf_weight = nn.Parameter(torch.empty(dim, 3 * hidden))
        self.weight = nn.Parameter(torch.empty(2, hidden, 4 * hidden))  # per side: i, o, u and its forget gate
        self.bias = nn.Parameter(torch.zeros(3 * hidden))
        self.forget_bias = nn.Parameter(torch.ones(hidden))
        self.classifier = nn.Linear(hidden, classes, bias=False)
        for weight in (self.words.weight, self.leaf_weight, self.weight[0], self.weight[1], self.classifier.weight):
            nn.init.xavier_uniform_(weight.data)

    def cell(self, gates, kept):
        i, o, u = gates.chunk(3, -1)
        c = torch.sigmoid(i) * torch.tanh(u)
        if kept is not None:
            c = c + kept
        return torch.cat([torch.sigmoid(o) * torch.tanh(c), c], -1)

    def leaf(self, words):
        return self.cell(torch.addmm(self.bias, self.words(words), self.leaf_weight), None)

    def node(self, children):  # [2, nodes, 2 hidden]: left, then right
        h, c = children.chunk(2, -1)
        gates = torch.bmm(h, self.weight)
        own, forget = gates.split([3 * self.size, self.size], -1)
        return self.cell(own.sum(0) + self.bias, (torch.sigmoid(forget + self.forget_bias) * c).sum(0))

    def loss(self, states, roots, labels):
        return F.cross_entropy(self.classifier(states[:, :self.size]), labels, reduction="sum")

    def optimizers(self):
        return torch_measure.adam(self, self.words.weight)


def run_levels(model, trees, device, batch=None):
    batch = batch or torch_levels.arrange(trees)
    numbers = torch.from_numpy(batch.numbers).to(device, non_blocking=True)  # one copy for the whole minibatch
    words, labels, *orders = numbers.split(batch.sizes)
    waiting = [[] for _ in range(len(orders) + 2)]  # per height of the reader: pieces of lower levels
    outs = []
    for level, pieces in enumerate(batch.pieces):
        if level == 0:
            out = model.leaf(words)
        else:
            rows = torch.cat(waiting[level]).index_select(0, orders[level - 1])
            out = model.node(rows.view(2, -1, rows.shape[-1]))
        outs.append(out)
        for reader, piece in zip(pieces.readers, out.split(pieces.sizes)):
            waiting[reader].append(piece)
    return model.loss(torch.cat(outs), torch.cat(waiting[-1]), labels)


def run_nodes(model, trees, device):
    losses = []
    for tree in trees:
        states = []
        for left, right, word in tree.nodes:
            if left < 0:
                states.append(model.leaf(torch.tensor([word], device=device)))
            else:
                states.append(model.node(torch.stack([states[left], states[right]])))
        if isinstance(model, FoldTree):
            losses.append(model.loss(None, states[-1], None))
        else:
            for state, label in zip(states, tree.labels):
                losses.append(model.loss(state, None, torch.tensor([label], device=device)))
    return torch.stack(losses).sum()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["fold-tree", "tree-lstm"])
    parser.add_argument("--way", choices=["levels", "nodes"], default="levels")
    torch_measure.add_arguments(parser)
    parser.add_argument("--dim", type=int, help="1024 for fold-tree, 128 for tree-lstm")
    parser.add_argument("--hidden", type=int, default=128, help="of tree-lstm")
    parser.add_argument("--leaves", type=int, default=128, help="of fold-tree")
    parser.add_argument("--shape", choices=["random", "balanced", "sequence"], default="random", help="of fold-tree")
    parser.add_argument("--data", help="a file of the Stanford Sentiment Treebank; else trees are made up")
    parser.add_argument("--keep-recordings", action="store_true", help="arrange the levels of each minibatch only once")
    return parser.parse_args()


def main():
    a = parse_arguments()
    device = torch_measure.prepare(a)
    if a.task == "fold-tree":
        trees, words = torch_levels.make_fold_trees(max(a.batch, min(4 * a.batch, 512)), a.leaves, a.shape), a.leaves
        model = FoldTree(a.dim or 1024, words)
    else:
        trees, words = torch_levels.read_treebank(a.data) if a.data else torch_levels.make_treebank(8544)
        model = TreeLstm(a.dim or 128, a.hidden, words)
    if len(trees) < a.batch:
        sys.exit(f"there are only {len(trees)} trees")
    model.to(device)
    optimizers = model.optimizers()
    minibatches = [trees[i:i + a.batch] for i in range(0, len(trees) - a.batch + 1, a.batch)]
    kept = [torch_levels.arrange(batch) for batch in minibatches] if a.keep_recordings and a.way == "levels" else []

    def loss_of(number):
        if a.way == "nodes":
            return run_nodes(model, minibatches[number], device)
        return run_levels(model, minibatches[number], device, kept[number] if kept else None)

    words_read = [sum((len(tree.labels) + 1) // 2 for tree in batch) for batch in minibatches]
    torch_measure.measure(a, f"torch-{a.way}", optimizers, loss_of, words_read)


if __name__ == "__main__":
    main()
