"""Espalier: neural networks whose structure depends on the input. Write the network for one example; a whole minibatch
runs as a few large kernels, forward and backward.

    import espalier as esp

    class Model(esp.Module):
        def __init__(self):
            self.words = esp.nn.Embedding(1000, 64)
            self.lstm = esp.nn.TreeLSTM(64, 64)
            self.out = esp.nn.Linear(64, 5)

        def encode(self, tree):
            if tree.is_leaf:
                return self.lstm.leaf(self.words(tree.word))
            return self.lstm.node(self.encode(tree.left), self.encode(tree.right))

        def __call__(self, tree):
            return self.out(self.encode(tree).h)

    engine, model = esp.Engine(), Model()
    adam = esp.optim.Adam(model.parameters())
    for batch in esp.minibatches(trees, 64, seed=1, epoch=0):
        losses = engine.record(batch, lambda t: esp.cross_entropy(model(t), t.label))
        adam.step(engine.backward(losses, scale=1 / len(batch)))
"""
import os as _os

from . import _core

_core.set_package_folder(_os.path.dirname(__file__))

from . import data, init, json, nn, optim, smiles
from ._cell import cell
from ._check_gradients import GradientCheck, GradientDifference, check_gradients
from ._core import (
    Cell,
    DataError,
    DeviceError,
    Error,
    Expr,
    GraphError,
    IndexError,
    InternalError,
    NumberError,
    Parameter,
    ShapeError,
    State,
    Tensor,
    emit,
    input,
    is_training,
    random,
)
from ._core.functions import *  # noqa: F403
from ._gather import gather
from .engine import Batch, Engine, Failure, Gradients, Results, StateValues
from .files import Loaded, load, load_file, save, save_file
from .minibatch import Minibatch, minibatches
from .module import Module
from .recorded import Pipeline, Recorded

__version__ = _core.version
