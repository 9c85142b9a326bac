"""Random programs for replay.py. A line is chosen at random and recorded at once; if its arguments do not fit, it is
left out, so shape rules are written nowhere here."""
import random

import numpy as np

import espalier as esp
from replay import SPECS, Cell, Example, Model, Place, Program, trace

# The arguments of each function:
#   x a row; 1, 2, 3 a row with so many axes; q a square matrix; y a row of the shape of the row before; o an operand: a row,
#   parameter, float or array; O the same or None; P:name a parameter; h a row of 6; S a State of 6
#   i:a:b an int; A an axis; I an index; J several; f a float; u in (0, 1); b a bool; s a shape; L rows of one shape; T States
# What follows "?" may be left out.
FUNCTIONS = {
    **dict.fromkeys("abs acos acosh asin asinh atan atanh cos cosh cube digamma erf exp expm1 flip_gradient gelu lgamma log "
                    "log1p log_sigmoid relu safe_sqrt selu sigmoid sign silu sin sinh softplus softsign sqrt square "
                    "stop_gradient tan tanh operator.neg operator.abs".split(), "x"),
    **dict.fromkeys("sum_elements mean_elements var_elements std_elements squared_norm l2_norm".split(), "x"),
    **dict.fromkeys("ceil floor round".split(), "x ? b"),
    **dict.fromkeys("elu leaky_relu scale_gradient".split(), "x ? f"),
    **dict.fromkeys("operator.add operator.sub operator.mul operator.truediv max min".split(), "x o"),
    "operator.pow": "x u", "pow": "x u", "operator.matmul": "2 x", "operator.getitem": "x i:0:1 i:2:4",
    "clamp": "x f f", "where": "x y o", "max.list": "L", "min.list": "L", "sum": "L", "mean": "L",
    "inverse": "q", "logdet": "q", "transpose": "2", "moment_elements": "x i:2:4",
    **dict.fromkeys("sum_axis mean_axis var_axis std_axis max_axis min_axis cumsum".split(), "2 A"),
    "moment_axis": "2 i:2:4 A", "argmax_one_hot": "x ? A b",
    **dict.fromkeys("softmax log_softmax logsumexp sparsemax".split(), "x ? A"),
    "constrained_softmax": "1 o", "masked_log_softmax": "x o ? A",
    "linear": "h P:square ? O", "matmul": "2 x", "dot": "1 y", "outer": "1 1", "bilinear": "h h P:cube",
    "trace_of_product": "2 y", "add_columns": "2 1", "affine.1": "P:bias6 P:square h", "affine.2": "P:bias6 P:square h P:square h",
    "layer_norm": "x ? O O f", "rms_norm": "x ? O f", "weight_norm": "2 o",
    "cross_entropy": "1 I", "nll_loss": "1 I", "hinge": "1 I ? f", "sparsemax_loss": "1 y",
    **dict.fromkeys("mse_loss squared_distance l1_loss l1_distance binary_cross_entropy binary_cross_entropy_with_logits "
                    "poisson_loss kl_div".split(), "x y"),
    **dict.fromkeys("huber_loss huber_distance pairwise_rank_loss".split(), "x y ? u"),
    "broadcast": "1 i:0:1 i:2:3", "concat": "L ? A", "cat": "L ? A", "stack": "L ? A", "slice": "x i:0:1 i:2:3 ? A",
    "strided_slice": "x i:0:1 i:2:3 i:1:2 ? A", "flip": "x ? A", "pad": "x i:0:2 i:0:2 ? A", "reshape": "x s",
    "permute": "3 s", "pick": "x I ? A", "select": "x J ? A", "kmax_pooling": "x i:1:3 ? A", "split": "x i:1:3 ? A",
    "conv1d": "2 P:kernel1 ? O i:1:2 i:0:1", "conv2d": "3 P:kernel2 ? O i:1:2 i:0:1",
    "max_pool1d": "2 i:1:2 ? i:1:2 i:0:1", "avg_pool1d": "2 i:1:2 ? i:1:2 i:0:1",
    "max_pool2d": "3 i:1:2 ? i:1:2", "avg_pool2d": "3 i:1:2 ? i:1:2",
    "dropout": "x u", "dropout_axis": "2 u A", "dropout_row": "x u", "dropout_block": "x u i:1:3", "gaussian_noise": "x u",
    "lookup.words": "I", "lookup.wide": "I", "one_hot": "I i:4:6",
    "module.linear": "h", "module.lstm": "h ? S", "module.gru": "h ? h", "module.leaf": "h", "module.node": "S S", "module.child_sum": "h T",
}  # fmt: skip
IN_EXAMPLES = {  # not in cells
    "zeros": "s", "ones": "s", "full": "s f", "random_normal": "s ? f u", "random_uniform": "s ? u f",
    "random_bernoulli": "s ? u f", "random_gumbel": "s ? f u", "input": "a",
}  # fmt: skip
LISTS_TO_LISTS = {"tanh": "R", "operator.mul": "R o", "operator.add": "R o", "linear": "R P:square P:bias6", "dropout": "R u", "softmax_rows": "R"}
LISTS_TO_ROWS = {**dict.fromkeys("sum_rows mean_rows max_rows min_rows".split(), "R"), "logsumexp_rows": "R", "attention": "h R R"}
WITHIN = {  # first brings the first row into the domain of the function
    **dict.fromkeys("log log1p sqrt safe_sqrt lgamma digamma pow operator.pow binary_cross_entropy".split(), "sigmoid"),
    **dict.fromkeys("acos asin atanh tan sinh cosh exp expm1 poisson_loss".split(), "tanh"), "acosh": "cosh",
}  # fmt: skip
SHAPES = [(6,), (6,), (6,), (4,), (3, 4), (), (2, 2), (3,), (2, 2, 3), (6, 3)]
ERRORS = (esp.Error, TypeError, ValueError, OverflowError, IndexError)


class Writer:
    """Chooses lines for a cell or an example and keeps those that can be recorded."""

    def __init__(self, draw, place, cells, engine=None):
        self.draw, self.place, self.cells, self.engine = draw, place, cells, engine
        self.lines = []
        self.good = []  # numbers of values that may be used
        self.indices, self.numbers, self.lists, self.state_lists = [], [], [], []  # arguments of a cell

    # ---- arguments

    def row(self, fits=lambda shape: True):
        found = [v for v in self.good if fits(self.shape(v))]
        if self.engine and (not found or self.draw.random() < 0.05):
            found = self.add("input", [self.array(self.draw.choice([s for s in SHAPES if fits(s)]))])
            self.good += found
        if not found:
            raise ValueError("no such row")
        return ("v", found[-1] if self.draw.random() < 0.4 else self.draw.choice(found))

    def shape(self, value):
        return self.place.values[value].shape

    def operand(self, near=None):
        kind = self.draw.random()
        if kind < 0.15:
            return ("p", self.draw.choice(["square", "down", "up", "bias6", "bias4", "scalar", "frozen"]))
        if kind < 0.3:
            return ("f", self.draw.choice([0.5, -1.25, 2.0, 0.1]))
        if kind < 0.4 and self.numbers:
            return ("v", self.draw.choice(self.numbers))
        if kind < 0.45 and self.engine:
            return self.array(near)
        return self.row(lambda s: near is None or s in (near, ()))

    def array(self, shape=None):
        shape = self.draw.choice(SHAPES) if shape is None else shape
        n = int(np.prod(shape))
        return ("a", np.array([self.draw.uniform(-1.5, 1.5) for _ in range(n)], "f4").reshape(shape))

    def index(self):
        return ("v", self.draw.choice(self.indices)) if self.indices and self.draw.random() < 0.6 else ("i", self.draw.randrange(4))

    def state(self):
        six = lambda s: s == (6,)  # noqa: E731
        return ("S", self.row(six), self.row(six))

    def token(self, code, before):
        draw = self.draw
        if code == "x":
            return self.row()
        if code in "123":
            return self.row(lambda s: len(s) == int(code))
        if code == "q":
            return self.row(lambda s: len(s) == 2 and s[0] == s[1])
        if code in "yoO":
            near = self.shape(before[0][1]) if before and before[0][0] == "v" else None
            if code == "y":
                return self.row(lambda s: s == near)
            return ("n",) if code == "O" and draw.random() < 0.3 else self.operand(near)
        if code.startswith("P:"):
            return ("p", code[2:])
        if code == "R":
            return ("v", draw.choice(self.lists))
        if code == "h":
            return self.row(lambda s: s == (6,))
        if code == "S":
            return self.state()
        if code == "T":
            return ("S", *(("v", v) for v in draw.choice(self.state_lists))) if self.state_lists else ("l", [self.state() for _ in range(draw.randrange(4))])
        if code.startswith("i:"):
            return ("i", draw.randint(*map(int, code[2:].split(":"))))
        if code == "A":
            return ("i", draw.randint(-1, 1))
        if code == "I":
            return self.index()
        if code == "J":
            return ("l", [self.index() for _ in range(draw.randint(1, 3))])
        if code == "f":
            return ("f", draw.choice([0.5, -0.25, 0.1, 1.5]))
        if code == "u":
            return ("f", draw.choice([0.25, 0.5, 0.3]))
        if code == "b":
            return ("b", draw.random() < 0.5)
        if code == "s":
            return ("s", draw.choice([*SHAPES, (12,), (4, 3), (2, 3), (3, 1, 2), (0, 2, 1), (2, 1, 0)]))
        if code == "a":
            return self.array()
        first = self.row()
        return ("l", [first, *(self.row(lambda s: s == self.shape(first[1])) for _ in range(draw.randrange(3)))])

    def tokens(self, spec):
        needed, _, optional = spec.partition("?")
        codes = needed.split() + optional.split()[: self.draw.randint(0, len(optional.split()))]
        made = []
        for code in codes:
            made.append(self.token(code, made))
        return made

    # ---- lines

    def add(self, function, tokens):
        """Records a line. Returns the numbers of its values; none of them is used if it fails or is not finite."""
        first = len(self.place.values)
        try:
            rows = self.place.run(function, tokens)
            values = self.engine.value(rows) if self.engine else None
        except ERRORS:
            del self.place.values[first:]
            return []
        self.lines.append((function, tokens))
        added = list(range(first, first + len(rows)))
        if values is None:
            return added
        if not all(np.isfinite(v).all() for v in values):
            return []
        if any(np.abs(v).max(initial=0) > 8 for v in values):
            return [w for v in added for w in self.add("tanh", [("v", v)])]
        return added

    def add_row(self, function, spec):
        try:
            tokens = self.tokens(spec)
        except (ValueError, IndexError):  # there is no such row
            return False
        if function in WITHIN:
            inside = self.add(WITHIN[function], tokens[:1])
            if not inside:
                return False
            tokens[0] = ("v", inside[0])
        added = self.add(function, tokens)
        self.good += added
        return bool(added)

    def add_list(self):
        """Reduces the rows of a list argument to one row."""
        if self.draw.random() < 0.6:
            function, spec = self.draw.choice(list(LISTS_TO_LISTS.items()))
            self.lists += self.add(function, self.tokens(spec))
        self.add_row(*self.draw.choice(list(LISTS_TO_ROWS.items())))

    def add_call(self):
        cell = self.draw.choice(self.cells)
        try:
            tokens = [self.call_argument(kind, shape) for kind, _, shape in cell.arguments]
        except (ValueError, IndexError):
            return
        self.good += self.add(f"call.{cell.name}", tokens)

    def call_argument(self, kind, shape):
        rows = lambda one: ("l", [one() for _ in range(self.draw.randrange(5))])  # noqa: E731
        if kind == "r":
            return self.row(lambda s: s == shape)
        if kind == "i":
            return self.index()
        if kind == "f":
            return ("v", self.draw.choice(self.numbers)) if self.numbers else ("f", self.draw.choice([0.5, -1.5, 0.1]))
        if kind == "s":
            return self.state()
        if self.engine is None:  # the rows of a list argument of the cell that is being traced
            return ("v", self.lists[0]) if kind == "l" else ("S", *(("v", v) for v in self.state_lists[0]))
        return rows(self.state) if kind == "t" else rows(lambda: self.row(lambda s: s == shape))

    def fill(self, n, functions):
        names = list(functions)
        while n > 0:
            n -= 1
            kind = self.draw.random()
            if kind < 0.2 and self.cells:
                self.add_call()
            elif kind < 0.3 and self.lines:  # an equal call, which may share its work
                calls = [line for line in self.lines if line[0].startswith("call.")]
                again = self.add(*self.draw.choice(calls or self.lines))
                self.good += [] if self.lists else again  # it may be rows of a list
            elif kind < 0.5 and self.lists:
                self.add_list()
            else:
                name = self.draw.choice(names)
                for _ in range(20):
                    if self.add_row(name, functions[name]):
                        break


def random_cell(draw, name, model, made, cells):
    of_numbers = draw.random() < 0.3  # equal calls of a cell without rows share their work
    arguments = [("i", "x", ())] if of_numbers else [("r", "x", (6,))]
    for k in range(draw.randrange(4)):
        kind = draw.choice("if" if of_numbers else "riflst")
        shape = () if kind in "if" else (6,) if kind in "lst" else draw.choice(SHAPES)
        arguments.append((kind, f"a{k}", shape))
    source = Cell(name, arguments)

    def body(**given):
        place = Place(model, made)
        writer = Writer(draw, place, cells)
        for (kind, _, _), value in zip(arguments, given.values()):
            first = len(place.values)
            place.values += [value.h, value.c] if kind in "st" else [value]
            added = list(range(first, len(place.values)))
            if kind == "i":
                writer.indices += added
            elif kind == "f":
                writer.numbers += added
            elif kind == "l":
                writer.lists += added
            elif kind == "t":
                writer.state_lists.append(added)
                writer.lists += added
            else:
                writer.good += added
        if of_numbers:
            writer.good += writer.add("lookup.words", [("v", 0)])
        writer.fill(draw.randint(2, 7), FUNCTIONS)
        source.lines = writer.lines
        source.results = [draw.choice(writer.good) for _ in range(draw.randint(1, 3))]
        return tuple(place.values[v] for v in source.results)

    esp.Cell(body, name, **{n: SPECS[kind](shape) for kind, n, shape in arguments})
    return source


def random_example(draw, model, made, cells, engine, lines):
    with engine.graph():
        writer = Writer(draw, Place(model, made), cells, engine)
        for shape in ((6,), draw.choice(SHAPES)):
            writer.good += writer.add("input", [writer.array(shape)])
        for line in lines:  # those of an example before
            writer.good += writer.add(*line)
        writer.fill(draw.randint(2, 14), {**FUNCTIONS, **IN_EXAMPLES})
        outputs = writer.good[-3:] + [draw.choice(writer.good)]
        loss = None
        for output in outputs:
            [bounded] = writer.add("tanh", [("v", output)])
            [term] = writer.add("mean_elements", [("v", bounded)])
            loss = term if loss is None else writer.add("operator.add", [("v", loss), ("v", term)])[0]
        return Example(writer.lines, outputs, loss)


def random_program(seed):
    draw = random.Random(seed)
    model, engine = Model().initialize(seed=seed), esp.Engine()
    made, cells, examples = {}, [], []
    for k in range(draw.randint(1, 4)):
        try:
            cell = random_cell(draw, f"c{k}", model, made, cells)
            made[cell.name] = trace(cell, model, made)
        except ERRORS:
            continue
        cells.append(cell)
    for _ in range(draw.randint(1, 5)):
        again = examples[0].lines[2:6] if examples and draw.random() < 0.4 else []
        examples.append(random_example(draw, model, made, cells, engine, again))
    return Program(seed, 1 + seed % 2, cells, examples)
