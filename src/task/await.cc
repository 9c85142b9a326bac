#include <espalier/task/await.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/draw_index.h"
#include "base/random.h"
#include "expr/record.h"

namespace espalier {
namespace {

// The graph of a value to be awaited. GraphError if it cannot be. wait_for checks that it is the graph of this task.
GraphTape& awaited_graph(Expr x, const char* who, Where at) {
  if (!x) throw GraphError(std::string(who) + ": an empty Expr is given; a value is needed" + str(at));
  if (is_traced(x))
    throw GraphError(std::string(who) + ": a value inside a cell has no number; ask for the cell's result" + str(at));
  GraphTape& tape = graph_of(x, who, at);
  recorded_value(tape, x, who, at);
  return tape;
}

template <class T>
std::span<const float> numbers(const Await<T>& a) {
  GraphTape& tape = awaited_graph(a.expr, a.who, a.at);  // checks again: the value may be stale by now
  return {tape.computed->find(a.expr.id()), static_cast<size_t>(tape.shape(a.expr.id()).size())};
}

// The values to choose from. NumberError if one is NaN.
template <class T>
std::span<const float> choices(const Await<T>& a) {
  const std::span<const float> xs = numbers(a);
  const auto nan = std::ranges::find_if(xs, [](float x) { return std::isnan(x); });
  if (nan != xs.end())
    throw NumberError(std::string(a.who) + ": element " + std::to_string(nan - xs.begin()) + " of " +
                      str(a.expr.shape()) + " is nan; nan cannot be compared" + str(a.at));
  return xs;
}

int draw(const Await<int>& a) {
  const std::span<const float> xs = choices(a);
  const auto largest = static_cast<double>(std::ranges::max(xs));
  if (std::isinf(largest))
    throw NumberError(std::string(a.who) + ": the largest logit of " + str(a.expr.shape()) + " is " +
                      (largest > 0 ? "inf" : "-inf") + "; it must be finite" + str(a.at));
  GraphTape& tape = awaited_graph(a.expr, a.who, a.at);
  return draw_index(xs, mix(~tape.example_key, tape.draws++));
}

std::vector<Scored> largest(const Await<std::vector<Scored>>& a) {
  const std::span<const float> xs = choices(a);
  std::vector<Scored> all_of_them;
  for (size_t i = 0; i < xs.size(); ++i) all_of_them.push_back({static_cast<int>(i), xs[i]});
  std::ranges::partial_sort(all_of_them, all_of_them.begin() + a.count, [](const Scored& x, const Scored& y) {
    return x.score > y.score || (x.score == y.score && x.index < y.index);
  });
  all_of_them.resize(static_cast<size_t>(a.count));
  return all_of_them;
}

// The shape is known before the values are computed, so a wrong shape is reported before any wait.
Shape shape_of(Expr x, const char* who, Where at) { return awaited_graph(x, who, at).shape(x.id()); }

void need_elements(Expr x, const char* who, Where at) {
  if (const Shape shape = shape_of(x, who, at); shape.size() == 0)
    throw IndexError(std::string(who) + ": " + str(shape) + " has no elements; at least one is needed" + str(at));
}

}  // namespace

Await<float> value(Expr x, Where at) {
  if (const Shape shape = shape_of(x, "value", at); shape.size() != 1)
    throw ShapeError("value: it is " + str(shape) + "; value() reads a scalar, values() reads all elements" + str(at));
  return {x, 0, at, "value", [](const Await<float>& a) { return numbers(a)[0]; }};
}

Await<std::span<const float>> values(Expr x, Where at) {
  return {x, 0, at, "values", [](const Await<std::span<const float>>& a) { return numbers(a); }};
}

Await<void> all(std::span<const Expr> xs, Where at) { return {xs, at}; }

Await<int> argmax(Expr x, Where at) {
  need_elements(x, "argmax", at);
  return {x, 0, at, "argmax", [](const Await<int>& a) {
            const std::span<const float> xs = choices(a);
            return static_cast<int>(std::ranges::max_element(xs) - xs.begin());
          }};
}

Await<std::vector<Scored>> topk(Expr x, int k, Where at) {
  if (const Shape shape = shape_of(x, "topk", at); k < 0 || k > shape.size())
    throw IndexError("topk: k = " + std::to_string(k) + " of " + str(shape) + "; it must be 0…" +
                     std::to_string(shape.size()) + str(at));
  return {x, k, at, "topk", &largest};
}

Await<int> sample(Expr logits, Where at) {
  need_elements(logits, "sample", at);
  return {logits, 0, at, "sample", &draw};
}

}  // namespace espalier
