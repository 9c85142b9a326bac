"""Functions of rows: espalier.tanh, espalier.linear and so on. Written by tools/python_stubs; do not edit."""
from typing import Sequence

from . import Expr, Index, Pair, Parameter, Row, Shape

def abs(x: Row) -> Expr:
    """Absolute value; the gradient at 0 is 0.

    y = |x|
    """
    ...

def acos(x: Row) -> Expr:
    """Arc cosine; NaN outside [-1, 1].

    y = arccos(x)
    """
    ...

def acosh(x: Row) -> Expr:
    """Inverse hyperbolic cosine; NaN below 1.

    y = log(x + √(x² - 1))
    """
    ...

def add_columns(x: Row, b: Row) -> Expr:
    """Adds a vector to every column of a matrix.

    y[i,j] = x[i,j] + b[i]
    """
    ...

def affine(bias: Row, products: Sequence[tuple[Row, Row]]) -> Expr:
    """Sum of a bias and one or more matrix-vector products.

    y = b + W₁ x₁ + W₂ x₂ + …
    """
    ...

def argmax_one_hot(x: Row, axis: int = -1, straight_through: bool = False) -> Expr:
    """One at the first largest element along an axis, zeros elsewhere. No gradient; with straight_through, the gradient of the identity.

    y[i] = i = argmax_axis x ? 1 : 0
    """
    ...

def asin(x: Row) -> Expr:
    """Arc sine; NaN outside [-1, 1].

    y = arcsin(x)
    """
    ...

def asinh(x: Row) -> Expr:
    """Inverse hyperbolic sine.

    y = log(x + √(x² + 1))
    """
    ...

def atan(x: Row) -> Expr:
    """Arc tangent.

    y = arctan(x)
    """
    ...

def atanh(x: Row) -> Expr:
    """Inverse hyperbolic tangent; NaN outside [-1, 1].

    y = log((1 + x) / (1 - x)) / 2
    """
    ...

def attention(query: Row, keys: Expr | Sequence[Row], values: Expr | Sequence[Row]) -> Expr:
    """Scaled dot-product attention over the rows of a list; 0 for an empty list.

    y = Σ_k softmax_k(q·key_k / √d) value_k
    """
    ...

def avg_pool1d(x: Row, kernel_size: int, stride: int | None = None, padding: int = 0) -> Expr:
    """Mean of each window over x [channels,…], per channel; padding counts as zeros.

    y[c, p] = Σ_k x[c, p stride + k - padding] / |k|
    """
    ...

def avg_pool2d(x: Row, kernel_size: Pair, stride: Pair | None = None, padding: Pair = 0) -> Expr:
    """Mean of each window over x [channels,…], per channel; padding counts as zeros.

    y[c, p] = Σ_k x[c, p stride + k - padding] / |k|
    """
    ...

def bilinear(a: Row, b: Row, weight: Row) -> Expr:
    """A tensor contracted with two vectors.

    y[k] = Σ_ij a[i] W[k,i,j] b[j]
    """
    ...

def binary_cross_entropy(x: Row, target: Row) -> Expr:
    """Mean binary cross-entropy of the probabilities x; targets in [0, 1].

    y = -Σ (t log x + (1 - t) log(1 - x)) / n, logarithms not below log 1e-30
    """
    ...

def binary_cross_entropy_with_logits(x: Row, target: Row) -> Expr:
    """Mean binary cross-entropy of sigmoid(x); targets in [0, 1]; stable for any x.

    y = Σ (max(x, 0) - x t + log(1 + exp(-|x|))) / n
    """
    ...

def broadcast(x: Row, axis: int, n: int) -> Expr:
    """Repeats x n times along a new axis.

    y[.., i, ..] = x[.., ..]
    """
    ...

def cat(rows: Sequence[Row], dim: int = 0) -> Expr:
    """Concatenates rows along one axis.

    y = [x₀, x₁, …]
    """
    ...

def ceil(x: Row, straight_through: bool = False) -> Expr:
    """Rounds up to an integer.

    y = ⌈x⌉
    """
    ...

def clamp(x: Row, lo: float, hi: float) -> Expr:
    """Limits x to [lo, hi]; the gradient is 0 outside of (lo, hi).

    y = min(max(x, lo), hi)
    """
    ...

def concat(rows: Sequence[Row], axis: int = 0) -> Expr:
    """Concatenates rows along one axis.

    y = [x₀, x₁, …]
    """
    ...

def constrained_softmax(x: Row, bounds: Row) -> Expr:
    """Softmax of a vector with an upper bound per element; the excess goes to the other elements.

    y = argmin_p KL(p, softmax(x)), p ≤ u, Σ p = 1
    """
    ...

def conv1d(x: Row, weight: Row, bias: Row | None = None, stride: int = 1, padding: int = 0) -> Expr:
    """Cross-correlation of x [channels,…] with the weights W [out,channels,…].

    y[o, p] = Σ_{c,k} W[o, c, k] x[c, p stride + k - padding]
    """
    ...

def conv2d(x: Row, weight: Row, bias: Row | None = None, stride: Pair = 1, padding: Pair = 0) -> Expr:
    """Cross-correlation of x [channels,…] with the weights W [out,channels,…].

    y[o, p] = Σ_{c,k} W[o, c, k] x[c, p stride + k - padding]
    """
    ...

def cos(x: Row) -> Expr:
    """Cosine.

    y = cos(x)
    """
    ...

def cosh(x: Row) -> Expr:
    """Hyperbolic cosine.

    y = (exp(x) + exp(-x)) / 2
    """
    ...

def cross_entropy(logits: Row, target: Index) -> Expr:
    """Negative log softmax at the target.

    y = log Σ exp(x) - x[target]
    """
    ...

def cube(x: Row) -> Expr:
    """Cube.

    y = x³
    """
    ...

def cumsum(x: Row, axis: int) -> Expr:
    """Cumulative sum along one axis.

    y[k] = Σ_{j ≤ k} x[j]
    """
    ...

def digamma(x: Row) -> Expr:
    """Derivative of lgamma. No gradient.

    y = Γ'(x) / Γ(x)
    """
    ...

def dot(a: Row, b: Row) -> Expr:
    """Inner product of two rows of equal shape.

    y = Σ a b
    """
    ...

def dropout(x: Row, p: float) -> Expr:
    """In training, zeroes each element with probability p and scales the others by 1 / (1 - p).

    y = x mask, E[mask] = 1
    """
    ...

def dropout_axis(x: Row, p: float, axis: int) -> Expr:
    """Dropout with a mask shared along one axis.

    y = x mask, mask the same along the axis
    """
    ...

def dropout_block(x: Row, p: float, size: int) -> Expr:
    """Dropout with one draw per block of neighbouring elements.

    y = x mask, mask the same within a block
    """
    ...

def dropout_row(x: Row, p: float) -> Expr:
    """In training, zeroes the whole row with probability p, else scales it by 1 / (1 - p).

    y = x mask, one draw for all of x
    """
    ...

def elu(x: Row, alpha: float = 1.0) -> Expr:
    """Exponential linear unit.

    y = x > 0 ? x : alpha (exp(x) - 1)
    """
    ...

def erf(x: Row) -> Expr:
    """Error function.

    y = 2/√π ∫₀ˣ exp(-t²) dt
    """
    ...

def exp(x: Row) -> Expr:
    """Exponential.

    y = exp(x)
    """
    ...

def expm1(x: Row) -> Expr:
    """exp(x) - 1, accurate near 0.

    y = exp(x) - 1
    """
    ...

def flip(x: Row, axis: int = 0) -> Expr:
    """The elements along an axis, the last first."""
    ...

def flip_gradient(x: Row) -> Expr:
    """Identity whose gradient changes sign.

    y = x, dy/dx = -1
    """
    ...

def floor(x: Row, straight_through: bool = False) -> Expr:
    """Rounds down to an integer.

    y = ⌊x⌋
    """
    ...

def full(shape: Shape, value: float) -> Expr:
    """A constant.

    y = value
    """
    ...

def gaussian_noise(x: Row, sd: float) -> Expr:
    """In training, adds Gaussian noise with standard deviation sd.

    y = x + e, e ~ N(0, sd²)
    """
    ...

def gelu(x: Row) -> Expr:
    """Gaussian error linear unit.

    y = x (1 + erf(x / √2)) / 2
    """
    ...

def hinge(scores: Row, target: Index, margin: float = 1.0) -> Expr:
    """Multiclass hinge loss: sum of the margin violations of the other classes.

    y = Σ_{i ≠ target} max(0, margin - x[target] + x[i])
    """
    ...

def huber_distance(x: Row, target: Row, delta: float = 1.0) -> Expr:
    """Sum of Huber losses: quadratic up to delta, linear beyond (Huber 1964).

    y = Σ |d| ≤ δ ? d² / 2 : δ (|d| - δ / 2), d = x - t
    """
    ...

def huber_loss(x: Row, target: Row, delta: float = 1.0) -> Expr:
    """Mean Huber loss: quadratic up to delta, linear beyond (Huber 1964).

    y = Σ (|d| ≤ δ ? d² / 2 : δ (|d| - δ / 2)) / n, d = x - t
    """
    ...

def inverse(x: Row) -> Expr:
    """Inverse of a square matrix; NaN in every element if it is singular.

    y x = x y = 1
    """
    ...

def kl_div(log_probabilities: Row, target: Row) -> Expr:
    """Kullback-Leibler divergence of the distribution `target` from the log probabilities x.

    y = Σ t (log t - x)
    """
    ...

def kmax_pooling(x: Row, k: int, axis: int = -1) -> Expr:
    """The k largest elements along one axis, in their original order; ties go to the first.

    y = x[i₁ < … < i_k], the k largest
    """
    ...

def l1_distance(x: Row, target: Row) -> Expr:
    """Sum of the absolute differences.

    y = Σ |x - t|
    """
    ...

def l1_loss(x: Row, target: Row) -> Expr:
    """Mean of the absolute differences.

    y = Σ |x - t| / n
    """
    ...

def l2_norm(x: Row) -> Expr:
    """Euclidean norm; the gradient at 0 is 0.

    y = √(Σ x²)
    """
    ...

def layer_norm(x: Row, weight: Row | None = None, bias: Row | None = None, eps: float = 1e-05) -> Expr:
    """Normalises the last axis to mean 0 and variance 1 (Ba et al. 2016).

    y = (x - mean) / √(var + eps)
    """
    ...

def leaky_relu(x: Row, slope: float = 0.01) -> Expr:
    """ReLU with a small slope below zero.

    y = x > 0 ? x : slope x
    """
    ...

def lgamma(x: Row) -> Expr:
    """Logarithm of the gamma function.

    y = log |Γ(x)|
    """
    ...

def linear(x: Row, weight: Row, bias: Row | None = None) -> Expr:
    """Multiplies each row (its last axis) by a shared matrix.

    y = W x
    """
    ...

def log(x: Row) -> Expr:
    """Natural logarithm.

    y = log(x)
    """
    ...

def log1p(x: Row) -> Expr:
    """log(1 + x), accurate near 0.

    y = log(1 + x)
    """
    ...

def log_sigmoid(x: Row) -> Expr:
    """Logarithm of sigmoid.

    y = -log(1 + exp(-x))
    """
    ...

def log_softmax(x: Row, axis: int = -1) -> Expr:
    """Logarithm of softmax over one axis.

    y = x - log Σ_axis exp(x)
    """
    ...

def logdet(x: Row) -> Expr:
    """Logarithm of the determinant of a square matrix; -inf if it is 0, NaN if it is negative.

    y = log det x
    """
    ...

def logsumexp(x: Row, axis: int = -1) -> Expr:
    """Log-sum-exp over one axis, which is removed.

    y = log Σ_axis exp(x)
    """
    ...

def logsumexp_rows(rows: Row) -> Expr:
    """Log-sum-exp over the rows of a list, element by element.

    y = log Σ_k exp(x_k)
    """
    ...

def lookup(table: Parameter, index: Index) -> Expr:
    """One row of a table; its gradient is sparse.

    y = table[index]
    """
    ...

def masked_log_softmax(x: Row, mask: Row, axis: int = -1) -> Expr:
    """Log-softmax over the elements of an axis where the mask is above 0; -inf elsewhere.

    y = mask > 0 ? x - log Σ_{mask} exp(x) : -inf
    """
    ...

def matmul(a: Row, b: Row) -> Expr:
    """Product of two matrices, one pair per row.

    y = a b
    """
    ...

def max(a: Row | Sequence[Row], b: Row | None = None) -> Expr:
    """Element-wise maximum; on ties, a gets the gradient.

    y = max(a, b)
    """
    ...

def max_axis(x: Row, axis: int) -> Expr:
    """Maximum over one axis, which is removed; the first largest element gets the gradient.

    y = max_axis x
    """
    ...

def max_pool1d(x: Row, kernel_size: int, stride: int | None = None, padding: int = 0) -> Expr:
    """Maximum of each window over x [channels,…], per channel.

    y[c, p] = max_k x[c, p stride + k - padding]
    """
    ...

def max_pool2d(x: Row, kernel_size: Pair, stride: Pair | None = None, padding: Pair = 0) -> Expr:
    """Maximum of each window over x [channels,…], per channel.

    y[c, p] = max_k x[c, p stride + k - padding]
    """
    ...

def max_rows(rows: Row) -> Expr:
    """Maximum over the rows of a list, element by element.

    y = max_k x_k
    """
    ...

def mean(rows: Sequence[Row]) -> Expr:
    """Mean over the rows of a list; 0 for an empty list.

    y = Σ_k x_k / n
    """
    ...

def mean_axis(x: Row, axis: int) -> Expr:
    """Mean over one axis, which is removed.

    y = Σ_axis x / n
    """
    ...

def mean_elements(x: Row) -> Expr:
    """Mean of all elements of a row.

    y = Σ x / n
    """
    ...

def mean_rows(rows: Row) -> Expr:
    """Mean over the rows of a list; 0 for an empty list.

    y = Σ_k x_k / n
    """
    ...

def min(a: Row | Sequence[Row], b: Row | None = None) -> Expr:
    """Element-wise minimum; on ties, a gets the gradient.

    y = min(a, b)
    """
    ...

def min_axis(x: Row, axis: int) -> Expr:
    """Minimum over one axis, which is removed; the first smallest element gets the gradient.

    y = min_axis x
    """
    ...

def min_rows(rows: Row) -> Expr:
    """Minimum over the rows of a list, element by element.

    y = min_k x_k
    """
    ...

def moment_axis(x: Row, r: int, axis: int) -> Expr:
    """Mean of the r-th powers along one axis, which is removed.

    y = Σ_axis xʳ / n
    """
    ...

def moment_elements(x: Row, r: int) -> Expr:
    """Mean of the r-th powers of all elements.

    y = Σ xʳ / n
    """
    ...

def mse_loss(x: Row, target: Row) -> Expr:
    """Mean of the squared differences.

    y = Σ (x - t)² / n
    """
    ...

def nll_loss(log_probabilities: Row, target: Index) -> Expr:
    """Negative log probability of the target.

    y = -x[target]
    """
    ...

def one_hot(index: Index, n: int) -> Expr:
    """One at the index, zeros elsewhere.

    y[i] = i = index ? 1 : 0
    """
    ...

def ones(shape: Shape) -> Expr:
    """A row of ones."""
    ...

def outer(a: Row, b: Row) -> Expr:
    """Outer product of two vectors.

    y[i,j] = a[i] b[j]
    """
    ...

def pad(x: Row, before: int, after: int, axis: int = 0) -> Expr:
    """Adds zeros before and after x along one axis.

    y = [0, x, 0]
    """
    ...

def pairwise_rank_loss(better: Row, worse: Row, margin: float = 1.0) -> Expr:
    """Sum of the margin violations: how far `better` fails to exceed `worse` by `margin`.

    y = Σ max(0, margin - better + worse)
    """
    ...

def permute(x: Row, order: Shape) -> Expr:
    """Permutes the axes.

    y[i_order[0], i_order[1], …] = x[i₀, i₁, …]
    """
    ...

def pick(x: Row, index: Index, axis: int = 0) -> Expr:
    """One entry along an axis, which is removed.

    y[.., ..] = x[.., index, ..]
    """
    ...

def poisson_loss(log_rate: Row, count: Row) -> Expr:
    """Negative log likelihood of counts under Poisson distributions, summed.

    y = Σ exp(log_rate) - count log_rate + log Γ(count + 1)
    """
    ...

def pow(a: Row, b: Row) -> Expr:
    """Power; NaN if a is negative and b is not an integer.

    y = aᵇ
    """
    ...

def random_bernoulli(shape: Shape, p: float = 0.5, value: float = 1.0) -> Expr:
    """`value` with probability p, else zero. No gradient.

    y = u < p ? value : 0
    """
    ...

def random_gumbel(shape: Shape, place: float = 0.0, scale: float = 1.0) -> Expr:
    """Drawn from a Gumbel distribution. No gradient.

    y = place - scale log(-log u)
    """
    ...

def random_normal(shape: Shape, mean: float = 0.0, sd: float = 1.0) -> Expr:
    """Drawn from a normal distribution. No gradient.

    y ~ N(mean, sd²)
    """
    ...

def random_uniform(shape: Shape, lo: float = 0.0, hi: float = 1.0) -> Expr:
    """Drawn uniformly from [lo, hi). No gradient.

    y ~ U[lo, hi)
    """
    ...

def relu(x: Row) -> Expr:
    """Rectified linear unit; the gradient at 0 is 0.

    y = max(x, 0)
    """
    ...

def reshape(x: Row, shape: Shape) -> Expr:
    """The same elements in another shape.

    y = x
    """
    ...

def rms_norm(x: Row, weight: Row | None = None, eps: float = 1e-05) -> Expr:
    """Normalises the last axis to mean square 1 (Zhang and Sennrich 2019).

    y = x / √(Σ x² / n + eps)
    """
    ...

def round(x: Row, straight_through: bool = False) -> Expr:
    """Rounds to the nearest integer; ties go to the even one.

    y = integer nearest to x
    """
    ...

def safe_sqrt(x: Row) -> Expr:
    """Square root of max(x, 0); the gradient is 0 for x ≤ 0.

    y = √max(x, 0)
    """
    ...

def scale_gradient(x: Row, factor: float = 1.0) -> Expr:
    """Identity whose gradient is scaled.

    y = x, dy/dx = factor
    """
    ...

def select(x: Row, indices: Sequence[Index], axis: int = 0) -> Expr:
    """Several entries along an axis, in the order of the indices."""
    ...

def selu(x: Row) -> Expr:
    """Scaled exponential linear unit (Klambauer et al. 2017).

    y = 1.0507 (x > 0 ? x : 1.6733 (exp(x) - 1))
    """
    ...

def sigmoid(x: Row) -> Expr:
    """Logistic function.

    y = 1 / (1 + exp(-x))
    """
    ...

def sign(x: Row) -> Expr:
    """Sign: -1, 0 or 1. No gradient.

    y = x > 0 ? 1 : x < 0 ? -1 : 0
    """
    ...

def silu(x: Row) -> Expr:
    """Sigmoid linear unit.

    y = x / (1 + exp(-x))
    """
    ...

def sin(x: Row) -> Expr:
    """Sine.

    y = sin(x)
    """
    ...

def sinh(x: Row) -> Expr:
    """Hyperbolic sine.

    y = (exp(x) - exp(-x)) / 2
    """
    ...

def slice(x: Row, begin: int, end: int, axis: int = 0) -> Expr:
    """A range of elements along one axis.

    y = x[begin … end)
    """
    ...

def softmax(x: Row, axis: int = -1) -> Expr:
    """Softmax over one axis; zeros if all elements are -inf.

    y = exp(x) / Σ_axis exp(x)
    """
    ...

def softmax_rows(rows: Row) -> Expr:
    """Softmax over the rows of a list, element by element; zeros if all are -inf.

    y_k = exp(x_k) / Σ_j exp(x_j)
    """
    ...

def softplus(x: Row) -> Expr:
    """Smooth approximation of ReLU.

    y = log(1 + exp(x))
    """
    ...

def softsign(x: Row) -> Expr:
    """Similar to tanh, with longer tails.

    y = x / (1 + |x|)
    """
    ...

def sparsemax(x: Row, axis: int = -1) -> Expr:
    """Projection onto the simplex along one axis: small elements become 0.

    y = argmin_p |p - x|², p ≥ 0, Σ_axis p = 1
    """
    ...

def sparsemax_loss(x: Row, target: Row) -> Expr:
    """The loss of sparsemax against a distribution q; its gradient is p - q.

    y = p·x - |p|²/2 - q·x + |q|²/2, p = sparsemax(x)
    """
    ...

def split(x: Row, parts: int, axis: int = 0) -> tuple[Expr, ...]:
    """Splits x along an axis into equal parts; a tuple of them."""
    ...

def sqrt(x: Row) -> Expr:
    """Square root.

    y = √x
    """
    ...

def square(x: Row) -> Expr:
    """Square.

    y = x²
    """
    ...

def squared_distance(x: Row, target: Row) -> Expr:
    """Sum of the squared differences.

    y = Σ (x - t)²
    """
    ...

def squared_norm(x: Row) -> Expr:
    """Sum of the squares of all elements.

    y = Σ x²
    """
    ...

def stack(rows: Sequence[Row], axis: int = 0) -> Expr:
    """Stacks rows of equal shape along a new axis.

    y[.., k, ..] = x_k
    """
    ...

def std_axis(x: Row, axis: int) -> Expr:
    """Standard deviation along one axis, which is removed; the gradient at 0 is 0.

    y = √(Σ_axis (x - mean)² / n)
    """
    ...

def std_elements(x: Row) -> Expr:
    """Standard deviation of all elements; the gradient at 0 is 0.

    y = √(Σ (x - mean)² / n)
    """
    ...

def stop_gradient(x: Row) -> Expr:
    """Identity that passes no gradient.

    y = x, dy/dx = 0
    """
    ...

def strided_slice(x: Row, begin: int, end: int, step: int, axis: int = 0) -> Expr:
    """Every step-th element along one axis; backwards if step is negative.

    y[k] = x[begin + k step], up to end
    """
    ...

def sum(rows: Sequence[Row]) -> Expr:
    """Sum over the rows of a list; 0 for an empty list.

    y = Σ_k x_k
    """
    ...

def sum_axis(x: Row, axis: int) -> Expr:
    """Sum over one axis, which is removed.

    y = Σ_axis x
    """
    ...

def sum_elements(x: Row) -> Expr:
    """Sum of all elements of a row.

    y = Σ x
    """
    ...

def sum_rows(rows: Row) -> Expr:
    """Sum over the rows of a list; 0 for an empty list.

    y = Σ_k x_k
    """
    ...

def tan(x: Row) -> Expr:
    """Tangent.

    y = sin(x) / cos(x)
    """
    ...

def tanh(x: Row) -> Expr:
    """Hyperbolic tangent.

    y = tanh(x)
    """
    ...

def trace_of_product(a: Row, b: Row) -> Expr:
    """Trace of a bᵀ, computed without the product.

    y = tr(a bᵀ) = Σ a b
    """
    ...

def transpose(x: Row) -> Expr:
    """Transposes one matrix per row.

    y[i,j] = x[j,i]
    """
    ...

def var_axis(x: Row, axis: int) -> Expr:
    """Variance along one axis, which is removed; divides by n, not n - 1.

    y = Σ_axis (x - mean)² / n
    """
    ...

def var_elements(x: Row) -> Expr:
    """Variance of all elements; divides by n, not n - 1.

    y = Σ (x - mean)² / n
    """
    ...

def weight_norm(w: Row, g: Row) -> Expr:
    """Rescales the weight w to length g (Salimans and Kingma 2016).

    y = g w / ‖w‖
    """
    ...

def where(condition: Row, a: Row, b: Row) -> Expr:
    """Element-wise choice; the condition gets no gradient.

    y = condition > 0 ? a : b
    """
    ...

def zeros(shape: Shape) -> Expr:
    """A row of zeros."""
    ...
