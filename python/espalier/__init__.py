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

from . import (
    data as data,
    init as init,
    json as json,
    nn as nn,
    optim as optim,
    smiles as smiles,
)
from ._cell import cell as cell
from ._check_gradients import (
    GradientCheck as GradientCheck,
    GradientDifference as GradientDifference,
    check_gradients as check_gradients,
)
from ._core import (
    Cell as Cell,
    DataError as DataError,
    DeviceError as DeviceError,
    Error as Error,
    Expr as Expr,
    GraphError as GraphError,
    IndexError as IndexError,
    InternalError as InternalError,
    NumberError as NumberError,
    Parameter as Parameter,
    ShapeError as ShapeError,
    State as State,
    Tensor as Tensor,
    emit as emit,
    input as input,
    is_training as is_training,
    random as random,
)
from ._core.functions import *  # noqa: F403
from ._gather import gather as gather
from .engine import (
    Batch as Batch,
    Engine as Engine,
    Failure as Failure,
    Gradients as Gradients,
    Results as Results,
    StateValues as StateValues,
)
from .files import (
    Loaded as Loaded,
    load as load,
    load_file as load_file,
    save as save,
    save_file as save_file,
)
from .minibatch import (
    Minibatch as Minibatch,
    minibatches as minibatches,
)
from .module import Module as Module
from .recorded import (
    Pipeline as Pipeline,
    Recorded as Recorded,
)

__version__ = _core.version
