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
    FileError as FileError,
    FileNotFoundError as FileNotFoundError,
    GraphError as GraphError,
    IndexError as IndexError,
    InternalError as InternalError,
    NumberError as NumberError,
    OptionError as OptionError,
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
from ._progress import progress as progress
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

# For `from espalier import *`: without names of builtins (sum, max, input, IndexError) and of Python's own modules (json).
# tools/python_stubs writes it.
__all__ = [
    "Batch", "Cell", "DataError", "DeviceError", "Engine", "Error", "Expr", "Failure", "FileError", "GradientCheck",
    "GradientDifference", "Gradients", "GraphError", "InternalError", "Loaded", "Minibatch", "Module",
    "NumberError", "OptionError", "Parameter", "Pipeline", "Recorded", "Results", "ShapeError", "State",
    "StateValues", "Tensor", "acos", "acosh", "add_columns", "affine", "argmax_one_hot", "asin", "asinh", "atan",
    "atanh", "attention", "avg_pool1d", "avg_pool2d", "bilinear", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "broadcast", "cat", "ceil", "cell", "check_gradients", "clamp", "concat",
    "constrained_softmax", "conv1d", "conv2d", "cos", "cosh", "cross_entropy", "cube", "cumsum", "data", "digamma",
    "dot", "dropout", "dropout_axis", "dropout_block", "dropout_row", "elu", "emit", "erf", "exp", "expm1", "flip",
    "flip_gradient", "floor", "full", "gather", "gaussian_noise", "gelu", "hinge", "huber_distance", "huber_loss",
    "init", "inverse", "is_training", "kl_div", "kmax_pooling", "l1_distance", "l1_loss", "l2_norm", "layer_norm",
    "leaky_relu", "lgamma", "linear", "load", "load_file", "log", "log1p", "log_sigmoid", "log_softmax", "logdet",
    "logsumexp", "logsumexp_rows", "lookup", "masked_log_softmax", "matmul", "max_axis", "max_pool1d", "max_pool2d",
    "max_rows", "mean", "mean_axis", "mean_elements", "mean_rows", "min_axis", "min_rows", "minibatches",
    "moment_axis", "moment_elements", "mse_loss", "nll_loss", "nn", "one_hot", "ones", "optim", "outer", "pad",
    "pairwise_rank_loss", "permute", "pick", "poisson_loss", "progress", "random_bernoulli", "random_gumbel",
    "random_normal", "random_uniform", "relu", "reshape", "rms_norm", "safe_sqrt", "save", "save_file",
    "scale_gradient", "selu", "sigmoid", "sign", "silu", "sin", "sinh", "smiles", "softmax", "softmax_rows",
    "softplus", "softsign", "sparsemax", "sparsemax_loss", "split", "sqrt", "square", "squared_distance",
    "squared_norm", "stack", "std_axis", "std_elements", "stop_gradient", "strided_slice", "sum_axis",
    "sum_elements", "sum_rows", "tan", "tanh", "trace_of_product", "transpose", "var_axis", "var_elements",
    "weight_norm", "where", "zeros",
]  # fmt: skip
