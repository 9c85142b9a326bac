// The calls that take part in a backward pass, and the readers of each value. A call takes part if a loss depends on it
// and it depends on a trained parameter or a watched value. Each argument of such a call that passes gradients has a
// din row; the gradient of a value is the sum of the din rows of its readers. Keeps its memory between minibatches.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "plan/layout.h"

namespace espalier {

class Readers {
 public:
  struct Reader {
    uint32_t input;  // in Layout::inputs; Layout::inputs.size(): a loss
    uint32_t row;    // of that input; of a loss: which one
    uint32_t next;   // the next reader of the same value, or none
  };

  // One pass back over the calls that have run: O(calls + arguments).
  void find(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> losses,
            std::span<const uint32_t> watched);

  bool takes_part(uint32_t call) const { return state_[call] == active; }
  // The gradients that a cell batch must compute, as in Kernel::gradient_mask.
  SaturatingMask gradient_mask(size_t batch) const { return gradient_masks_[batch]; }
  // f(reader) for each reader of a computed value: losses first, then calls in recording order.
  template <class F>
  void each_reader(uint32_t value, F&& f) const {
    for (uint32_t s = first_[value]; s != none; s = readers_[s].next) f(readers_[s]);
  }
  // The value that was passed to the reader; equal calls share rows, so it may differ from the computed one. Slow.
  static uint32_t given(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> losses,
                        const Reader& reader);
  // Whether the only reader of a value is a loss.
  bool is_only_a_loss(uint32_t value, const Layout& layout) const {
    const uint32_t s = first_[value];
    return s != none && readers_[s].next == none && readers_[s].input == layout.inputs.size();
  }
  // f(first, last + 1) for each active range: consecutive rows that take part, within begin … end - 1.
  template <class F>
  void each_active_range(const Layout& layout, uint32_t batch, uint32_t begin, uint32_t end, F&& f) const {
    if (active_rows_[batch] == 0 || begin == end) return;
    if (active_rows_[batch] == layout.batches[batch].rows) return f(begin, end);
    for (uint32_t row = begin; row < end;) {
      const uint32_t first = row;
      while (row < end && row_takes_part(layout, batch, row)) ++row;
      if (row > first) f(first, row);
      if (row < end) ++row;
    }
  }

 private:
  static constexpr uint32_t none = ~uint32_t{0};
  enum State : uint8_t {
    idle,
    wants,
    active
  };  // wants: it depends on a trained parameter or a watched value; active: it takes part

  void find_wanting(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> watched);
  void visit(const GraphTape& tape, const Layout& layout, uint32_t call);
  void reach(const GraphTape& tape, uint32_t value, uint32_t input, uint32_t row, SaturatingMask& mask,
             SaturatingMask bit) {
    const GraphTape::Value& of = tape.value[value];
    if (state_[of.call] == idle) return;
    state_[of.call] = active;
    mask |= bit;
    add(tape.call[of.call].first_value + of.output, input, row);
  }
  void add(uint32_t value, uint32_t input, uint32_t row) {
    readers_.push_back({input, row, first_[value]});
    first_[value] = static_cast<uint32_t>(readers_.size()) - 1;
  }
  // The call of a row may have been reverted, and its number may belong to another call now.
  bool row_takes_part(const Layout& layout, uint32_t batch, uint32_t row) const {
    const uint32_t call = layout.calls[layout.batches[batch].first_call + row];
    return call < layout.call_rows.size() && layout.call_rows[call].batch == batch &&
           layout.call_rows[call].row == row && takes_part(call);
  }

  std::vector<State> state_;                    // per call
  std::vector<uint8_t> trains_;                 // per cell batch: whether it has a parameter that is not frozen
  std::vector<uint32_t> active_rows_;           // per cell batch
  std::vector<SaturatingMask> gradient_masks_;  // per cell batch
  std::vector<uint32_t> first_;                 // per value: its first reader
  std::vector<Reader> readers_;
};

}  // namespace espalier
