// Batch: the result of record(). One result per example, in the given order for any number of threads; one graph per
// shard.
#pragma once
#include <cstddef>
#include <exception>
#include <string_view>
#include <vector>

#include <espalier/expr/graph.h>

namespace espalier {

struct Failure {
  size_t example;  // position of the example
  std::exception_ptr error;
};

namespace detail {
ESPALIER_API void emitted_by(const Graph& graph, std::string_view metric, std::vector<Expr>* values,
                             std::vector<int>* labels);
}

template <class T>
struct Batch {
  std::vector<Graph> shards;
  std::vector<T> results;         // of the examples that did not fail, in order
  std::vector<size_t> positions;  // per result: the position of its example; 0, 1, 2 ... unless some were skipped
  std::vector<Failure> failed;    // examples that threw, with skip_bad; otherwise empty
  int rounds = 0;                 // run while recording, for examples that wait; the maximum over the shards

  // The values given to Graph::emit under this name, shard by shard in the order of recording, and their labels.
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
