// Batch: what record() gives. One result per example in the order given, however many threads recorded; a graph per
// thread.
#pragma once
#include <array>
#include <cstddef>
#include <exception>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <espalier/expr/graph.h>
#include <espalier/tensor/tensor.h>

namespace espalier {

struct Failure {
  size_t example;  // position in what was given
  std::exception_ptr error;
};

namespace detail {
ESPALIER_API void emitted_by(const Graph& graph, std::string_view metric, std::vector<Expr>& to);
}

template <class T>
struct Batch {
  std::vector<Graph> shards;
  std::vector<T> results;         // of the examples that were recorded, in order
  std::vector<size_t> positions;  // which example each result belongs to: 0, 1, 2 … unless some were skipped
  std::vector<Failure> failed;    // with skip_bad
  int rounds = 0;

  std::vector<Expr> emitted(std::string_view metric) const {
    std::vector<Expr> found;
    for (const Graph& g : shards) detail::emitted_by(g, metric, found);
    return found;
  }
  size_t calls() const {
    size_t n = 0;
    for (const Graph& g : shards) n += g.calls();
    return n;
  }
};

namespace detail {

// What infer() gives for a result: the same structure, with a Tensor for every Expr.
template <class T>
struct Values;
template <>
struct Values<Expr> {
  using type = Tensor;
  static void list(const Expr& x, std::vector<Expr>& to) { to.push_back(x); }
  static Tensor take(const Expr&, Tensor*& from) { return std::move(*from++); }
};
template <class T>
struct Values<std::vector<T>> {
  using type = std::vector<typename Values<T>::type>;
  static void list(const std::vector<T>& xs, std::vector<Expr>& to) {
    for (const T& x : xs) Values<T>::list(x, to);
  }
  static type take(const std::vector<T>& xs, Tensor*& from) {
    type r;
    for (const T& x : xs) r.push_back(Values<T>::take(x, from));
    return r;
  }
};
template <class T, size_t N>
struct Values<std::array<T, N>> {
  using type = std::array<typename Values<T>::type, N>;
  static void list(const std::array<T, N>& xs, std::vector<Expr>& to) {
    for (const T& x : xs) Values<T>::list(x, to);
  }
  static type take(const std::array<T, N>& xs, Tensor*& from) {
    type r;
    for (size_t i = 0; i < N; ++i) r[i] = Values<T>::take(xs[i], from);
    return r;
  }
};
template <class A, class B>
struct Values<std::pair<A, B>> {
  using type = std::pair<typename Values<A>::type, typename Values<B>::type>;
  static void list(const std::pair<A, B>& x, std::vector<Expr>& to) {
    Values<A>::list(x.first, to);
    Values<B>::list(x.second, to);
  }
  static type take(const std::pair<A, B>& x, Tensor*& from) {
    auto first = Values<A>::take(x.first, from);
    return {std::move(first), Values<B>::take(x.second, from)};
  }
};

}  // namespace detail
}  // namespace espalier
