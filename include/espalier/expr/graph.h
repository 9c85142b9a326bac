// Graph: the recorded calls of one or more examples. Move-only; its memory belongs to the engine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <espalier/base/owned.h>
#include <espalier/expr/expr.h>
#include <espalier/graph/mark.h>

namespace espalier {

namespace detail {
inline constexpr char graph_name[] = "graph";
}

enum class Mode { train, infer };  // dropout and noise act in train only

class ESPALIER_API Graph {
 public:
  explicit Graph(std::shared_ptr<GraphTape> tape);  // internal: called by Engine::graph and Engine::record
  Graph(Graph&&) noexcept = default;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  Mode mode() const;
  size_t calls() const;
  void clear();               // removes everything recorded; its Exprs become stale. GraphError inside record or run
  uint64_t random();          // for the user's own choices; keyed by (seed, epoch, example, number of earlier draws)
  void example(uint64_t id);  // starts an example; Engine::record calls it
  // Emits a value under a name, any number per example. IndexError if the label does not fit an int.
  void emit(std::string_view metric, Expr value, int64_t label = -1);

  // For search: revert(mark) removes everything recorded after the mark.
  using Mark = detail::GraphMark;
  Mark mark() const;
  void revert(const Mark& mark);

  GraphTape& tape() const { return *tape_; }

 private:
  detail::Owned<std::shared_ptr<GraphTape>, detail::graph_name> tape_;
};

}  // namespace espalier
