// Groups values by the session that computes them, and reads them.
#include "engine/state/engine_state.h"
#include "expr/record.h"

namespace espalier::detail {

std::span<SessionValues> EngineState::by_session(std::span<const Expr> xs, std::string_view who) {
  size_t used = 0, i = 0;
  for (Expr x : xs) {
    // Most values belong to the session of the previous value.
    if (i == used || !is_value(grouped_[i].session->tape, x)) {
      Session& s = session_of(x, who);
      i = 0;
      while (i < used && grouped_[i].session != &s) ++i;
      if (i == used) {
        if (used == grouped_.size()) grouped_.emplace_back();
        grouped_[used].session = &s;
        grouped_[used++].values.clear();
      }
    }
    grouped_[i].values.push_back(x.id());
  }
  return std::span(grouped_).first(used);
}

PendingTensors EngineState::read_later(std::span<const Expr> xs, std::span<SessionValues> grouped) {
  PendingTensors pending;
  for (const SessionValues& of : grouped) pending.rows.push_back(of.session->read_later(of.values));
  pending.sources.reserve(xs.size());
  for (Expr x : xs)
    for (size_t i = 0; i < grouped.size(); ++i)
      if (grouped[i].session->tape.entry() == x.entry())
        pending.sources.push_back({i, grouped[i].session->tape.shape(x.id())});
  return pending;
}

}  // namespace espalier::detail
