// The functions of rows: espalier.tanh, espalier.linear and so on. Docstrings are those of the table of ops.
#include <espalier/expr/functions.h>

#include "expr/functions/function.h"
#include "op/op.h"
#include "python/src/function/attention.h"
#include "python/src/function/function.h"
#include "python/src/function/functions.h"
#include "python/src/value/parameter.h"

namespace espalier::python {
namespace {

using Rows = std::vector<Expr>;
using MaybeOperand = std::optional<Operand>;

// Collects the functions of the module.
class Table {
 public:
  explicit Table(PyObject* module) : module_(module) {}
  // `op`: the row of the table of ops that documents the function; by default that of the same name.
  template <class F>
  void add(const char* name, std::string_view arguments, F f, const char* op = nullptr) {
    put(name, wrap(name, arguments, doc_of(op == nullptr ? name : op), std::move(f)));
  }
  template <class F>
  void add_with_doc(const char* name, std::string_view arguments, const char* doc, F f) {
    put(name, wrap(name, arguments, doc, std::move(f)));
  }

 private:
  static std::string doc_of(const char* op) {
    const OpInfo* const info = find_op(op);
    if (info == nullptr) throw InternalError(std::string("python: no op is named ") + op);
    return std::string(info->doc.text) + "\n\n    " + std::string(info->doc.math);
  }
  void put(const char* name, Ref function) {
    if (PyModule_AddObject(module_, name, function.release()) < 0) throw_python();
  }
  PyObject* module_;
};

// ---- rows without an operand: in the current graph, or constants of the cell being traced

Expr constant(std::string_view who, const Shape& shape, float value) {
  if (const Current* const now = current(); now != nullptr && now->trace != nullptr) {
    Trace& trace = *now->trace;
    return expr_of(trace,
                   static_cast<uint32_t>(trace.builder.make(info<op::Full>(), erase(op::FullAttrs{shape, value}), {})));
  }
  Graph& g = current_graph(who);
  if (value == 0) return zeros(g, shape, Where{});
  if (value == 1) return ones(g, shape, Where{});
  return full(g, shape, value, Where{});
}

// A row to which random rows of a cell belong.
Expr any_traced(std::string_view who, const Shape& shape) { return constant(who, shape, 0); }

template <class InGraph, class InCell>
Expr random_row(std::string_view who, const Shape& shape, InGraph in_graph, InCell in_cell) {
  if (const Current* const now = current(); now != nullptr && now->trace != nullptr)
    return in_cell(any_traced(who, shape));
  return in_graph(current_graph(who));
}

void add_leaves(Table& t) {
  t.add_with_doc("zeros", "shape", "A row of zeros.", [](const Shape& s) { return constant("zeros", s, 0); });
  t.add_with_doc("ones", "shape", "A row of ones.", [](const Shape& s) { return constant("ones", s, 1); });
  t.add("full", "shape, value", [](const Shape& s, float value) { return constant("full", s, value); });
  t.add("one_hot", "index, n", [](const Index& index, int n) {
    return index.traced() ? one_hot(n, index, Where{}) : one_hot(current_graph("one_hot"), n, index, Where{});
  });
  t.add("lookup", "table, index", [](PyObject* table, const Index& index) {
    if (!is_parameter(table)) throw_type_error("lookup: the table is " + type_of(table) + "; it must be a Parameter");
    const Lookup rows(parameter_in(table).storage());
    return index.traced() ? lookup(rows, index, Where{}) : lookup(current_graph("lookup"), rows, index, Where{});
  });
  constexpr const char* normal = "Drawn from a normal distribution. No gradient.\n\n    y ~ N(mean, sd²)";
  constexpr const char* uniform = "Drawn uniformly from [lo, hi). No gradient.\n\n    y ~ U[lo, hi)";
  constexpr const char* bernoulli = "`value` with probability p, else zero. No gradient.\n\n    y = u < p ? value : 0";
  constexpr const char* gumbel = "Drawn from a Gumbel distribution. No gradient.\n\n    y = place - scale log(-log u)";
  t.add_with_doc("random_normal", "shape, mean=0.0, sd=1.0", normal, [](const Shape& s, float mean, float sd) {
    return random_row(
        "random_normal", s, [&](Graph& g) { return random_normal(g, s, mean, sd, Where{}); },
        [&](Expr like) { return random_normal(like, s, mean, sd, Where{}); });
  });
  t.add_with_doc("random_uniform", "shape, lo=0.0, hi=1.0", uniform, [](const Shape& s, float lo, float hi) {
    return random_row(
        "random_uniform", s, [&](Graph& g) { return random_uniform(g, s, lo, hi, Where{}); },
        [&](Expr like) { return random_uniform(like, s, lo, hi, Where{}); });
  });
  t.add_with_doc("random_bernoulli", "shape, p=0.5, value=1.0", bernoulli, [](const Shape& s, float p, float value) {
    return random_row(
        "random_bernoulli", s, [&](Graph& g) { return random_bernoulli(g, s, p, value, Where{}); },
        [&](Expr like) { return random_bernoulli(like, s, p, value, Where{}); });
  });
  t.add_with_doc("random_gumbel", "shape, place=0.0, scale=1.0", gumbel, [](const Shape& s, float place, float scale) {
    return random_row(
        "random_gumbel", s, [&](Graph& g) { return random_gumbel(g, s, place, scale, Where{}); },
        [&](Expr like) { return random_gumbel(like, s, place, scale, Where{}); });
  });
}

// ---- element-wise functions, from the list of ops

// A parameter or number is made a row where the C++ function takes an Expr only.
void add_elementwise(Table& t) {
#define ESPALIER_PYTHON(name, Op) t.add(#name, "x", [](Expr x) { return espalier::name(x, Where{}); });
  ESPALIER_UNARY_OPS(ESPALIER_PYTHON)
#undef ESPALIER_PYTHON
#define ESPALIER_PYTHON(name, Op, type, attribute, otherwise) \
  t.add(#name, default_argument(#attribute, otherwise),       \
        [](Expr x, type attribute) { return espalier::name(x, attribute, Where{}); });
  const auto default_argument = [](std::string attribute, auto otherwise) {
    if constexpr (std::is_same_v<decltype(otherwise), bool>)
      return "x, " + attribute + (otherwise ? "=True" : "=False");
    char number[32];
    std::snprintf(number, sizeof number, "%g", static_cast<double>(otherwise));
    return "x, " + attribute + "=" + number;
  };
  ESPALIER_UNARY_OPS_1(ESPALIER_PYTHON)
#undef ESPALIER_PYTHON
  t.add("pow", "a, b", [](const Operand& a, const Operand& b) { return pow(a, b); });
  t.add("clamp", "x, lo, hi", [](Expr x, float lo, float hi) { return clamp(x, lo, hi, Where{}); });
  t.add("where", "condition, a, b",
        [](const Operand& c, const Operand& a, const Operand& b) { return where(c, a, b); });
}

// ---- max, min and so on: of two rows, of a list of rows

template <class Two, class Many>
auto of_two_or_list(std::string_view who, Two two, Many many) {
  return [who, two, many](PyObject* a, PyObject* b) -> Expr {
    if (b != Py_None) return two(to_operand(a, {who, "a"}), to_operand(b, {who, "b"}));
    const Held<Rows> rows(a, {who, "rows"});
    return many(rows.get());
  };
}
void add_reductions(Table& t) {
  t.add("max", "a, b=None",
        of_two_or_list(
            "max", [](const Operand& a, const Operand& b) { return max(a, b); },
            [](const Rows& rows) { return max(rows, Where{}); }));
  t.add("min", "a, b=None",
        of_two_or_list(
            "min", [](const Operand& a, const Operand& b) { return min(a, b); },
            [](const Rows& rows) { return min(rows, Where{}); }));
  t.add("sum", "rows", [](const Rows& rows) { return sum(rows, Where{}); }, "sum_rows");
  t.add("mean", "rows", [](const Rows& rows) { return mean(rows, Where{}); }, "mean_rows");
#define ESPALIER_PYTHON(name) t.add(#name, "rows", [](Expr rows) { return espalier::name(rows, Where{}); });
  ESPALIER_PYTHON(sum_rows)
  ESPALIER_PYTHON(mean_rows)
  ESPALIER_PYTHON(max_rows)
  ESPALIER_PYTHON(min_rows)
  ESPALIER_PYTHON(logsumexp_rows)
  ESPALIER_PYTHON(softmax_rows)
#undef ESPALIER_PYTHON
  t.add("attention", "query, keys, values", &attention_over);
#define ESPALIER_PYTHON(name) t.add(#name, "x", [](Expr x) { return espalier::name(x, Where{}); });
  ESPALIER_PYTHON(sum_elements)
  ESPALIER_PYTHON(mean_elements)
  ESPALIER_PYTHON(var_elements)
  ESPALIER_PYTHON(std_elements)
  ESPALIER_PYTHON(squared_norm)
  ESPALIER_PYTHON(l2_norm)
  ESPALIER_PYTHON(inverse)
  ESPALIER_PYTHON(logdet)
  ESPALIER_PYTHON(transpose)
#undef ESPALIER_PYTHON
  t.add("moment_elements", "x, r", [](Expr x, int r) { return moment_elements(x, r, Where{}); });
#define ESPALIER_PYTHON(name) \
  t.add(#name, "x, axis", [](Expr x, int axis) { return espalier::name(x, axis, Where{}); });
  ESPALIER_PYTHON(sum_axis)
  ESPALIER_PYTHON(mean_axis)
  ESPALIER_PYTHON(var_axis)
  ESPALIER_PYTHON(std_axis)
  ESPALIER_PYTHON(max_axis)
  ESPALIER_PYTHON(min_axis)
#undef ESPALIER_PYTHON
  t.add_with_doc("cumsum", "x, axis", "Cumulative sum along one axis.\n\n    y[k] = Σ_{j ≤ k} x[j]",
                 [](Expr x, int axis) { return cumsum(x, axis, Where{}); });
  t.add("moment_axis", "x, r, axis", [](Expr x, int r, int axis) { return moment_axis(x, r, axis, Where{}); });
#define ESPALIER_PYTHON(name) \
  t.add(#name, "x, axis=-1", [](Expr x, int axis) { return espalier::name(x, axis, Where{}); });
  ESPALIER_PYTHON(softmax)
  ESPALIER_PYTHON(log_softmax)
  ESPALIER_PYTHON(logsumexp)
  ESPALIER_PYTHON(sparsemax)
#undef ESPALIER_PYTHON
  t.add("argmax_one_hot", "x, axis=-1, straight_through=False",
        [](Expr x, int axis, bool straight) { return argmax_one_hot(x, axis, straight, Where{}); });
  t.add("constrained_softmax", "x, bounds",
        [](Expr x, const Operand& bounds) { return constrained_softmax(x, bounds, Where{}); });
  t.add("masked_log_softmax", "x, mask, axis=-1",
        [](Expr x, const Operand& mask, int axis) { return masked_log_softmax(x, mask, axis, Where{}); });
}

// ---- products

void add_products(Table& t) {
  t.add("linear", "x, weight, bias=None",
        [](Expr x, const Operand& weight, const MaybeOperand& bias) { return linear(x, weight, bias, Where{}); });
  t.add("matmul", "a, b", [](const Operand& a, const Operand& b) { return matmul(a, b, Where{}); });
  t.add("dot", "a, b", [](const Operand& a, const Operand& b) { return dot(a, b); });
  t.add("outer", "a, b", [](const Operand& a, const Operand& b) { return outer(a, b); });
  t.add("bilinear", "a, b, weight",
        [](const Operand& a, const Operand& b, const Operand& weight) { return bilinear(a, b, weight); });
  t.add("trace_of_product", "a, b", [](const Operand& a, const Operand& b) { return trace_of_product(a, b); });
  t.add("add_columns", "x, b", [](const Operand& x, const Operand& b) { return add_columns(x, b); });
  t.add("affine", "bias, products", [](const Operand& bias, PyObject* products) {
    const Asked asked{"affine", "products"};
    const Items pairs(products, asked);
    if (pairs.size() == 0) throw ShapeError("affine: no product is given; at least one pair (W, x) is needed");
    std::vector<Operand> operands{bias};
    for (size_t i = 0; i < pairs.size(); ++i) {
      const Items pair(pairs[i], asked);
      if (pair.size() != 2) throw ShapeError("affine: product " + std::to_string(i) + " must be a pair (W, x)");
      operands.push_back(to_operand(pair[0], asked));
      operands.emplace_back(to_expr(pair[1], asked), Where{});
    }
    return record_function({"affine", operands, {}, Where{}}, op_of_that_name);
  });
  t.add("layer_norm", "x, weight=None, bias=None, eps=1e-5",
        [](Expr x, const MaybeOperand& weight, const MaybeOperand& bias, float eps) {
          return layer_norm(x, weight, bias, eps, Where{});
        });
  t.add("rms_norm", "x, weight=None, eps=1e-5",
        [](Expr x, const MaybeOperand& weight, float eps) { return rms_norm(x, weight, eps, Where{}); });
  t.add("weight_norm", "w, g", [](const Operand& w, const Operand& g) { return weight_norm(w, g); });
}

// ---- losses

void add_losses(Table& t) {
  t.add("cross_entropy", "logits, target",
        [](Expr logits, const Index& target) { return cross_entropy(logits, target, Where{}); });
  t.add("nll_loss", "log_probabilities, target",
        [](Expr x, const Index& target) { return nll_loss(x, target, Where{}); });
  t.add("hinge", "scores, target, margin=1.0",
        [](Expr x, const Index& target, float margin) { return hinge(x, target, margin, Where{}); });
#define ESPALIER_PYTHON(name, arguments) \
  t.add(#name, arguments, [](const Operand& a, const Operand& b) { return espalier::name(a, b); });
  ESPALIER_PYTHON(mse_loss, "x, target")
  ESPALIER_PYTHON(squared_distance, "x, target")
  ESPALIER_PYTHON(l1_loss, "x, target")
  ESPALIER_PYTHON(l1_distance, "x, target")
  ESPALIER_PYTHON(binary_cross_entropy, "x, target")
  ESPALIER_PYTHON(binary_cross_entropy_with_logits, "x, target")
  ESPALIER_PYTHON(kl_div, "log_probabilities, target")
#undef ESPALIER_PYTHON
  t.add_with_doc("poisson_loss", "log_rate, count",
                 "Negative log likelihood of counts under Poisson distributions, summed.\n\n"
                 "    y = Σ exp(log_rate) - count log_rate + log Γ(count + 1)",
                 [](const Operand& x, const Operand& y) { return poisson_loss(x, y); });
  t.add("huber_loss", "x, target, delta=1.0",
        [](const Operand& x, const Operand& y, float delta) { return huber_loss(x, y, delta); });
  t.add("huber_distance", "x, target, delta=1.0",
        [](const Operand& x, const Operand& y, float delta) { return huber_distance(x, y, delta); });
  t.add("pairwise_rank_loss", "better, worse, margin=1.0",
        [](const Operand& x, const Operand& y, float margin) { return pairwise_rank_loss(x, y, margin); });
  t.add("sparsemax_loss", "x, target",
        [](Expr x, const Operand& target) { return sparsemax_loss(x, target, Where{}); });
}

// ---- shape and selection

// A shape with at most one -1, which follows from the number of elements.
Expr reshaped(Expr x, PyObject* sizes) {
  const Asked asked{"reshape", "shape"};
  std::vector<int> all;
  if (PyIndex_Check(sizes)) {
    all.push_back(to_int(sizes, asked));
  } else {
    const Items items(sizes, asked);
    for (size_t i = 0; i < items.size(); ++i) all.push_back(to_int(items[i], asked));
  }
  int64_t others = 1;
  int* open = nullptr;
  for (int& n : all) {
    if (n == -1 && open != nullptr) throw ShapeError("reshape: at most one size may be -1");
    if (n == -1)
      open = &n;
    else
      others *= n;
  }
  if (open != nullptr) {
    const int64_t n = x.shape().size();
    if (others == 0 || n % others != 0)
      throw ShapeError("reshape: x" + str(x.shape()) + " has " + std::to_string(n) +
                       " elements; the other sizes must divide this number");
    *open = static_cast<int>(n / others);
  }
  return reshape(x, Shape::of(all.data(), static_cast<int>(all.size())), Where{});
}

void add_shapes(Table& t) {
  t.add("broadcast", "x, axis, n", [](Expr x, int axis, int n) { return broadcast(x, axis, n, Where{}); });
  t.add("concat", "rows, axis=0", [](const Rows& rows, int axis) { return concat(rows, axis, Where{}); });
  t.add("cat", "rows, dim=0", [](const Rows& rows, int axis) { return concat(rows, axis, Where{}); }, "concat");
  t.add("stack", "rows, axis=0", [](const Rows& rows, int axis) { return stack(rows, axis, Where{}); });
  t.add("slice", "x, begin, end, axis=0",
        [](Expr x, int begin, int end, int axis) { return slice(x, begin, end, axis, Where{}); });
  t.add("strided_slice", "x, begin, end, step, axis=0", [](Expr x, int begin, int end, int step, int axis) {
    return strided_slice(x, begin, end, step, axis, Where{});
  });
  t.add_with_doc("flip", "x, axis=0", "The elements along an axis, the last first.",
                 [](Expr x, int axis) { return flip(x, axis, Where{}); });
  t.add("pad", "x, before, after, axis=0",
        [](Expr x, int before, int after, int axis) { return pad(x, before, after, axis, Where{}); });
  t.add("reshape", "x, shape", [](Expr x, PyObject* shape) { return reshaped(x, shape); });
  t.add("permute", "x, order", [](Expr x, const Shape& order) { return permute(x, order, Where{}); });
  t.add("pick", "x, index, axis=0", [](Expr x, const Index& index, int axis) { return pick(x, index, axis, Where{}); });
  t.add_with_doc("select", "x, indices, axis=0", "Several entries along an axis, in the order of the indices.",
                 [](Expr x, const std::vector<Index>& indices, int axis) {
                   return select(x, std::span<const Index>(indices), axis, Where{});
                 });
  t.add("kmax_pooling", "x, k, axis=-1", [](Expr x, int k, int axis) { return kmax_pooling(x, k, axis, Where{}); });
  t.add_with_doc("split", "x, parts, axis=0", "Splits x along an axis into equal parts; a tuple of them.",
                 [](Expr x, int parts, int axis) -> PyObject* {
                   if (parts < 1) throw ShapeError("split: " + std::to_string(parts) + " parts; at least 1 is needed");
                   const Ref tuple = Ref::steal(checked(PyTuple_New(parts)));
                   for (int k = 0; k < parts; ++k)
                     PyTuple_SET_ITEM(tuple.get(), k, checked(new_expr(detail::part(x, k, parts, axis, Where{}))));
                   return Ref(tuple).release();
                 });
}

// ---- convolution and pooling

Size2d to_size2d(PyObject* object, const Asked& asked) {
  const Shape s = to_shape(object, asked);
  if (s.rank == 1 && PyIndex_Check(object)) return {s[0]};
  if (s.rank != 2)
    throw ShapeError(std::string(asked.who) + ": " + std::string(asked.argument) + " must be one number or two");
  return {s[0], s[1]};
}

void add_windows(Table& t) {
  t.add(
      "conv1d", "x, weight, bias=None, stride=1, padding=0",
      [](Expr x, const Operand& w, const MaybeOperand& b, int stride, int padding) {
        return conv1d(x, w, b, stride, padding, Where{});
      },
      "conv");
  t.add(
      "conv2d", "x, weight, bias=None, stride=1, padding=0",
      [](Expr x, const Operand& w, const MaybeOperand& b, PyObject* stride, PyObject* padding) {
        return conv2d(x, w, b, to_size2d(stride, {"conv2d", "stride"}), to_size2d(padding, {"conv2d", "padding"}),
                      Where{});
      },
      "conv");
  t.add(
      "max_pool1d", "x, kernel_size, stride=None, padding=0",
      [](Expr x, int kernel, const std::optional<int>& stride, int padding) {
        return max_pool1d(x, kernel, stride, padding, Where{});
      },
      "max_pool");
  t.add(
      "avg_pool1d", "x, kernel_size, stride=None, padding=0",
      [](Expr x, int kernel, const std::optional<int>& stride, int padding) {
        return avg_pool1d(x, kernel, stride, padding, Where{});
      },
      "avg_pool");
  const auto stride_of = [](PyObject* stride, const char* who) -> std::optional<Size2d> {
    if (stride == Py_None) return {};
    return to_size2d(stride, {who, "stride"});
  };
  t.add(
      "max_pool2d", "x, kernel_size, stride=None, padding=0",
      [stride_of](Expr x, PyObject* kernel, PyObject* stride, PyObject* padding) {
        return max_pool2d(x, to_size2d(kernel, {"max_pool2d", "kernel_size"}), stride_of(stride, "max_pool2d"),
                          to_size2d(padding, {"max_pool2d", "padding"}), Where{});
      },
      "max_pool");
  t.add(
      "avg_pool2d", "x, kernel_size, stride=None, padding=0",
      [stride_of](Expr x, PyObject* kernel, PyObject* stride, PyObject* padding) {
        return avg_pool2d(x, to_size2d(kernel, {"avg_pool2d", "kernel_size"}), stride_of(stride, "avg_pool2d"),
                          to_size2d(padding, {"avg_pool2d", "padding"}), Where{});
      },
      "avg_pool");
}

// ---- noise

void add_noise(Table& t) {
  t.add("dropout", "x, p", [](Expr x, float p) { return dropout(x, p, Where{}); });
  t.add("dropout_axis", "x, p, axis", [](Expr x, float p, int axis) { return dropout_axis(x, p, axis, Where{}); });
  t.add("dropout_row", "x, p", [](Expr x, float p) { return dropout_row(x, p, Where{}); });
  t.add("dropout_block", "x, p, size", [](Expr x, float p, int size) { return dropout_block(x, p, size, Where{}); });
  t.add("gaussian_noise", "x, sd", [](Expr x, float sd) { return gaussian_noise(x, sd, Where{}); });
}

}  // namespace

void add_functions(PyObject* module) {
  Table t(module);
  add_leaves(t);
  add_elementwise(t);
  add_reductions(t);
  add_products(t);
  add_losses(t);
  add_shapes(t);
  add_windows(t);
  add_noise(t);
}

}  // namespace espalier::python
