"""Optimisers, schedules and moving averages, with PyTorch's arguments and defaults."""
# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import Any, Sequence, cast

from . import _check, _core
from ._core import Parameter
from .engine import Gradients
from .module import Module

__all__ = [
    "SGD", "CyclicalSGD", "Adagrad", "Adadelta", "RMSprop", "Adam", "AdamW", "MovingAverage",
    "StepLR", "ExponentialLR", "CosineAnnealingLR", "LinearLR", "CyclicLR", "WarmUp", "ReduceLROnPlateau",
]  # fmt: skip


def _kept(params: Any) -> Any:
    """What can be read twice."""
    if isinstance(params, (str, bytes)) or not (isinstance(params, (Module, Parameter)) or hasattr(params, "__iter__")):
        raise TypeError(
            f"optimiser: {_check.type_of(params)} is given; module.parameters() is needed{_core.user_line()}"
        )
    if isinstance(params, (Module, Parameter)):
        return params
    return [{**p, "params": _kept(p["params"])} if isinstance(p, dict) and "params" in p else p for p in params]


def _listed(params: Any) -> list[Parameter]:
    if isinstance(params, Module):
        return params.parameters()
    if isinstance(params, Parameter):
        return [params]
    found: list[Parameter] = []
    one: Any
    for one in params:
        if isinstance(one, dict):
            group = cast("dict[str, Any]", one)
            if "params" not in group:
                raise ValueError(f"optimiser: a group has no params{_core.user_line()}")
            found.extend(_listed(group["params"]))
        elif isinstance(one, tuple) and len(cast("Sequence[Any]", one)) == 2:
            found.append(cast("tuple[Any, Parameter]", one)[1])
        else:
            found.append(cast(Parameter, one))
    if not found:
        raise ValueError(f"optimiser: there are no parameters; pass module.parameters(){_core.user_line()}")
    return found


class Optimizer:
    """params: module.parameters(), or a list of dicts {"params": [...], "lr": ..., "weight_decay": ...} as in PyTorch."""

    _handle: _core.Optimizer

    def _set(self, handle: _core.Optimizer, params: Any, lr: float) -> None:
        self._handle = handle
        listed: Sequence[Any] = cast("Sequence[Any]", params) if isinstance(params, list) else ()
        for one in listed:
            if not isinstance(one, dict):
                continue
            group = cast("dict[str, Any]", one)
            unknown = set(group) - {"params", "lr", "weight_decay"}
            if unknown:
                raise ValueError(f"optimiser: a group has {sorted(unknown)}; only params, lr and weight_decay can be set")
            if lr == 0 and "lr" in group:
                raise ValueError("optimiser: lr is 0, so a group cannot have another one")
            factor = group["lr"] / lr if "lr" in group else 1.0
            for p in _listed(group["params"]):
                self._handle.group(p.name, factor, group.get("weight_decay"))

    def step(self, gradients: Any) -> None:
        """One update of the parameters."""
        self._handle.step(_check.handle("step", gradients, Gradients))

    @property
    def lr(self) -> float:
        """The learning rate; setting it ends a schedule."""
        return self._handle.lr

    @lr.setter
    def lr(self, value: float) -> None:
        self._handle.lr = _check.number("optimiser", "lr", value)

    @property
    def steps(self) -> int:
        """The number of completed steps."""
        return self._handle.steps

    def set_schedule(self, schedule: Any) -> None:
        """Before step n, counted from 0, lr is set to schedule(n): a schedule of this module."""
        if not hasattr(schedule, "schedule"):
            raise TypeError(f"set_schedule: {_check.type_of(schedule)} is given; a schedule such as StepLR is needed")
        self._handle.set_schedule(schedule.schedule())

    def group(self, pattern: str, lr_factor: float = 1.0, weight_decay: float | None = None) -> None:
        """Parameters whose names match use lr * lr_factor, and their own weight decay if given; * matches any text."""
        decay = None if weight_decay is None else _check.number("group", "weight_decay", weight_decay)
        self._handle.group(_check.text("group", "pattern", pattern), _check.number("group", "lr_factor", lr_factor), decay)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(lr={self.lr:g}, steps={self.steps})"


def _numbers(who: Any, given: dict[str, Any]) -> None:
    """Checks the settings: a number each, and two for betas."""
    for name, x in given.items():
        numbers: Sequence[Any] = [x]
        if name == "betas":
            if not isinstance(x, (tuple, list)) or len(numbers := cast("Sequence[Any]", x)) != 2:
                raise TypeError(f"{type(who).__name__}: betas is {x!r}; it must be two numbers{_core.user_line()}")
        for number in numbers:
            if name not in ("self", "params"):
                _check.number(type(who).__name__, name, number)


class SGD(Optimizer):
    """Stochastic gradient descent with momentum, as torch.optim.SGD. clip_norm: limit of the norm of all gradients; 0: none."""

    def __init__(self, params: Any, lr: float = 0.1, momentum: float = 0.0, weight_decay: float = 0.0,
                 nesterov: bool = False, *, clip_norm: float = 0.0) -> None:  # fmt: skip
        _numbers(self, locals())
        params = _kept(params)
        self._set(_core.sgd(_listed(params), lr, momentum, weight_decay, clip_norm, nesterov), params, lr)


class CyclicalSGD(Optimizer):
    """SGD with a learning rate that cycles between base_lr and max_lr (Smith 2017)."""

    def __init__(self, params: Any, base_lr: float = 0.01, max_lr: float = 0.1, step_size: int = 2000, gamma: float = 1.0,
                 momentum: float = 0.0, weight_decay: float = 0.0, nesterov: bool = False, *,
                 clip_norm: float = 0.0) -> None:  # fmt: skip
        _numbers(self, locals())
        params = _kept(params)
        self._set(_core.cyclical_sgd(_listed(params), base_lr, max_lr, int(step_size), gamma, momentum, weight_decay, clip_norm,
                                     nesterov), params, base_lr)  # fmt: skip


class Adagrad(Optimizer):
    """Duchi et al. 2011, as torch.optim.Adagrad."""

    def __init__(self, params: Any, lr: float = 1e-2, lr_decay: float = 0.0, weight_decay: float = 0.0,
                 initial_accumulator_value: float = 0.0, eps: float = 1e-10, *,
                 clip_norm: float = 0.0) -> None:  # fmt: skip
        _numbers(self, locals())
        params = _kept(params)
        self._set(_core.adagrad(_listed(params), lr, lr_decay, weight_decay, initial_accumulator_value, eps, clip_norm),
                  params, lr)  # fmt: skip


class Adadelta(Optimizer):
    """Zeiler 2012, as torch.optim.Adadelta."""

    def __init__(self, params: Any, lr: float = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0.0, *,
                 clip_norm: float = 0.0) -> None:  # fmt: skip
        _numbers(self, locals())
        params = _kept(params)
        self._set(_core.adadelta(_listed(params), lr, rho, eps, weight_decay, clip_norm), params, lr)


class RMSprop(Optimizer):
    """Tieleman and Hinton 2012, as torch.optim.RMSprop."""

    def __init__(self, params: Any, lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0.0,
                 momentum: float = 0.0, centered: bool = False, *, clip_norm: float = 0.0) -> None:  # fmt: skip
        _numbers(self, locals())
        params = _kept(params)
        self._set(_core.rmsprop(_listed(params), lr, alpha, eps, weight_decay, momentum, centered, clip_norm), params, lr)


class Adam(Optimizer):
    """Kingma and Ba 2015, as torch.optim.Adam."""

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0.0, amsgrad: bool = False, *, clip_norm: float = 0.0) -> None:  # fmt: skip
        _numbers(self, locals())
        params = _kept(params)
        self._set(_core.adam(_listed(params), lr, *betas, eps, weight_decay, clip_norm, amsgrad), params, lr)


class AdamW(Optimizer):
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019), as torch.optim.AdamW."""

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 1e-2, amsgrad: bool = False, *, clip_norm: float = 0.0) -> None:  # fmt: skip
        _numbers(self, locals())
        params = _kept(params)
        self._set(_core.adamw(_listed(params), lr, *betas, eps, weight_decay, clip_norm, amsgrad), params, lr)


class MovingAverage:
    """Exponential moving averages of the parameters; they often evaluate better than the parameters themselves.

        average = MovingAverage(model.parameters(), 0.999)
        average.step(adam, gradients)              # instead of adam.step(gradients)
        with average.swapped():                    # the parameters hold their averages
            evaluate()
    """

    def __init__(self, params: Any, decay: float = 0.999) -> None:
        self._handle = _core.MovingAverage(_listed(_kept(params)), _check.number("MovingAverage", "decay", decay))

    def update(self) -> None:
        """average = decay * average + (1 - decay) * value; after each change of the parameters."""
        self._handle.update()

    def step(self, optimizer: Optimizer, gradients: Any) -> None:
        """optimizer.step(gradients) and update() in one pass."""
        self._handle.step(_check.handle("step", optimizer, Optimizer), _check.handle("step", gradients, Gradients))

    def swap_in(self) -> None:
        """The parameters hold their averages until swap_out()."""
        self._handle.swap_in()

    def swap_out(self) -> None:
        """The parameters hold their own values again."""
        self._handle.swap_out()

    def swapped(self) -> "_Swapped":
        """with average.swapped(): swap_in() and swap_out()."""
        return _Swapped(self)

    def tensors(self) -> dict[str, Any]:
        """The averages by name."""
        return self._handle.tensors()

    def __repr__(self) -> str:
        return f"<MovingAverage of {len(self.tensors())} parameters>"


class _Swapped:
    def __init__(self, average: MovingAverage) -> None:
        self._average = average

    def __enter__(self) -> MovingAverage:
        self._average.swap_in()
        return self._average

    def __exit__(self, *exception: Any) -> None:
        self._average.swap_out()


# ---- schedules: schedule(step) is the learning rate before this step, counted from 0


def _real(self: Any, name: str, x: Any) -> float:
    return _check.number(type(self).__name__, name, x)


def _count(self: Any, name: str, x: Any) -> int:
    return _check.integer(type(self).__name__, name, x)


class StepLR(_core.StepLR):
    """lr * gamma ** (step // step_size)."""

    def __init__(self, lr: float, step_size: int, gamma: float = 0.1) -> None:
        super().__init__(_real(self, "lr", lr), _count(self, "step_size", step_size), _real(self, "gamma", gamma))


class ExponentialLR(_core.ExponentialLR):
    """lr * gamma ** step."""

    def __init__(self, lr: float, gamma: float) -> None:
        super().__init__(_real(self, "lr", lr), _real(self, "gamma", gamma))


class CosineAnnealingLR(_core.CosineAnnealingLR):
    """From lr to eta_min in t_max steps, and up again in the next t_max (Loshchilov and Hutter 2017)."""

    def __init__(self, lr: float, t_max: int, eta_min: float = 0.0) -> None:
        super().__init__(_real(self, "lr", lr), _count(self, "t_max", t_max), _real(self, "eta_min", eta_min))


class LinearLR(_core.LinearLR):
    """lr times a factor that changes from start_factor to end_factor in total_iters steps and then stays."""

    def __init__(self, lr: float, total_iters: int, start_factor: float = 1 / 3, end_factor: float = 1.0) -> None:
        super().__init__(_real(self, "lr", lr), _count(self, "total_iters", total_iters),
                         _real(self, "start_factor", start_factor), _real(self, "end_factor", end_factor))  # fmt: skip


class CyclicLR(_core.CyclicLR):
    """Triangular cycles between base_lr and max_lr (Smith 2017). mode: triangular, triangular2 or exp_range.
    step_size_down 0: the same as step_size_up."""

    def __init__(self, base_lr: float, max_lr: float, step_size_up: int = 2000, step_size_down: int = 0,
                 mode: str = "triangular", gamma: float = 1.0) -> None:  # fmt: skip
        super().__init__(_real(self, "base_lr", base_lr), _real(self, "max_lr", max_lr),
                         _count(self, "step_size_up", step_size_up), _count(self, "step_size_down", step_size_down),
                         _check.text("CyclicLR", "mode", mode), _real(self, "gamma", gamma))  # fmt: skip


class WarmUp(_core.WarmUp):
    """From start_factor * then(0) to then(0) in the first `steps` steps; afterwards then(step - steps)."""

    def __init__(self, steps: int, then: Any, start_factor: float = 1 / 3) -> None:
        super().__init__(_count(self, "steps", steps), then, _real(self, "start_factor", start_factor))


class ReduceLROnPlateau(_core.ReduceLROnPlateau):
    """Multiplies lr by `factor` when a metric has not improved for more than `patience` calls of step(metric).
    mode: min or max. threshold_mode: rel or abs."""

    def __init__(self, lr: float, mode: str = "min", factor: float = 0.1, patience: int = 10, threshold: float = 1e-4,
                 threshold_mode: str = "rel", cooldown: int = 0, min_lr: float = 0.0, eps: float = 1e-8) -> None:  # fmt: skip
        who = "ReduceLROnPlateau"
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"{who}: threshold_mode is {threshold_mode!r}; it must be 'rel' or 'abs'{_core.user_line()}")
        super().__init__(_real(self, "lr", lr), _check.text(who, "mode", mode), _real(self, "factor", factor),
                         _count(self, "patience", patience), _real(self, "threshold", threshold), threshold_mode,
                         _count(self, "cooldown", cooldown), _real(self, "min_lr", min_lr), _real(self, "eps", eps))  # fmt: skip

    def step(self, metric: float) -> float:
        """After each evaluation: returns the new rate."""
        return super().step(_real(self, "metric", metric))
