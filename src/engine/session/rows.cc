// Which rows of a session's graph are computed, whether they are still valid, and their values on the host.
#include <algorithm>
#include <utility>

#include "engine/session/session.h"

namespace espalier::detail {
namespace {

const float requested = 0;  // its address marks a value whose copy is about to be read

}  // namespace

// The user may have cleared or reverted the graph since the last call.
void Session::sync() {
  const uint32_t left = tape.low_water;
  if (left == 0 && !layout_.call_rows.empty()) {
    forget_values();
    depends_on_values_ = false;
  } else if (left < layout_.call_rows.size()) {
    layout_.truncate(left);
    // Copies are stored under source values, so every copy to forget has an id after the last remaining call's outputs.
    copies_.forget_from(tape.call[left - 1].first_value + static_cast<uint32_t>(tape.program(left - 1).outputs.size()));
  }
  tape.low_water = tape.calls();
}

// Forgets computed rows and host copies, not recorded calls.
void Session::forget_values() {
  layout_.clear();
  copies_.forget_from(0);
  parameters_.clear();
  parameters_until_ = 0;
  std::ranges::fill(is_cell_listed_, 0);
  round_begins_.clear();
  if (options_.poison) executor_->poison_all();
}

// Whether a parameter has changed since rows were computed with it. One comparison if no parameter at all has changed.
bool Session::is_outdated() {
  const uint64_t latest = latest_parameter_version.load(std::memory_order_relaxed);
  if (latest == computed_with_ || layout_.batches.empty()) return false;
  is_cell_listed_.resize(tape.cells.size(), 0);
  for (; parameters_until_ < layout_.batches.size(); ++parameters_until_) {
    const CellBatch& batch = layout_.batches[parameters_until_];
    if (std::exchange(is_cell_listed_[batch.cell], 1) != 0) continue;
    for (const auto& storage : batch.program->parameters) parameters_.push_back(storage.get());
  }
  for (const ParameterStorage* storage : parameters_)
    if (storage->data.version() > computed_with_) return true;
  computed_with_ = latest;
  return false;
}

void Session::end_dependence() {
  depends_on_values_ = depends_on_values();
  first_dependent_call_ = never;
}

// Visits only calls from the last requested one back to the first pending one, so a graph that runs in many rounds is
// not traversed as a whole in each of them.
void Session::find_pending(std::span<const uint32_t> values) {
  needed_.resize(tape.calls(), 0);
  uint32_t last = 0, found = 0;
  auto need = [&](uint32_t value) {
    const uint32_t call = tape.value[value].call;
    if (needed_[call] != 0 || layout_.ran(call)) return;
    needed_[call] = 1;
    ++found;
    last = std::max(last, call + 1);
  };
  for (uint32_t v : values) need(v);
  pending_.clear();
  for (uint32_t c = last; found > 0;) {
    if (needed_[--c] == 0) continue;
    needed_[c] = 0;
    --found;
    pending_.push_back(c);
    tape.each_argument(c, need);
  }
  std::ranges::reverse(pending_);
}

Tensor Session::read(uint32_t value) {
  const Shape& shape = tape.shape(value);
  std::vector<float> numbers(static_cast<size_t>(shape.size()));
  const Range row{layout_.address(tape.source(value)), numbers.size()};
  executor_->read({&row, 1}, numbers.data());
  return {shape, std::move(numbers)};
}

std::shared_ptr<const PendingRows> Session::read_later(std::span<const uint32_t> values, float* out) {
  rows_.clear();
  for (uint32_t v : values)
    rows_.push_back({layout_.address(tape.source(v)), static_cast<uint64_t>(tape.shape(v).size())});
  return executor_->read_later(rows_, out);
}

void Session::fetch(std::span<const uint32_t> values) {
  rows_.clear();
  size_t n = 0;
  float* to = nullptr;
  try {
    for (uint32_t v : values) {
      const uint32_t source = tape.source(v);
      if (copies_.find(source) != nullptr) continue;
      copies_.set(source, &requested);
      rows_.push_back({layout_.address(source), static_cast<uint64_t>(tape.shape(v).size())});
      n += rows_.back().size;
    }
    to = copies_.take(n);
    executor_->read(rows_, to);
  } catch (...) {
    for (uint32_t v : values)
      if (const uint32_t source = tape.source(v); copies_.find(source) == &requested) copies_.set(source, nullptr);
    throw;
  }
  for (uint32_t v : values)
    if (const uint32_t source = tape.source(v); copies_.find(source) == &requested) {
      copies_.set(source, to);
      to += tape.shape(v).size();
    }
}

const float* Session::find(uint32_t value) {
  sync();
  const uint32_t source = tape.source(value);
  if (const float* copy = copies_.find(source); copy != nullptr) {
    begin_dependence();
    return copy;
  }
  if (!layout_.ran(tape.value[value].call)) return nullptr;
  fetch({&value, 1});
  begin_dependence();
  return copies_.find(source);
}

}  // namespace espalier::detail
