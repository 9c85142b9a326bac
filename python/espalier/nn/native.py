"""What the modules of the C++ library have in common."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

import inspect
from typing import Any

from .. import _core
from .._core import Parameter
from ..module import Module


class Parts:
    """What a module of the library is made of."""

    def __init__(self, made: tuple[Any, list[tuple[str, Parameter]], dict[str, Any]]) -> None:
        self.prefix, self.parameters, self.methods = made
        self.path = ""  # the prefix that is set


class Signature:
    """The signature of an instance; the class has that of its constructor."""

    def __get__(self, instance: Native | None, owner: type) -> inspect.Signature:
        function = None if instance is None else instance._call
        if function is None:
            raise AttributeError("__signature__")
        return inspect.signature(function)


class Native(Module):
    """A module of the C++ library. Its parameters are attributes, those with a dot in the name by module["0.weight"]."""

    __signature__ = Signature()

    def _make(self, name: str, *args: Any) -> None:
        parts = Parts(_core.modules[name](*args))
        self.__dict__["_parts"] = parts
        for full, parameter in parts.parameters:
            if "." not in full:
                self.__dict__[full] = parameter
        for method, function in parts.methods.items():
            if method:
                self.__dict__[method] = function
            else:
                self._call = function

    def __setattr__(self, name: str, value: Any) -> None:
        self._refuse_own(name)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._refuse_own(name)
        super().__delattr__(name)

    def _refuse_own(self, name: str) -> None:
        """The C++ module computes with its own parameters, whatever its attributes are."""
        parts = self.__dict__.get("_parts")
        if parts is not None and any(name == full for full, _ in parts.parameters):
            raise AttributeError(
                f"{type(self).__name__}.{name} cannot be replaced or deleted; {name}.assign(array) sets its values"
            )
