"""Recorded: examples that are recorded once and replayed in later epochs. Pipeline: minibatches prepared ahead."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Sequence

from . import _core
from .minibatch import Minibatch

if TYPE_CHECKING:
    from .engine import Engine, Gradients


class Recorded(Sequence[Any]):
    """The examples of `data`, each recorded by f(example) when it is first met, and replayed from then on.

        examples = esp.Recorded(trees, model.loss)
        for batch in esp.minibatches(examples, 64, seed=1, epoch=epoch):
            gradients = engine.backward(engine.record(batch))

    The bits are those of recording again, and no Python code runs. What f reads besides its example is frozen: call
    forget() after changing cells or settings. Dropout is not frozen; it is keyed by epoch and example. f must not be
    async, nor call esp.random(). memory_limit: in bytes; the least recently used recordings are dropped.
    """

    def __init__(self, data: Sequence[Any], f: Callable[[Any], Any], *, memory_limit: int = 0) -> None:
        self._data, self._f = data, f
        self._handle = _core.Recorded(memory_limit)

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, i: Any) -> Any:
        return self._data[i]

    def forget(self, i: int | None = None) -> None:
        """Drops the recording of example i, or all."""
        if i is None:
            self._handle.forget()
        else:
            self._handle.forget_one(i)

    @property
    def kept(self) -> int:
        """The number of recordings kept."""
        return self._handle.kept

    @property
    def bytes(self) -> int:
        """The memory of the recordings."""
        return self._handle.bytes

    @property
    def hits(self) -> int:
        """How many examples were replayed."""
        return self._handle.hits

    @property
    def misses(self) -> int:
        """How many examples were recorded."""
        return self._handle.misses

    def __repr__(self) -> str:
        return f"<Recorded: {self.kept} of {len(self)} examples kept, {self.bytes:,} bytes>"


class Pipeline:
    """Prepares minibatches of a Recorded in several threads while the device runs; for a GPU.

        pipeline = esp.Pipeline(engine, threads=6)
        for batch in esp.minibatches(examples, 256, seed=1, epoch=epoch):
            pipeline.push(batch)
            if len(pipeline) > 6:
                adam.step(pipeline.backward())
        while len(pipeline):
            adam.step(pipeline.backward())
    """

    def __init__(self, engine: Engine, threads: int) -> None:
        self._handle = _core.Pipeline(engine._handle, threads)
        self._pushed = 0

    def push(self, minibatch: Minibatch, *, scale: float = 1.0, mean: bool = False) -> None:
        """Queues a minibatch of a Recorded, and returns when its missing examples are recorded. mean: divides `scale` by
        the number of losses."""
        source = getattr(minibatch, "source", None)
        if not isinstance(source, Recorded):
            raise TypeError("Pipeline: push takes minibatches of a Recorded, whose examples need no Python code")
        self._handle.push(source._handle, list(minibatch), source._f, minibatch.ids, minibatch.epoch, scale, mean)

    def backward(self) -> Gradients:
        """Takes the oldest minibatch, waits until it is prepared, and returns its gradients."""
        from .engine import Gradients

        return Gradients(self._handle.backward(), {})

    def __len__(self) -> int:
        return self._handle.size
