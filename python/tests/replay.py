"""Programs as data: lines that name a function and its arguments, in cells and examples. Records and computes one with
the functions of the package, and writes it for tests/replay, which does the same with those of C++.

An argument is a tuple that starts with its kind: ("v", number of a value), ("p", name of a parameter), ("i", int),
("f", float), ("b", bool), ("n",) for None, ("s", shape), ("a", array), ("l", arguments), ("S", h, c).
"""
import dataclasses
import operator

import numpy as np

import espalier as esp


@dataclasses.dataclass
class Cell:
    name: str
    arguments: list  # (kind, name, shape): r a row, i an index, f a number, l a list of rows, s a State, t a list of States
    lines: list = dataclasses.field(default_factory=list)  # (function, arguments)
    results: list = dataclasses.field(default_factory=list)  # numbers of values


@dataclasses.dataclass
class Example:
    lines: list = dataclasses.field(default_factory=list)
    outputs: list = dataclasses.field(default_factory=list)
    loss: int = 0


@dataclasses.dataclass
class Program:
    seed: int
    threads: int
    cells: list
    examples: list


class Model(esp.Module):
    def __init__(self):
        normal, p = esp.init.normal, esp.Parameter
        self.words = p((7, 6), init=normal(0, 0.7), sparse=True)
        self.wide = p((5, 4), init=normal(0, 0.7), sparse=True)
        self.linear = esp.nn.Linear(6, 6)
        self.lstm = esp.nn.LSTM(6, 6)
        self.gru = esp.nn.GRU(6, 6)
        self.tree = esp.nn.TreeLSTM(6, 6)
        self.child_sum = esp.nn.ChildSumTreeLSTM(6, 6)
        self.square, self.down, self.up = p((6, 6)), p((4, 6)), p((6, 4))
        self.bias6, self.bias4 = p((6,), init=normal(0, 0.5)), p((4,), init=normal(0, 0.5))
        self.scalar = p((), init=normal(0.5, 0.2))
        self.cube = p((4, 6, 6), init=normal(0, 0.4))
        self.kernel1, self.kernel2 = p((2, 3, 2), init=normal(0, 0.4)), p((2, 2, 2, 2), init=normal(0, 0.4))
        self.frozen = p((6,), init=normal(0, 0.5))
        self.frozen.requires_grad = False


class Place:
    """Where lines are recorded: an example, or a cell that is being traced."""

    def __init__(self, model, cells):
        self.model, self.cells, self.values = model, cells, []

    def argument(self, token):
        kind = token[0]
        if kind == "v":
            return self.values[token[1]]
        if kind == "p":
            return getattr(self.model, token[1])
        if kind == "l":
            return [self.argument(t) for t in token[1]]
        if kind == "S":
            return esp.State(self.argument(token[1]), self.argument(token[2]))
        return None if kind == "n" else token[1]

    def run(self, function, tokens):
        """Adds the values of one line and returns them."""
        given = [self.argument(t) for t in tokens]
        result = self.function(function)(*given)
        rows = flat(result)
        self.values += rows
        return rows

    def function(self, name):
        kind, _, last = name.partition(".")
        if kind == "call":
            return self.cells[last]
        if kind == "operator":
            return part if last == "getitem" else getattr(operator, last)
        if kind == "lookup":
            return lambda index: esp.lookup(getattr(self.model, last), index)
        if kind == "affine":
            return lambda bias, *products: esp.affine(bias, list(zip(products[::2], products[1::2])))
        if kind == "module":
            model = self.model
            return {"leaf": model.tree.leaf, "node": model.tree.node, "child_sum": model.child_sum.node}.get(last) or getattr(model, last)
        return getattr(esp, kind)


def part(x, begin, end):
    if end > len(x):
        raise ValueError("Python permits it, and C++ does not")
    return x[begin:end]


def flat(result):
    if isinstance(result, esp.State):
        return [result.h, result.c]
    return list(result) if isinstance(result, (tuple, list)) else [result]


SPECS = {"r": lambda s: s, "i": lambda _: int, "f": lambda _: float, "l": lambda s: [s], "s": lambda s: esp.State(*s), "t": lambda s: [esp.State(*s)]}


def trace(source, model, cells):
    """The Cell of a cell's program."""
    def body(**given):
        place = Place(model, cells)
        for value in given.values():
            place.values += flat(value)
        for line in source.lines:
            place.run(*line)
        return tuple(place.values[v] for v in source.results)

    return esp.Cell(body, source.name, **{name: SPECS[kind](shape) for kind, name, shape in source.arguments})


def bits(name, array):
    array = np.asarray(array, "f4")
    shape = "[" + ",".join(map(str, array.shape)) + "]"
    return " ".join([name, shape, *(f"{x:08x}" for x in array.ravel().view("u4"))])


def replay(program):
    """What was recorded and computed, as lines: those of tests/replay/replay.cc."""
    model = Model().initialize(seed=program.seed)
    cells = {}
    for cell in program.cells:
        cells[cell.name] = trace(cell, model, cells)

    def record(example):
        place = Place(model, cells)
        for line in example.lines:
            place.run(*line)
        return {"outputs": [place.values[v] for v in example.outputs], "loss": place.values[example.loss], "first": place.values[0]}

    engine = esp.Engine(threads=program.threads, seed=program.seed + 1)
    batch = engine.record(program.examples, record, epoch=3)
    lines = batch._handle.text().splitlines()
    first = [r["first"] for r in batch]
    for x in first:
        engine.watch(x)
    gradients = engine.backward([r["loss"] for r in batch], 0.5)
    lines.append(f"shared {engine.counters()['shared_calls']}")
    lines.append(bits("loss", gradients.loss.item()))
    lines += [bits("value", v) for v in engine.value([x for r in batch for x in r["outputs"]])]
    lines += [bits(f"gradient {name}", gradients.of(p).numpy()) for name, p in model.named_parameters()]
    lines += [bits("gradient of a value", gradients.of(x).numpy()) for x in first]
    inferred = engine.infer(engine.record(program.examples, lambda e: record(e)["outputs"], mode="infer", epoch=3))
    return lines + [bits("inferred", v) for outputs in inferred for v in outputs]


# ---- as text

def written(token):
    kind, *rest = token
    if kind == "n":
        return "n"
    if kind == "p":
        return f"p:{rest[0]}"
    if kind == "s":
        return f"s {numbers(rest[0])}"
    if kind == "a":
        return f"a {numbers(rest[0].shape)} {rest[0].size} " + " ".join(repr(float(x)) for x in rest[0].ravel())
    if kind == "l":
        return " ".join([f"l {len(rest[0])}", *map(written, rest[0])])
    if kind == "S":
        return f"S {written(rest[0])} {written(rest[1])}"
    return f"{kind}{int(rest[0]) if kind == 'b' else rest[0]!r}"


def numbers(values):
    return " ".join(map(str, [len(values), *values]))


def as_text(program):
    lines = [f"program {program.seed} {program.threads}"]
    add_lines = lambda source: lines.extend(" ".join([f"line {f} {len(a)}", *map(written, a)]) for f, a in source)  # noqa: E731
    for cell in program.cells:
        lines.append(f"cell {cell.name}")
        lines += [f"argument {kind} {name} {numbers(shape)}" for kind, name, shape in cell.arguments]
        add_lines(cell.lines)
        lines.append(f"return {numbers(cell.results)}")
    for example in program.examples:
        lines.append("example")
        add_lines(example.lines)
        lines += [f"output {numbers(example.outputs)}", f"loss {example.loss}"]
    return "\n".join([*lines, "end\n"])
