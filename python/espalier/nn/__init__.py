"""Modules of the literature, with PyTorch's names and argument order where PyTorch has them.

A recurrent module is called with a row and the state before, and returns the state after; state=None is the first step.
`run(rows)` returns the output of every step.
"""

from .layers import (
    Linear as Linear,
    Embedding as Embedding,
    MLP as MLP,
    FC as FC,
    LayerNorm as LayerNorm,
)
from .recurrent import (
    LSTM as LSTM,
    CoupledLSTM as CoupledLSTM,
    LayerNormLSTM as LayerNormLSTM,
    VariationalLSTM as VariationalLSTM,
    GRU as GRU,
    RNN as RNN,
    DeepLSTM as DeepLSTM,
    DeepGRU as DeepGRU,
    DeepRNN as DeepRNN,
    BiLSTM as BiLSTM,
    BiGRU as BiGRU,
    BiRNN as BiRNN,
    DeepBiLSTM as DeepBiLSTM,
    DeepBiGRU as DeepBiGRU,
)
from .stack import (
    StackLSTM as StackLSTM,
    Stack as Stack,
)
from .trees import (
    TreeLSTM as TreeLSTM,
    ChildSumTreeLSTM as ChildSumTreeLSTM,
    NaryTreeLSTM as NaryTreeLSTM,
    BidirectionalTreeLSTM as BidirectionalTreeLSTM,
    TreeRNN as TreeRNN,
    RNTN as RNTN,
    MVRNN as MVRNN,
)
from .attention import (
    DotProductAttention as DotProductAttention,
    AdditiveAttention as AdditiveAttention,
    FeedForwardAttention as FeedForwardAttention,
    MultiheadAttention as MultiheadAttention,
)
from .graphs import (
    GraphConvolution as GraphConvolution,
    Weave as Weave,
)
from .words import (
    CharLSTM as CharLSTM,
    CharCNN as CharCNN,
    ClassFactoredSoftmax as ClassFactoredSoftmax,
    HierarchicalSoftmax as HierarchicalSoftmax,
)

_module: object = None
for _module in list(globals().values()):  # a module is espalier.nn.LSTM in a repr and in a pickle, whatever its file
    if isinstance(_module, type):
        _module.__module__ = __name__
del _module
