// A Graph: an append-only tape of cell calls, in flat arrays of integers. It knows nothing of devices and memory. An
// engine owns tapes and lends them; a stamp tells a value of today from one of a graph that is gone.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cell/program.h"

namespace espalier {

enum class CallId : uint32_t {};
enum class ValueId : uint32_t {};

namespace detail {

// What an Expr points to: the tape of a graph, or a trace. Outlives every Expr that a user can hold.
struct Tape {
  bool tracing = false;
  uint32_t stamp = 1;
  explicit Tape(bool is_trace) : tracing(is_trace) {}
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;
  virtual ~Tape() = default;
};

}  // namespace detail

struct GroupRange {
  uint32_t first = 0, count = 0;  // in GraphTape::items: `count` entries per field, field by field
};

struct GraphTape : detail::Tape {
  GraphTape() : Tape(false) {}

  // ---- the tape: one entry per call
  std::vector<uint32_t> cell;         // in `cells`
  std::vector<uint32_t> first_arg;    // in `args`: value ids of the rows of the call, then its groups
  std::vector<uint32_t> first_int;    // in `ints`: indices, numbers (bits of a float), random key (two)
  std::vector<uint32_t> first_value;  // the call's outputs are values first_value … + outputs - 1
  std::vector<uint32_t> depth;        // longest path from a leaf
  // ---- pools
  std::vector<uint32_t> args;
  std::vector<int32_t> ints;
  std::vector<uint32_t> value_call;  // producer of each value
  std::vector<GroupRange> groups;
  std::vector<uint32_t> items;  // value ids
  std::vector<float> data;      // of input()
  // ---- cells that this tape has met
  std::vector<std::shared_ptr<const Program>> cells;
  struct Emitted {
    uint32_t metric;
    uint32_t value, stamp;
    int label;
    uint64_t example;
  };
  std::vector<Emitted> emitted;
  std::vector<std::string> metrics;
  std::unordered_map<std::string, uint32_t> op_cells;  // ops called outside a cell, by their full key
  std::string key;                                     // memory for building one
  std::function<void(uint32_t, Where)> on_call;        // immediate mode: after each call
  // ---- state of recording
  bool train = true, closed = false;
  uint64_t seed = 0, epoch = 0, example_id = 0;
  uint64_t example_key = 0, ordinal = 0, draws = 0;
  uint32_t low_water = 0;  // fewest calls since an engine last looked: what lies above may have been recorded anew

  struct Mark {
    uint32_t calls, values, args, ints, groups, items, data, emitted;
    uint64_t ordinal, draws;
    uint32_t stamp;
  };

  uint32_t calls() const { return static_cast<uint32_t>(cell.size()); }
  uint32_t values() const { return static_cast<uint32_t>(value_call.size()); }
  const Program& program(uint32_t call) const { return *cells[cell[call]]; }
  const Shape& shape(uint32_t value) const {
    const uint32_t call = value_call[value];
    return program(call).output_shape(static_cast<int>(value - first_value[call]));
  }
  // Values of row input j of a call: one, or those of its group.
  std::span<const uint32_t> row_values(uint32_t call, size_t j) const;

  void begin_example(uint64_t id);
  Mark mark() const;
  void revert(const Mark& mark);  // forgets what came later; its values become stale
  void clear();                   // forgets all; every value becomes stale

  // Whether a value or a group made under that stamp is still there.
  bool current(uint32_t value, uint32_t value_stamp) const;
  bool current_group(uint32_t group, uint32_t group_stamp) const;
  uint32_t cell_number(const std::shared_ptr<const Program>& program);
  // The key of the next random call of this example.
  uint64_t next_key();

 private:
  struct Era {
    uint32_t first_value, first_group, stamp;
  };
  std::vector<Era> eras_{{0, 0, 1}};  // values and groups from the first on were made under stamp; ascending
  std::array<std::pair<const Program*, uint32_t>, 64> recent_{};
};

std::string print(const GraphTape& tape);
void verify(const GraphTape& tape);

}  // namespace espalier
