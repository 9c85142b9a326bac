// Batch: what record() gives. One result per example in the order given, however many threads recorded; a graph per
// thread.
#pragma once
#include <cstddef>
#include <exception>
#include <string_view>
#include <vector>

#include <espalier/expr/graph.h>

namespace espalier {

struct Failure {
  size_t example;  // position in what was given
  std::exception_ptr error;
};

namespace detail {
ESPALIER_API void emitted_by(const Graph& graph, std::string_view metric, std::vector<Expr>* values,
                             std::vector<int>* labels);
}

template <class T>
struct Batch {
  std::vector<Graph> shards;
  std::vector<T> results;         // of the examples that were recorded, in order
  std::vector<size_t> positions;  // which example each result belongs to: 0, 1, 2 … unless some were skipped
  std::vector<Failure> failed;    // with skip_bad
  int rounds = 0;

  // What was given to Graph::emit, as it was recorded, graph by graph, and the labels given with it.
  std::vector<Expr> emitted(std::string_view metric) const {
    std::vector<Expr> found;
    for (const Graph& g : shards) detail::emitted_by(g, metric, &found, nullptr);
    return found;
  }
  std::vector<int> labels(std::string_view metric) const {
    std::vector<int> found;
    for (const Graph& g : shards) detail::emitted_by(g, metric, nullptr, &found);
    return found;
  }
  size_t calls() const {
    size_t n = 0;
    for (const Graph& g : shards) n += g.calls();
    return n;
  }
};

}  // namespace espalier
