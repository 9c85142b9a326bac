// The list of ops. An op missing here does not exist. The functions of one argument are made from it: a new
// element-wise op is one struct in src/op and one line here.
#pragma once

// name of the C++ function, struct of the op
#define ESPALIER_UNARY_OPS(X)    \
  X(abs, Abs)                    \
  X(cos, Cos)                    \
  X(exp, Exp)                    \
  X(log, Log)                    \
  X(relu, Relu)                  \
  X(sigmoid, Sigmoid)            \
  X(silu, Silu)                  \
  X(sin, Sin)                    \
  X(softplus, Softplus)          \
  X(sqrt, Sqrt)                  \
  X(square, Square)              \
  X(stop_gradient, StopGradient) \
  X(tanh, Tanh)

// the same with one attribute: its name and default
#define ESPALIER_UNARY_OPS_1(X) \
  X(elu, Elu, alpha, 1.f)       \
  X(leaky_relu, LeakyRelu, slope, 0.01f)

// struct of every other op
#define ESPALIER_OTHER_OPS(X) \
  X(Add)                      \
  X(AddColumns)               \
  X(Affine)                   \
  X(ArgmaxOneHot)             \
  X(Attention)                \
  X(AvgPool)                  \
  X(Bilinear)                 \
  X(Broadcast)                \
  X(Concat)                   \
  X(Conv)                     \
  X(ConvBias)                 \
  X(Copy)                     \
  X(CrossEntropy)             \
  X(CrossEntropyGradient)     \
  X(Cumsum)                   \
  X(Div)                      \
  X(Dot)                      \
  X(Dropout)                  \
  X(DropoutAxis)              \
  X(DropoutBlock)             \
  X(DropoutMask)              \
  X(DropoutRow)               \
  X(FirstMax)                 \
  X(Fold)                     \
  X(Full)                     \
  X(GaussianNoise)            \
  X(InputRow)                 \
  X(InverseCount)             \
  X(Linear)                   \
  X(LinearTransposed)         \
  X(LogSoftmax)               \
  X(LogSumExp)                \
  X(LogSumExpRows)            \
  X(Lookup)                   \
  X(Matmul)                   \
  X(MaxAxis)                  \
  X(MaxPool)                  \
  X(MaxPoolGradient)          \
  X(MaxRows)                  \
  X(MeanAxis)                 \
  X(MeanElements)             \
  X(MeanRows)                 \
  X(MinAxis)                  \
  X(MinRows)                  \
  X(Mul)                      \
  X(Neg)                      \
  X(OneHot)                   \
  X(Outer)                    \
  X(Pad)                      \
  X(Pick)                     \
  X(Put)                      \
  X(RandomBernoulli)          \
  X(RandomGumbel)             \
  X(RandomNormal)             \
  X(RandomUniform)            \
  X(Reshape)                  \
  X(Slice)                    \
  X(Softmax)                  \
  X(SoftmaxRows)              \
  X(Spread)                   \
  X(Step)                     \
  X(Sub)                      \
  X(SumAxis)                  \
  X(SumElements)              \
  X(SumRows)                  \
  X(TraceOfProduct)           \
  X(Transpose)                \
  X(Unfold)
