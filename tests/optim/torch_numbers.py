#!/usr/bin/env python3
"""The expected values of torch_test.cc, computed by PyTorch (version 1.13): run it and compare manually.

A parameter of three elements takes 30 steps with gradients that are exact in binary: element i of the gradient of step
t is (7t + 3i mod 11 - 5) / 8. Prints the three final values, then the rates of schedules at some steps.
"""

import torch
from torch.optim import lr_scheduler as schedulers


def values(rule, **options):
    p = torch.nn.Parameter(torch.tensor([0.5, -1.0, 2.0]))
    optimizer = rule([p], **options)
    for t in range(30):
        p.grad = torch.tensor([((7 * t + 3 * i) % 11 - 5) / 8 for i in range(3)])
        optimizer.step()
    return p.tolist()


def rates(make, at, lr=0.5):
    p = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([p], lr=lr)
    scheduler = make(optimizer)
    found = []
    for step in range(max(at) + 1):
        if step in at:
            found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return found


def show(name, numbers):
    print(f"{name:28}", "{" + ", ".join(f"{n:.9g}" for n in numbers) + "}")


rules = torch.optim
show("sgd", values(rules.SGD, lr=0.1, weight_decay=0.05))
show("sgd momentum", values(rules.SGD, lr=0.1, momentum=0.9, weight_decay=0.05))
show("sgd nesterov", values(rules.SGD, lr=0.1, momentum=0.9, nesterov=True))
show("adagrad", values(rules.Adagrad))
show("adagrad all", values(rules.Adagrad, lr=0.1, lr_decay=0.05, weight_decay=0.1, initial_accumulator_value=0.5,
                           eps=1e-3))
show("adadelta", values(rules.Adadelta))
show("adadelta all", values(rules.Adadelta, lr=0.5, rho=0.8, eps=1e-4, weight_decay=0.1))
show("rmsprop", values(rules.RMSprop))
show("rmsprop all", values(rules.RMSprop, lr=0.02, alpha=0.9, eps=1e-3, weight_decay=0.1, momentum=0.8, centered=True))
show("adam", values(rules.Adam))
show("adam all", values(rules.Adam, lr=0.02, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1, amsgrad=True))
show("adamw", values(rules.AdamW, lr=0.02, weight_decay=0.1))
show("adamw amsgrad", values(rules.AdamW, lr=0.02, betas=(0.8, 0.9), weight_decay=0.1, amsgrad=True))

at = [0, 1, 5, 10, 14, 23]
show("StepLR", rates(lambda o: schedulers.StepLR(o, 5, 0.5), at))
show("ExponentialLR", rates(lambda o: schedulers.ExponentialLR(o, 0.9), at))
show("CosineAnnealingLR", rates(lambda o: schedulers.CosineAnnealingLR(o, 20, 0.1), at))
show("LinearLR", rates(lambda o: schedulers.LinearLR(o, total_iters=12), at))
show("SequentialLR", rates(lambda o: schedulers.SequentialLR(
    o, [schedulers.LinearLR(o, 0.25, total_iters=8), schedulers.ExponentialLR(o, 0.9)], [8]), at))
for mode in ["triangular", "triangular2", "exp_range"]:
    show(f"CyclicLR {mode}", rates(lambda o: schedulers.CyclicLR(
        o, 0.1, 0.9, step_size_up=4, step_size_down=6, mode=mode, gamma=0.9, cycle_momentum=False), at))

p = torch.nn.Parameter(torch.zeros(1))
optimizer = torch.optim.SGD([p], lr=1)
scheduler = schedulers.ReduceLROnPlateau(optimizer, factor=0.5, patience=1, threshold=0.1, cooldown=2, min_lr=0.2)
found = []
for metric in [10, 9.5, 8, 8, 8, 8, 8, 8, 8, 7, 7, 7, 7, 7, 7, 7, float("nan"), float("nan")]:
    scheduler.step(metric)
    found.append(optimizer.param_groups[0]["lr"])
show("ReduceLROnPlateau", found)
