// `with engine.graph():` records without a function.
#pragma once
#include <memory>
#include <optional>
#include <thread>

#include <espalier/expr/graph.h>
#include "python/src/engine/current.h"
#include "python/src/engine/record.h"

namespace espalier::python {

class GraphScope {
 public:
  explicit GraphScope(Graph graph) : state_(std::make_unique<State>(std::move(graph))) {}
  GraphScope(const GraphScope&) = delete;
  GraphScope& operator=(const GraphScope&) = delete;
  ~GraphScope() {
    if (is_entered_elsewhere()) static_cast<void>(state_.release());  // that thread still refers to it
  }
  void enter() {
    if (state_->entered) throw GraphError("graph: it is already entered");
    state_->recording = {};
    state_->entered.emplace(Current{&state_->graph, nullptr, &state_->recording});
    state_->thread = std::this_thread::get_id();
  }
  void leave() {
    if (is_entered_elsewhere()) throw GraphError("graph: another thread entered it, and must leave it");
    state_->entered.reset();
  }
  Graph& graph() { return state_->graph; }

 private:
  struct State {
    Graph graph;
    Recording recording;
    std::thread::id thread;
    std::optional<Entered> entered;
    explicit State(Graph g) : graph(std::move(g)) {}
  };
  bool is_entered_elsewhere() const { return state_->entered && state_->thread != std::this_thread::get_id(); }
  std::unique_ptr<State> state_;
};

}  // namespace espalier::python
