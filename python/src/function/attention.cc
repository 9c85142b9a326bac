#include "python/src/function/attention.h"

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <espalier/expr/functions.h>
#include <espalier/nn/modules.h>

#include "expr/record.h"
#include "python/src/engine/current.h"
#include "python/src/errors.h"
#include "python/src/function/convert.h"

namespace espalier::python {
namespace {

using Rows = std::vector<Expr>;

Rows rows_of(PyObject* object, std::string_view argument) {
  const Asked asked{"attention", argument};
  const Items items(object, asked);
  Rows rows;
  for (size_t i = 0; i < items.size(); ++i) rows.push_back(to_expr(items[i], asked));
  return rows;
}

void check_vector(const Shape& s, const char* what) {
  if (s.rank != 1) throw ShapeError(std::string("attention: ") + what + str(s) + "; it must be a vector");
}

// In a cell, over single rows: their number is that of the program.
Expr attention_of_traced(Expr query, const Rows& keys, const Rows& values) {
  Rows scores;
  for (const Expr key : keys) scores.push_back(dot(Operand(query, Where{}), Operand(key, Where{})));
  const float scale = 1 / std::sqrt(static_cast<float>(query.shape()[0]));
  const Expr weights = softmax(stack(scores, 0, Where{}) * scale, 0, Where{});
  Rows weighted;
  for (size_t i = 0; i < values.size(); ++i)
    weighted.push_back(Operand(pick(weights, Index(static_cast<int64_t>(i)), 0, Where{}), Where{}) *
                       Operand(values[i], Where{}));
  return sum(weighted, Where{});
}

// One cell per size of keys and values; it takes lists of any length. Guarded by the GIL and never destroyed.
using Sizes = std::pair<int, int>;
using Attend = Cell<Expr(Expr, Many<Expr>)>;  // the rows are [key; value]
const Attend& cell_of(const Sizes& sizes) {
  static Parameters& owner = *new Parameters;
  static auto& cells = *new std::map<Sizes, Attend>;
  const auto known = cells.find(sizes);
  if (known != cells.end()) return known->second;
  const auto [key, value] = sizes;
  const auto body = [key, value](Expr query, Many<Expr> memory) {
    return attention(query, slice(memory, 0, key), slice(memory, key, key + value));
  };
  return cells.emplace(sizes, Scope(owner).cell("attention", {{key}, {key + value}}, body)).first->second;
}
const nn::DotProductAttention& module_of(int size) {
  static Parameters& owner = *new Parameters;
  static auto& modules = *new std::map<int, nn::DotProductAttention>;
  const auto known = modules.find(size);
  if (known != modules.end()) return known->second;
  return modules.emplace(size, nn::DotProductAttention(Scope(owner) / "attention", size)).first->second;
}

bool is_traced_list(PyObject* object) { return is_expr(object) && is_traced(expr_in(object)); }

}  // namespace

Expr attention_over(Expr query, PyObject* keys, PyObject* values) {
  if (is_traced_list(keys) && is_traced_list(values)) return attention(query, expr_in(keys), expr_in(values), Where{});
  if (is_expr(keys) || is_expr(values))
    throw_type_error(
        "attention: keys and values must be two lists of rows, or, in a cell, rows of one list argument: "
        "attention(q, kids.h, kids.c) of kids=[State(n)]");
  const Rows k = rows_of(keys, "keys"), v = rows_of(values, "values");
  if (k.size() != v.size())
    throw ShapeError("attention: " + std::to_string(k.size()) + " keys and " + std::to_string(v.size()) +
                     " values are given; one value per key is needed");
  check_vector(query.shape(), "the query is ");
  if (k.empty()) throw ShapeError("attention: the lists are empty; at least one key and one value are needed");
  for (size_t i = 0; i < k.size(); ++i) {
    check_vector(v[i].shape(), "a value is ");
    if (k[i].shape() != query.shape() || v[i].shape() != v[0].shape())
      throw ShapeError("attention: query" + str(query.shape()) + ", key " + std::to_string(i) + " " +
                       str(k[i].shape()) + ", value " + std::to_string(i) + " " + str(v[i].shape()) + ", value 0 " +
                       str(v[0].shape()) + "; keys must be like the query, and values like each other");
  }
  if (is_traced(query)) return attention_of_traced(query, k, v);
  if (query.shape() == v[0].shape()) {
    std::vector<nn::KeyValue> memory;
    for (size_t i = 0; i < k.size(); ++i) memory.push_back({k[i], v[i]});
    return module_of(query.shape()[0])(query, memory, Where{});
  }
  Rows memory;
  for (size_t i = 0; i < k.size(); ++i) memory.push_back(concat({k[i], v[i]}, 0, Where{}));
  return cell_of({query.shape()[0], v[0].shape()[0]})(query, Many<Expr>(memory), Where{});
}

}  // namespace espalier::python
