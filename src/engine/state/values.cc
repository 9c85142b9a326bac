// Groups values by the session that computes them, and reads them.
#include <memory>
#include <string>
#include <utility>

#include "engine/state/engine_state.h"
#include "expr/record.h"

namespace espalier::detail {
namespace {

SessionValues& group_of(Expr x, std::span<SessionValues> grouped) {
  size_t i = 0;
  while (grouped[i].session->tape.entry() != x.entry()) ++i;
  return grouped[i];
}
const Shape& shape_of(Expr x, std::span<SessionValues> grouped) {
  return group_of(x, grouped).session->tape.shape(x.id());
}

}  // namespace

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

void EngineState::check_stack(std::span<const Expr> xs, std::span<SessionValues> grouped, std::string_view who) {
  if (xs.empty()) return;
  const Shape& first = shape_of(xs[0], grouped);
  for (size_t i = 1; i < xs.size(); ++i)
    if (const Shape& shape = shape_of(xs[i], grouped); shape != first)
      throw ShapeError(std::string(who) + ": value 0 is " + str(first) + ", value " + std::to_string(i) + " is " +
                       str(shape) + "; the shapes must be equal");
  if (first.rank == Shape::max_rank)
    throw ShapeError(std::string(who) + ": the values are " + str(first) + "; they must have at most " +
                     std::to_string(Shape::max_rank - 1) + " axes, because the result has one more");
}

PendingTensors EngineState::read_later(std::span<const SessionValues> of_sessions) {
  PendingTensors pending;
  size_t elements = 0, values = 0;
  for (const SessionValues& of : of_sessions) {
    values += of.values.size();
    for (const uint32_t v : of.values) elements += static_cast<size_t>(of.session->tape.shape(v).size());
  }
  pending.block = std::make_shared_for_overwrite<float[]>(elements);
  pending.tensors.reserve(values);
  float* to = pending.block.get();
  for (const SessionValues& of : of_sessions) {
    if (auto rows = of.session->read_later(of.values, to)) pending.parts.push_back({std::move(rows), to});
    for (const uint32_t v : of.values) {
      pending.tensors.emplace_back(of.session->tape.shape(v), pending.block, to);
      to += pending.tensors.back().size();
    }
  }
  return pending;
}

PendingTensors EngineState::read_later(std::span<const Expr> xs, std::span<SessionValues> grouped) {
  PendingTensors pending = read_later(grouped);
  if (grouped.size() < 2) return pending;
  size_t first = 0;
  for (SessionValues& of : grouped) {
    of.next = first;
    first += of.values.size();
  }
  std::vector<Tensor> in_order;
  in_order.reserve(xs.size());
  for (Expr x : xs) in_order.push_back(std::move(pending.tensors[group_of(x, grouped).next++]));
  pending.tensors = std::move(in_order);
  return pending;
}

}  // namespace espalier::detail
