"""Engine: records examples, runs them together, and differentiates them."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import Any, Callable, Iterator, Literal, NamedTuple, Sequence, overload

from . import _check, _core
from .minibatch import Minibatch
from .recorded import Recorded


class StateValues(NamedTuple):
    """The values of a State in results."""

    h: Any
    c: Any


class Failure(NamedTuple):
    """An example that was left out with skip_bad."""

    position: int
    error: BaseException


class Batch(Sequence[Any]):
    """The results of record(), in order. It keeps its graph alive.

    `failed`: the examples left out with skip_bad; `positions`: of the others; `rounds`: how often examples waited.
    """

    __slots__ = ("_handle", "_results", "failed", "positions", "rounds")

    def __init__(self, handle: _core.Batch, failed: Sequence[tuple[int, BaseException]], replayed: bool = False) -> None:
        self._handle = handle
        # Those of kept recordings are made when they are read.
        self._results: list[Any] | None = None if replayed else handle.take_results()
        self.failed = [Failure(*f) for f in failed]
        self.positions: list[int] = handle.positions
        self.rounds: int = handle.rounds

    @property
    def results(self) -> list[Any]:
        """The results as a list, which does not keep the graph alive."""
        if self._results is None:
            self._results = self._handle.replayed_results()
        return self._results

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, i: Any) -> Any:
        return self.results[i]

    def __iter__(self) -> Iterator[Any]:
        yield from self.results  # a generator: it keeps the batch, and so its graph, alive

    def __eq__(self, other: Any) -> bool:
        return bool(self.results == (other.results if isinstance(other, Batch) else other))

    __hash__ = None  # type: ignore[assignment]

    @property
    def calls(self) -> int:
        """The number of recorded calls."""
        return self._handle.calls

    @property
    def inputs(self) -> dict[str, list[_core.Expr]]:
        """The rows recorded with esp.input(array, name=...), by name."""
        return self._handle.inputs

    def emitted(self, metric: str) -> list[_core.Expr]:
        """The values given to esp.emit under this name."""
        return self._handle.emitted(metric)[0]

    def labels(self, metric: str) -> list[int]:
        """The labels given to esp.emit under this name."""
        return self._handle.emitted(metric)[1]

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} examples, {self.calls} calls>"

    def __reduce__(self) -> Any:
        raise TypeError("a Batch holds a graph and cannot be pickled or copied; list(batch) holds its results")


class Results(list[Any]):
    """The values of a batch, in order. `failed`, `positions` and `rounds` are those of its Batch."""

    __slots__ = ("failed", "positions", "rounds")

    def __init__(self, values: Any, batch: Batch) -> None:
        super().__init__(values)
        self.failed, self.positions, self.rounds = batch.failed, batch.positions, batch.rounds


class Gradients:
    """The gradients of one backward pass: of(parameter), norm(), clip_norm(limit), loss; they add with +=."""

    __slots__ = ("_handle", "_inputs")

    def __init__(self, handle: _core.Gradients, inputs: dict[str, list[_core.Expr]]) -> None:
        self._handle = handle
        self._inputs = inputs

    @property
    def loss(self) -> _core.Scalar:
        """The sum of scale * loss; item() waits for it."""
        return self._handle.loss

    @property
    def inputs(self) -> dict[str, list[_core.Array]]:
        """The gradients of the rows recorded with a name: one array per row."""
        return {name: [self._handle.of(x).numpy() for x in xs] for name, xs in self._inputs.items()}

    def of(self, parameter: _core.Parameter | _core.Expr) -> _core.Tensor:
        """The gradient of a Parameter or of an Expr that was watched. Zeros if the loss does not depend on it."""
        return self._handle.of(parameter)

    def norm(self) -> float:
        """The norm over all parameters."""
        return self._handle.norm()

    def clip_norm(self, limit: float) -> None:
        """Scales all gradients so that their norm is at most `limit`."""
        self._handle.clip_norm(_check.number("clip_norm", "limit", limit))

    def __iadd__(self, other: "Gradients") -> "Gradients":
        self._handle.add(_check.handle("+=", other, Gradients))
        for name, xs in other._inputs.items():
            self._inputs.setdefault(name, []).extend(xs)
        return self

    def __imul__(self, factor: float) -> "Gradients":
        self._handle.scale(_check.number("*=", "the factor", factor))
        return self

    def __repr__(self) -> str:
        return f"<Gradients: loss {self.loss.item():g}, norm {self.norm():g}>"


class Text(str):
    """A text that a notebook shows with its line breaks."""

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self)}</pre>"


class GraphContext:
    """with engine.graph(): records outside of a batch, for the prompt and for notebooks."""

    def __init__(self, handle: _core.GraphScope) -> None:
        self._handle = handle

    def __enter__(self) -> "GraphContext":
        self._handle.enter()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._handle.leave()

    @property
    def calls(self) -> int:
        return self._handle.calls

    def __repr__(self) -> str:
        return f"<graph of {self.calls} calls>"


class Engine:
    """Runs recorded examples on a device.

    device: cpu, cuda, cuda:N (also ref, in double, and null, which computes nothing). threads: shards of a minibatch
    that run at the same time. seed: of dropout and noise. policy: auto, agenda, depth or none. precision: f32; on a GPU
    also tf32 and bf16 for the factors of products.
    """

    def __init__(
        self,
        device: str = "cpu",
        *,
        threads: int = 1,
        seed: int = 0,
        policy: str = "auto",
        precision: str = "f32",
        memory_limit: int = 0,
        immediate: bool = False,
        memoise: bool = True,
        timed: bool = False,
    ) -> None:
        who = "Engine"
        self._handle = _core.Engine(
            _check.text(who, "device", device),
            _check.integer(who, "threads", threads, 2**31 - 1),
            _check.integer(who, "seed", seed),
            _check.text(who, "policy", policy),
            _check.text(who, "precision", precision),
            _check.integer(who, "memory_limit", memory_limit),
            bool(immediate),
            bool(memoise),
            bool(timed),
        )
        self._device, self._threads, self._precision = device, threads, precision
        self._recorded = 0  # number of unkeyed minibatches so far: their epoch

    def record(
        self,
        examples: Any,
        f: Callable[[Any], Any] | None = None,
        *,
        mode: str = "train",
        ids: Sequence[int] | None = None,
        epoch: int | None = None,
        skip_bad: bool = False,
        max_rounds: int = 100_000,
    ) -> Batch:
        """Calls f(example) for each example and returns the results, which wait to be computed.

        f returns Exprs: one, or a tuple, list, dict or dataclass of them; or it is an `async def`. Dropout is keyed by the
        ids and the epoch of a Minibatch; a plain list is keyed by a counter, so its masks differ from step to step.
        skip_bad: examples that raise an exception are left out and listed in `failed`.
        """
        trains = _check.mode("record", mode)
        if ids is not None:
            ids = [_check.integer("record", "an id", i) for i in ids]
        if isinstance(examples, Minibatch):
            if ids is None:
                ids = examples.ids
            if epoch is None:
                epoch = examples.epoch
            source = examples.source
            if f is None and isinstance(source, Recorded):
                handle = _core.record_kept(
                    self._handle, source._handle, list(examples), source._f, ids, epoch, trains, skip_bad
                )
                return Batch(handle, handle.take_failed(), replayed=True)
        if f is None:
            raise TypeError(
                f"record: f is missing; it may be left out only for minibatches of a Recorded{_core.user_line()}"
            )
        if epoch is None:
            epoch = self._recorded
            self._recorded += trains
        handle = self._handle.record(
            examples,
            f,
            ids if ids is not None else [],
            _check.integer("record", "epoch", epoch),
            trains,
            bool(skip_bad),
            _check.integer("record", "max_rounds", max_rounds, 2**31 - 1),
        )
        return Batch(handle, handle.take_failed())

    @overload
    def infer(
        self,
        examples: Any,
        f: Callable[[Any], Any] | None = None,
        *,
        stack: Literal[False] = False,
        skip_bad: bool = False,
        max_rounds: int = 100_000,
    ) -> Results: ...
    @overload
    def infer(
        self,
        examples: Any,
        f: Callable[[Any], Any] | None = None,
        *,
        stack: Literal[True],
        skip_bad: bool = False,
        max_rounds: int = 100_000,
    ) -> _core.Array: ...
    def infer(
        self,
        examples: Any,
        f: Callable[[Any], Any] | None = None,
        *,
        stack: bool = False,
        skip_bad: bool = False,
        max_rounds: int = 100_000,
    ) -> Any:
        """Records in inference mode (no dropout) and computes: the results with arrays in place of Exprs.

        The arrays are read-only and share memory. stack: one array [n, ...] if f returns one Expr of the same shape for
        all examples. An already recorded batch may be given without f.
        """
        if f is None and isinstance(examples, Batch):
            batch = examples
        else:
            batch = self.record(examples, f, mode="infer", skip_bad=skip_bad, max_rounds=max_rounds)
        values = self._handle.infer(batch.results, stack, StateValues)
        return values if stack else Results(values, batch)

    @overload
    def value(self, x: _core.Expr) -> _core.Array: ...
    @overload
    def value(self, x: Any) -> Any: ...
    def value(self, x: Any) -> Any:
        """Computes an Expr, or a structure of Exprs, now."""
        return self._handle.value(x, StateValues)

    def backward(self, losses: Any, scale: float = 1.0) -> Gradients:
        """The gradients of scale times the sum of all losses: a batch, a list of Exprs, or one Expr."""
        inputs = losses.inputs if isinstance(losses, Batch) else {}
        for xs in inputs.values():
            for x in xs:
                self._handle.watch(x)
        scale = _check.number("backward", "scale", scale)
        if isinstance(losses, Batch) and losses._results is None:
            return Gradients(self._handle.backward_of_replayed(losses._handle, scale), inputs)
        # `losses` keeps the graph alive.
        exprs = losses.results if isinstance(losses, Batch) else losses
        return Gradients(self._handle.backward(exprs, scale), inputs)

    def watch(self, x: _core.Expr) -> None:
        """Keeps the gradient of an Expr in the next backward()."""
        self._handle.watch(x)

    def graph(self, mode: str = "train") -> GraphContext:
        """with engine.graph(): records outside of a batch; value(x) computes."""
        return GraphContext(self._handle.graph(_check.mode("graph", mode)))

    def rerun(self, batch: Batch) -> None:
        """Computes a batch again with the present parameters and the same random numbers."""
        self._handle.rerun(_check.handle("rerun", batch, Batch))

    def explain(self, batch: Batch | GraphContext) -> Text:
        """Which calls ran together, which rows were copied, and why, as text."""
        return Text(self._handle.explain(_check.handle("explain", batch, Batch, GraphContext)))

    def dry_run(self, batch: Batch | GraphContext) -> _core.DryRun:
        """The same as an object: calls, steps, cells, gathers, bytes."""
        return self._handle.dry_run(_check.handle("dry_run", batch, Batch, GraphContext))

    def profile(self) -> Text:
        """Time per stage and, with timed=True, per cell."""
        return Text(self._handle.profile())

    def counters(self) -> dict[str, Any]:
        """Totals since the engine was made or reset_counters() was called."""
        return self._handle.counters()

    def reset_counters(self) -> None:
        """Sets the totals of counters() and profile() to 0."""
        self._handle.reset_counters()

    def wait(self) -> None:
        """Waits until the device has completed all work."""
        self._handle.wait()

    @property
    def seed(self) -> int:
        """Of dropout and noise in recordings from now on."""
        return self._handle.seed

    @seed.setter
    def seed(self, value: int) -> None:
        self._handle.seed = _check.integer("engine", "seed", value)

    def __repr__(self) -> str:
        return f"Engine(device={self._device!r}, threads={self._threads}, precision={self._precision!r}, seed={self.seed})"

    def __reduce__(self) -> Any:
        raise TypeError("an Engine cannot be pickled or copied; make another one")
