#!/usr/bin/env python3
"""The tasks tagger and lm of `espalier bench`, written in PyTorch with nn.LSTM over packed sentences.

  torch_sequences.py tagger|lm [--mode train|infer] [--batch B] [--prebuilt 0] ...

The packed tensors of all minibatches are prebuilt on the device, the fastest that PyTorch can be; --prebuilt 0 builds
them in the measured loop, from lists of numbers. Prints a line of JSON with the keys of `espalier bench --json`. Runs
with PyTorch 1.13 or later.
"""

import argparse
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_sequence

import torch_measure
import torch_sentences


def lstm(dim, hidden, bidirectional=False):
    """An LSTM with one bias per gate, 1 for the forget gate. nn.LSTM has two; the second one stays 0."""
    layer = nn.LSTM(dim, hidden, bidirectional=bidirectional)
    for name, parameter in layer.named_parameters():
        if name.startswith("weight"):
            nn.init.xavier_uniform_(parameter)
            continue
        nn.init.zeros_(parameter)
        if name.startswith("bias_hh"):
            parameter.requires_grad_(False)
        else:
            parameter.data[hidden:2 * hidden] = 1  # order: i, f, g, o
    return layer


class Tagger(nn.Module):
    """A BiLSTM, and for each word O·tanh(H·[f; b])."""

    def __init__(self, words, tags, dim, hidden, layer=32):
        super().__init__()
        self.words = nn.Embedding(words, dim, sparse=True)
        self.lstm = lstm(dim, hidden, bidirectional=True)
        self.layer = nn.Linear(2 * hidden, layer, bias=False)
        self.out = nn.Linear(layer, tags, bias=False)
        for table in (self.words, self.layer, self.out):
            nn.init.xavier_uniform_(table.weight)

    def scores(self, states):
        return self.out(torch.tanh(self.layer(states)))


class LanguageModel(nn.Module):
    """An LSTM and a softmax over the whole vocabulary."""

    def __init__(self, words, dim, hidden):
        super().__init__()
        self.words = nn.Embedding(words, dim, sparse=True)
        self.lstm = lstm(dim, hidden)
        self.scores = nn.Linear(hidden, words)
        for table in (self.words, self.scores):
            nn.init.xavier_uniform_(table.weight)
        nn.init.zeros_(self.scores.bias)


def pack(sentences, device):
    """(words, labels) of a minibatch in the order of packed sequences; sentences are from long to short."""
    lengths = torch.tensor([len(words) for words, _ in sentences])
    words, labels = (pack_padded_sequence(pad_sequence([torch.tensor(s[i]) for s in sentences]), lengths)
                     for i in (0, 1))
    if device.type == "cuda":
        return words.to(device, non_blocking=True), labels.data.to(device, non_blocking=True)
    return words, labels.data


def loss(model, words, labels):
    """The sum of the losses of all words."""
    rows = PackedSequence(model.words(words.data), words.batch_sizes)
    return F.cross_entropy(model.scores(model.lstm(rows)[0].data), labels, reduction="sum")


def make(a):
    """(model, sentences) of the task."""
    if a.task == "tagger":
        sentences, words, tags = torch_sentences.tagged(a.data)
        return Tagger(words, tags, a.dim, a.hidden or 50), sentences
    return LanguageModel(a.vocab, a.dim, a.hidden or 256), torch_sentences.text(a.data, a.vocab)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["tagger", "lm"])
    torch_measure.add_arguments(parser)
    parser.add_argument("--prebuilt", type=int, choices=[0, 1], default=1, help="0: pack in the measured loop")
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--hidden", type=int, help="50 for tagger, 256 for lm")
    parser.add_argument("--vocab", type=int, default=10_000, help="of lm")
    parser.add_argument("--data", help="a file of word|tag tokens, or of text; else sentences are generated")
    a = parser.parse_args()

    device = torch_measure.prepare(a)
    model, sentences = make(a)
    if len(sentences) < a.batch:
        sys.exit(f"there are only {len(sentences)} sentences")
    model.to(device)
    minibatches = torch_sentences.minibatches(a.task, sentences, a.batch)
    packed = [pack(minibatch, device) for minibatch in minibatches] if a.prebuilt else []
    torch_measure.measure(
        a, "torch-packed", torch_measure.adam(model, model.words.weight),
        lambda n: loss(model, *(packed[n] if packed else pack(minibatches[n], device))),
        [sum(len(words) for words, _ in minibatch) for minibatch in minibatches])


if __name__ == "__main__":
    main()
