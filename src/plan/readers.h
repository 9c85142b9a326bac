// Who takes part in a backward pass, and who reads whom. A call takes part if a loss depends on it and something below
// it wants a gradient. Each argument of such a call that passes gradients owns a slot; the gradient of a value is the
// sum of its readers' slots. Scratch memory is kept between minibatches.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "plan/layout.h"

namespace espalier {

class Readers {
 public:
  struct Slot {
    uint32_t input;  // in Layout::inputs; one more than there are: the loss itself
    uint32_t row;    // of that input, or which loss
    uint32_t next;   // the slot of the next reader of the same value, or none
  };

  // One walk back over the calls that have run: O(calls + arguments).
  void find(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> losses,
            std::span<const uint32_t> watched);

  bool takes_part(uint32_t call) const { return state_[call] == active; }
  uint64_t roots(size_t run) const { return roots_[run]; }  // which gradients a run must give, as bits of Kernel::roots
  // f(slot) for each reader of a computed value: the losses, then calls in recording order.
  template <class F>
  void each_slot(uint32_t value, F&& f) const {
    for (uint32_t s = first_[value]; s != none; s = slots_[s].next) f(slots_[s]);
  }
  // The value that the reader was given, which may share its rows with others. Slow: for watched values.
  static uint32_t given(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> losses,
                        const Slot& slot);
  // Whether the gradient of a value is that of a loss and nothing else.
  bool is_only_a_loss(uint32_t value, const Layout& layout) const {
    const uint32_t s = first_[value];
    return s != none && slots_[s].next == none && slots_[s].input == layout.inputs.size();
  }
  // f(begin, end) for each stretch of rows of a run that take part, within rows begin … end.
  template <class F>
  void each_stretch(const Layout& layout, uint32_t run, uint32_t begin, uint32_t end, F&& f) const {
    if (active_rows_[run] == 0 || begin == end) return;
    if (active_rows_[run] == layout.runs[run].rows) return f(begin, end);
    for (uint32_t row = begin; row < end;) {
      const uint32_t first = row;
      while (row < end && row_takes_part(layout, run, row)) ++row;
      if (row > first) f(first, row);
      if (row < end) ++row;
    }
  }

 private:
  static constexpr uint32_t none = ~uint32_t{0};
  enum State : uint8_t { idle, wants, active };  // wants: something below it wants a gradient; active: a loss gives one

  void find_wanting(const GraphTape& tape, const Layout& layout, std::span<const uint32_t> watched);
  void visit(const GraphTape& tape, const Layout& layout, uint32_t call);
  void reach(const GraphTape& tape, uint32_t value, uint32_t input, uint32_t row, uint64_t& roots, uint64_t root) {
    const GraphTape::Value& of = tape.value[value];
    if (state_[of.call] == idle) return;
    state_[of.call] = active;
    roots |= root;
    add(tape.call[of.call].first_value + of.output, input, row);
  }
  void add(uint32_t value, uint32_t input, uint32_t row) {
    slots_.push_back({input, row, first_[value]});
    first_[value] = static_cast<uint32_t>(slots_.size()) - 1;
  }
  // A run may hold calls that were reverted since; their numbers may be those of other calls now.
  bool row_takes_part(const Layout& layout, uint32_t run, uint32_t row) const {
    const uint32_t call = layout.calls[layout.runs[run].first_call + row];
    return call < layout.place.size() && layout.place[call].run == run && layout.place[call].row == row &&
           takes_part(call);
  }

  std::vector<State> state_;           // per call
  std::vector<uint8_t> trains_;        // per run: whether it has a parameter that is not frozen
  std::vector<uint32_t> active_rows_;  // per run
  std::vector<uint64_t> roots_;        // per run
  std::vector<uint32_t> first_;        // per value: its first slot
  std::vector<Slot> slots_;
};

}  // namespace espalier
