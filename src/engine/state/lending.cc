// Lends an engine's sessions and gradients, and finds the session of a value or graph.
#include <string>

#include "engine/state/engine_state.h"
#include "expr/record.h"

namespace espalier::detail {

EngineState::EngineState(const EngineOptions& of_engine)
    : options(of_engine), workers(std::make_shared<Workers>(static_cast<size_t>(of_engine.threads))) {
  sessions.push_back(std::make_shared<Session>(options, shared));
}

std::shared_ptr<Session> EngineState::lend() {
  for (const auto& s : sessions)
    if (s.use_count() == 1) return s;
  sessions.push_back(std::make_shared<Session>(options, shared));
  return sessions.back();
}

std::shared_ptr<GradientState> EngineState::lend_gradients() {
  for (const auto& g : gradients_)
    if (g.use_count() == 1) {
      g->reset();
      return g;
    }
  gradients_.push_back(std::make_shared<GradientState>());
  gradients_.back()->workers = workers;
  return gradients_.back();
}

Session& EngineState::session_of(Expr x, std::string_view who) const {
  if (!x) throw GraphError(std::string(who) + ": an empty Expr is given; a value is needed");
  if (is_traced(x))
    throw GraphError(std::string(who) + ": a value inside a cell has no number; ask for the cell's result");
  for (const auto& s : sessions)
    if (s->tape.entry() == x.entry()) {
      recorded_value(s->tape, x, who, {});
      return *s;
    }
  graph_of(x, who, {});  // throws if the value is stale
  throw GraphError(std::string(who) + ": the value belongs to another engine; ask the one that recorded it");
}

Session& EngineState::session_of(const Graph& graph, std::string_view who) const {
  for (const auto& s : sessions)
    if (&s->tape == &graph.tape()) return *s;
  throw GraphError(std::string(who) + ": the graph belongs to another engine; ask the one that recorded it");
}

}  // namespace espalier::detail
