// Graph: what was recorded and not yet forgotten. Move-only; the engine lends its memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <espalier/base/owned.h>
#include <espalier/expr/expr.h>

namespace espalier {

struct GraphTape;

namespace detail {
inline constexpr char graph_name[] = "graph";
}

enum class Mode { train, infer };  // dropout and noise act in train only

class ESPALIER_API Graph {
 public:
  explicit Graph(std::shared_ptr<GraphTape> tape);  // by Engine::graph and Engine::record
  Graph(Graph&&) noexcept = default;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  Mode mode() const;
  size_t calls() const;
  void clear();               // forgets everything recorded; its Exprs are stale from then on. Not inside record or run
  uint64_t random();          // for the user's own choices, keyed like dropout: (seed, epoch, example, how many before)
  void example(uint64_t id);  // whose calls follow; Engine::record does it
  // Any number per example. IndexError: the label does not fit an int.
  void emit(std::string_view metric, Expr value, int64_t label = -1);

  // For search: what was recorded after a mark can be forgotten.
  struct Mark {
    size_t calls, values, args, ints, groups, items, data, emitted, shared;
    uint64_t ordinal, draws;
    uint32_t stamp;
    const void* graph;
  };
  Mark mark() const;
  void revert(const Mark& mark);

  GraphTape& tape() const { return *tape_; }
  const std::shared_ptr<GraphTape>& lease() const { return tape_; }

 private:
  detail::Owned<std::shared_ptr<GraphTape>, detail::graph_name> tape_;
};

}  // namespace espalier
