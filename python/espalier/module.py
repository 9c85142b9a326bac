"""Module: parameters and submodules by attribute."""
# pyright: reportPrivateUsage=false, reportUnnecessaryIsInstance=false
from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generator, Iterator, Mapping, Sequence, cast

from . import _check, _core
from ._core import Cell, Parameter, Tensor

if TYPE_CHECKING:
    from typing import Self


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    """The elements of a list, tuple or dict that may hold modules, with their names."""
    if isinstance(value, (list, tuple)):
        yield from ((str(i), v) for i, v in enumerate(cast("Sequence[Any]", value)))
    elif isinstance(value, dict):
        yield from ((str(k), v) for k, v in cast("Mapping[Any, Any]", value).items())


def _walk(prefix: str, value: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Modules, parameters and cells below `value`, each once, in the order in which they were made attributes."""
    if isinstance(value, (Module, Parameter, Cell)):
        key = value._identity() if isinstance(value, Parameter) else id(value)
        if key in seen:
            return
        seen.add(key)
        yield prefix, value
        if isinstance(value, Module):
            for name, parameter in value._own_parameters():
                if parameter._identity() not in seen:
                    seen.add(parameter._identity())
                    yield _joined(prefix, name), parameter
            for name, child in value.__dict__.items():
                if name not in _INTERNAL:
                    yield from _walk(_joined(prefix, name), child, seen)
    elif type(value) in (list, tuple, dict) and id(value) not in seen:
        seen.add(id(value))
        for name, child in _children(value):
            yield from _walk(_joined(prefix, name), child, seen)


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


_INTERNAL = frozenset({"_arguments", "_training", "_parts"})


class Module(_core.ModuleBase):
    """A model or a part of one. Attributes that are Parameters, Modules or lists and dicts of them belong to it:

        class Classifier(esp.Module):
            def __init__(self, n):
                self.lstm = esp.nn.LSTM(n, n)
                self.out = esp.nn.Linear(n, 2)

            def __call__(self, rows):
                ...

    Their names are the attributes: "lstm.weight_ih". Values depend on seed and name; they are drawn by initialize(), or
    with seed 0 at the first use. A class that defines `forward` and no `__call__` is called by `forward`.
    """

    _arguments: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        self = super().__new__(cls)
        object.__setattr__(self, "_arguments", (args, kwargs))  # for pickle
        return self

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "forward" in cls.__dict__ and "__call__" not in cls.__dict__:
            setattr(cls, "__call__", cls.__dict__["forward"])

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if isinstance(value, (Module, Parameter, list, tuple, dict)):
            _rename(_walk(name, value, set()))
        elif isinstance(value, Cell):
            value._rename(f"{type(self).__name__}.{name}")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args or kwargs:
            raise TypeError(f"{type(self).__name__}() takes no arguments; it defines no __init__")

    # ---- parts of a module of the library

    def _own_parameters(self) -> list[tuple[str, Parameter]]:
        parts = self.__dict__.get("_parts")
        own: list[tuple[str, Parameter]] = parts.parameters if parts is not None else []
        return own

    __iter__ = None  # __getitem__ is no sequence

    def __getitem__(self, name: str) -> Parameter:
        """The parameter of this name: module["lstm.U"]."""
        _check.text(type(self).__name__, "the name of a parameter", name)
        for known, parameter in self.named_parameters():
            if known == name:
                return parameter
        from difflib import get_close_matches

        near = get_close_matches(name, [n for n, _ in self.named_parameters()], 5, 0)
        raise KeyError(f"{type(self).__name__} has no parameter {name!r}; the nearest are {', '.join(near) or 'none'}")

    # ---- parameters

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """(name, parameter), each parameter once, in the order of creation."""
        found = list(_walk("", self, set()))
        _rename(found)
        parameters = [(name, p) for name, p in found if isinstance(p, Parameter)]
        if len(dict(parameters)) < len(parameters):
            names = [name for name, _ in parameters]
            twice = next(name for name in names if names.count(name) > 1)
            raise _core.GraphError(f"{type(self).__name__}: two parameters are named '{twice}'{_core.user_line()}")
        return iter(parameters)

    def parameters(self) -> list[Parameter]:
        """All parameters of this module and its submodules."""
        return [p for _, p in self.named_parameters()]

    def named_modules(self) -> Iterator[tuple[str, "Module"]]:
        """(path, module) of this module, whose path is empty, and all below it."""
        return iter([(name, m) for name, m in _walk("", self, set()) if isinstance(m, Module)])

    def modules(self) -> list["Module"]:
        """This module and all below it."""
        return [m for _, m in self.named_modules()]

    def initialize(self, seed: int = 0) -> Self:
        """Draws all values, keyed by seed and name. Values given as an array are left as they are."""
        for parameter in self.parameters():
            parameter.initialize(seed)
        return self

    def state_dict(self) -> dict[str, Tensor]:
        """Copies of the values by name; later updates do not change them."""
        return {name: p.tensor() for name, p in self.named_parameters()}

    def load_state_dict(self, state: Any, strict: bool = True) -> None:
        """Assigns the values of a dict of arrays or tensors. If anything does not fit, nothing is changed."""
        own = dict(self.named_parameters())
        missing = [n for n in own if n not in state]
        unexpected = [n for n in state if n not in own]
        if strict and (missing or unexpected):
            raise _core.DataError(
                f"load_state_dict: missing {missing}, unexpected {unexpected}; both must be empty{_core.user_line()}"
            )
        values = {n: _core.Tensor(state[n]) for n in own if n in state}
        for name, value in values.items():
            if tuple(value.shape) != own[name].shape:
                raise _core.ShapeError(
                    f"load_state_dict: {name} is {list(value.shape)}, and the parameter is {list(own[name].shape)}"
                    + _core.user_line()
                )
        for name, value in values.items():
            own[name].assign(value)

    def requires_grad_(self, on: bool = True) -> Self:
        """requires_grad_(False) freezes all parameters."""
        for parameter in self.parameters():
            parameter.requires_grad = on
        return self

    # ---- training mode

    @property
    def training(self) -> bool:
        """What train() or eval() set. Dropout does not read it: record() trains, and infer() does not."""
        return self.__dict__.get("_training", True)

    def train(self, mode: bool = True) -> Self:
        """Sets `training` of this module and all below it."""
        for module in self.modules():
            object.__setattr__(module, "_training", mode)
        return self

    def eval(self) -> Self:
        """train(False)."""
        return self.train(False)

    # ---- copies

    def __reduce__(self) -> Any:
        """Made again from the arguments of the constructor; then the values, what is frozen, and the mode are set."""
        values = {n: p.numpy() for n, p in self.named_parameters() if p.drawn}
        frozen = [n for n, p in self.named_parameters() if not p.requires_grad]
        return _rebuild, (type(self), *self._arguments, values, frozen, self.training)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Module":
        from copy import deepcopy

        function, (cls, args, kwargs, *state) = self.__reduce__()
        made: Module = function(cls, deepcopy(args, memo), deepcopy(kwargs, memo), *state)
        memo[id(self)] = made
        return made

    def __repr__(self) -> str:
        rows = [f"  {name} {list(p.shape)}" for name, p in self.named_parameters()]
        count = sum(_size(p) for p in self.parameters())
        return "\n".join([f"{type(self).__name__}({count:,} values)", *rows])


def _size(parameter: Parameter) -> int:
    n = 1
    for size in parameter.shape:
        n *= size
    return n


def _rebuild(
    cls: type, args: tuple[Any, ...], kwargs: dict[str, Any], values: dict[str, Any], frozen: list[str], training: bool
) -> Module:
    made: Module = cls(*args, **kwargs)
    own = dict(made.named_parameters())
    lost = [n for n in values if n not in own]
    if lost:
        raise _core.DataError(
            f"{cls.__name__}: a copy has no {lost}; parameters and modules must be made in __init__, from its arguments"
        )
    made.load_state_dict(values, strict=False)
    for name in frozen:
        own[name].requires_grad = False
    return made.train(training) if not training else made


def _rename(found: Any, force: bool = False) -> None:
    """Gives parameters their full names: names in messages and files, and keys of initial values. A name from the view of
    a submodule is the end of the full name, and does not replace it."""
    for name, value in found:
        if isinstance(value, Parameter):
            if not value._in_group() and (force or not _is_end(name, value.name)):
                value._rename(name)
        elif isinstance(value, Module):
            parts = value.__dict__.get("_parts")
            if parts is not None and (force or not _is_end(name, parts.path)):
                parts.prefix(name)
                parts.path = name
        elif not force and not _is_end(name, value.name):
            value._rename(name)


def _is_end(name: str, full: str) -> bool:
    return name == full or not name or full.endswith("." + name)


@contextmanager
def named_from(module: Module) -> Generator[list[Parameter], None, None]:
    """The parameters; in this scope, their names begin at this module, whatever it is a part of."""
    if not isinstance(module, Module):
        raise TypeError(f"save and load: {_check.type_of(module)} is given; a Module is needed{_core.user_line()}")
    found = list(_walk("", module, set()))
    before = [(v.name if isinstance(v, Parameter) else getattr(v.__dict__.get("_parts"), "path", ""), v)
              for _, v in found if not isinstance(v, Cell)]  # fmt: skip
    _rename(found, force=True)
    try:
        yield [v for _, v in found if isinstance(v, Parameter)]
    finally:
        _rename(before, force=True)
