"""Files: safetensors, PyTorch files, checkpoints."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import os
from typing import Any, Mapping, NamedTuple

from . import _check, _core
from .module import Module, named_from
from .optim import MovingAverage, Optimizer


class Loaded(NamedTuple):
    """What load() found: the metadata, the names that did not match (empty if strict), and the position in training."""

    metadata: dict[str, str]
    missing: list[str]
    unexpected: list[str]
    misshapen: list[str]
    epoch: int
    minibatch: int


def _check_module(who: str, x: Any) -> None:
    if not isinstance(x, Module):
        raise TypeError(f"{who}: {_check.type_of(x)} is given; a Module is needed{_core.user_line()}")


def _handle(x: Optimizer | MovingAverage | None) -> Any:
    return None if x is None else x._handle


def save(
    model: Module,
    path: str | os.PathLike[str],
    *,
    optimizer: Optimizer | None = None,
    average: MovingAverage | None = None,
    metadata: Mapping[str, str] | None = None,
    epoch: int | None = None,
    minibatch: int = 0,
) -> None:
    """Writes the parameters as safetensors, with what is needed to go on training if it is given.

    The file holds the old or the complete new content, even after a crash. The espalier program and C++ read it.
    """
    who = "save"
    _check_module(who, model)
    position = None
    if epoch is not None:
        position = _check.integer(who, "epoch", epoch), _check.integer(who, "minibatch", minibatch)
    notes = {_check.text(who, "a key of metadata", k): _check.text(who, f"metadata[{k!r}]", v) for k, v in (metadata or {}).items()}
    with named_from(model) as parameters:
        _core.save(os.fspath(path), parameters, _handle(optimizer), _handle(average), notes, position)


def load(
    model: Module,
    path: str | os.PathLike[str],
    *,
    optimizer: Optimizer | None = None,
    average: MovingAverage | None = None,
    strict: bool = True,
) -> Loaded:
    """Reads parameters from safetensors, a checkpoint, or torch.save(model.state_dict(), path).

    If anything does not fit, ShapeError or DataError names it and nothing is changed. strict=False loads what fits.
    """
    _check_module("load", model)
    file = os.fspath(path)
    with named_from(model) as parameters:
        try:
            meta, missing, unexpected, misshapen, at = _core.load(
                file, parameters, _handle(optimizer), _handle(average), strict
            )
        except _core.DataError as error:
            _refuse_shapes(file, model, error)
            raise
    return Loaded(meta, missing, unexpected, misshapen, *at)


def _refuse_shapes(path: str, model: Module, error: Exception) -> None:
    """A file whose tensors have other shapes is a ShapeError."""
    try:
        tensors, _ = _core.read_file(path)
    except _core.DataError:
        return
    for name, parameter in model.named_parameters():
        if name in tensors and tuple(tensors[name].shape) != parameter.shape:
            raise _core.ShapeError(
                f"{path}: {name} is {list(tensors[name].shape)}, and the parameter is {list(parameter.shape)}"
                + _core.user_line()
            ) from error


def load_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The tensors of a safetensors or PyTorch file by name."""
    return _core.read_file(os.fspath(path))[0]


def save_file(
    tensors: Mapping[str, Any], path: str | os.PathLike[str], metadata: Mapping[str, str] | None = None
) -> None:
    """Writes arrays as safetensors."""
    _core.write_file(os.fspath(path), dict(tensors), dict(metadata or {}))
