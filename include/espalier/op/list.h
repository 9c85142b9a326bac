// The list of all ops. The element-wise functions are generated from it: an element-wise op is one struct in src/op and
// one line here.
#pragma once

// name of the C++ function, struct of the op
#define ESPALIER_UNARY_OPS(X)    \
  X(abs, Abs)                    \
  X(acos, Acos)                  \
  X(acosh, Acosh)                \
  X(asin, Asin)                  \
  X(asinh, Asinh)                \
  X(atan, Atan)                  \
  X(atanh, Atanh)                \
  X(cos, Cos)                    \
  X(cosh, Cosh)                  \
  X(cube, Cube)                  \
  X(digamma, Digamma)            \
  X(erf, Erf)                    \
  X(exp, Exp)                    \
  X(expm1, Expm1)                \
  X(flip_gradient, FlipGradient) \
  X(gelu, Gelu)                  \
  X(lgamma, Lgamma)              \
  X(log, Log)                    \
  X(log1p, Log1p)                \
  X(log_sigmoid, LogSigmoid)     \
  X(relu, Relu)                  \
  X(safe_sqrt, SafeSqrt)         \
  X(selu, Selu)                  \
  X(sigmoid, Sigmoid)            \
  X(sign, Sign)                  \
  X(silu, Silu)                  \
  X(sin, Sin)                    \
  X(sinh, Sinh)                  \
  X(softplus, Softplus)          \
  X(softsign, Softsign)          \
  X(sqrt, Sqrt)                  \
  X(square, Square)              \
  X(stop_gradient, StopGradient) \
  X(tan, Tan)                    \
  X(tanh, Tanh)

// unary ops with one attribute: its type, name and default
#define ESPALIER_UNARY_OPS_1(X)                  \
  X(ceil, Ceil, bool, straight_through, false)   \
  X(elu, Elu, float, alpha, 1.f)                 \
  X(floor, Floor, bool, straight_through, false) \
  X(leaky_relu, LeakyRelu, float, slope, 0.01f)  \
  X(round, Round, bool, straight_through, false) \
  X(scale_gradient, ScaleGradient, float, factor, 1.f)

// functions of two operands
#define ESPALIER_BINARY_OPS(X) \
  X(max, Max)                  \
  X(min, Min)                  \
  X(pow, Pow)

// struct of all other ops
#define ESPALIER_OTHER_OPS(X)     \
  X(Add)                          \
  X(AddColumns)                   \
  X(Affine)                       \
  X(ArgmaxOneHot)                 \
  X(Attention)                    \
  X(AvgPool)                      \
  X(Bilinear)                     \
  X(BinaryCrossEntropy)           \
  X(BinaryCrossEntropyWithLogits) \
  X(Broadcast)                    \
  X(Choose)                       \
  X(Clamp)                        \
  X(ClippedLog)                   \
  X(Concat)                       \
  X(ConstrainedSoftmax)           \
  X(Conv)                         \
  X(ConvBias)                     \
  X(Copy)                         \
  X(CrossEntropy)                 \
  X(CrossEntropyGradient)         \
  X(Cumsum)                       \
  X(DetSign)                      \
  X(Div)                          \
  X(Dot)                          \
  X(Dropout)                      \
  X(DropoutAxis)                  \
  X(DropoutBlock)                 \
  X(DropoutMask)                  \
  X(DropoutRow)                   \
  X(FirstMax)                     \
  X(Fold)                         \
  X(Full)                         \
  X(GaussianNoise)                \
  X(Hinge)                        \
  X(HuberDistance)                \
  X(HuberLoss)                    \
  X(InputRow)                     \
  X(Inverse)                      \
  X(InverseCount)                 \
  X(KlDiv)                        \
  X(KmaxGradient)                 \
  X(KmaxPooling)                  \
  X(L1Distance)                   \
  X(L1Loss)                       \
  X(L2Norm)                       \
  X(LayerNorm)                    \
  X(Linear)                       \
  X(LinearTransposed)             \
  X(LogAbsDet)                    \
  X(LogSoftmax)                   \
  X(LogSumExp)                    \
  X(LogSumExpRows)                \
  X(Logdet)                       \
  X(Lookup)                       \
  X(MaskedLogSoftmax)             \
  X(Matmul)                       \
  X(MaxAxis)                      \
  X(MaxPool)                      \
  X(MaxPoolGradient)              \
  X(MaxRows)                      \
  X(MeanAxis)                     \
  X(MeanElements)                 \
  X(MeanRows)                     \
  X(MinAxis)                      \
  X(MinRows)                      \
  X(MomentAxis)                   \
  X(MomentElements)               \
  X(MseLoss)                      \
  X(Mul)                          \
  X(Neg)                          \
  X(NllLoss)                      \
  X(OneHot)                       \
  X(Outer)                        \
  X(Pad)                          \
  X(PairwiseRankLoss)             \
  X(Permute)                      \
  X(Pick)                         \
  X(PoissonLoss)                  \
  X(Put)                          \
  X(RandomBernoulli)              \
  X(RandomGumbel)                 \
  X(RandomNormal)                 \
  X(RandomUniform)                \
  X(Reshape)                      \
  X(RmsNorm)                      \
  X(Slice)                        \
  X(Softmax)                      \
  X(SoftmaxRows)                  \
  X(Sparsemax)                    \
  X(SparsemaxLoss)                \
  X(Spread)                       \
  X(SquaredDistance)              \
  X(SquaredNorm)                  \
  X(Stack)                        \
  X(StdAxis)                      \
  X(StdElements)                  \
  X(Step)                         \
  X(StridedPut)                   \
  X(StridedSlice)                 \
  X(Sub)                          \
  X(SumAxis)                      \
  X(SumElements)                  \
  X(SumRows)                      \
  X(TraceOfProduct)               \
  X(Transpose)                    \
  X(Unfold)                       \
  X(VarAxis)                      \
  X(VarElements)                  \
  X(WeightNorm)                   \
  X(XLogX)
