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

#include "graph/computed.h"
#include "graph/memo.h"
#include "graph/signature.h"
#include "graph/tape_entry.h"

namespace espalier {

enum class CallId : uint32_t {};
enum class ValueId : uint32_t {};

namespace detail {

// The tape of a graph, or a trace of a cell. Exprs find it through its entry.
struct Tape {
 private:
  TapeEntry* entry_;

 public:
  uint32_t stamp;  // of values made now
  explicit Tape(bool is_trace);
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;
  virtual ~Tape();

  TapeEntry* entry() const { return entry_; }
  void forget_values();  // all that were made are stale from now on
  // From this stamp on, forget_values() takes a new entry: what is left above is for reverts between two of its calls.
  static constexpr uint32_t renewed_from = uint32_t{1} << 31;
};

}  // namespace detail

constexpr uint32_t no_cell = ~uint32_t{0};

struct GroupRange {
  uint32_t first = 0, count = 0;                 // in GraphTape::items: `count` entries per field, field by field
  uint32_t fits_cell = no_cell, fits_group = 0;  // the last cell that read it, and as which of its groups
};

struct GraphTape : detail::Tape {
  GraphTape() : Tape(false) {}

  // ---- the tape
  struct Call {
    uint32_t cell;         // in `cells`
    uint32_t first_arg;    // in `args`: value ids of the rows of the call, then its groups
    uint32_t first_int;    // in `ints`: indices, numbers (bits of a float), random key (two)
    uint32_t first_value;  // the call's outputs are values first_value … + outputs - 1
  };
  struct Value {
    uint32_t call;        // its producer
    uint32_t shape : 24;  // in `shapes`
    uint32_t output : 8;  // which of the producer's outputs
  };
  std::vector<Call> call;
  std::vector<Value> value;  // a call that equals an earlier one gets values of its own, with that producer
  // ---- pools
  std::vector<uint32_t> args;
  std::vector<int32_t> ints;
  std::vector<GroupRange> groups;
  std::vector<uint32_t> items;  // value ids
  std::vector<float> data;      // of input()
  // ---- cells that this tape has met
  std::vector<std::shared_ptr<const Program>> cells;
  std::vector<Signature> signatures;  // of each
  std::vector<Shape> shapes;          // of their rows and outputs, each once
  struct Emitted {
    uint32_t metric;
    uint32_t value, stamp;
    int label;
    uint32_t owner;  // as in Turn
  };
  std::vector<Emitted> emitted;
  std::vector<std::string> metrics;
  std::unordered_map<std::string, uint32_t> op_cells;  // ops called outside a cell, by their full key
  std::vector<const std::string*> op_keys;             // of each cell: its key among those, or null
  std::string key;                                     // memory for building one
  std::function<void(uint32_t, Where)> on_call;        // immediate mode: after each call
  // ---- state of recording
  bool train = true, closed = false;
  bool memoise = true;         // equal calls of integers alone are one
  uint32_t shared = 0;         // calls that were an earlier one
  uint64_t shared_before = 0;  // in graphs that are cleared
  uint64_t seed = 0, epoch = 0, example_id = 0;
  uint64_t example_key = 0, ordinal = 0, draws = 0;
  uint32_t nesting = 0;  // of recursive blocks, while they record
  uint32_t owner = no_owner;
  uint32_t low_water = 0;  // fewest calls since an engine last looked: what lies above may have been recorded anew
  Computed* computed = nullptr;  // what the engine has computed of it

  // Whose calls follow: what its random numbers are keyed by and how far they have come. Examples that wait take turns.
  static constexpr uint32_t no_owner = ~uint32_t{0};
  struct Turn {
    uint64_t example_id = 0, example_key = 0, ordinal = 0, draws = 0;
    uint32_t owner = no_owner;  // whose emitted values these are
  };

  struct Mark {
    uint32_t calls, values, args, ints, groups, items, data, emitted, shared;
    uint64_t ordinal, draws;
    uint32_t stamp;
    const detail::TapeEntry* entry;
  };

  uint32_t calls() const { return static_cast<uint32_t>(call.size()); }
  uint32_t values() const { return static_cast<uint32_t>(value.size()); }
  const Program& program(uint32_t c) const { return *cells[call[c].cell]; }
  const Signature& signature(uint32_t c) const { return signatures[call[c].cell]; }
  const Shape& shape(uint32_t v) const { return shapes[value[v].shape]; }
  // Where n more numbers of input() go. Throws DeviceError: offsets are 32-bit.
  int32_t next_data(size_t n, Where at) const;
  // The value that is computed: v itself, unless its call was an earlier one.
  uint32_t source(uint32_t v) const { return call[value[v].call].first_value + value[v].output; }
  // Values of row input j of a call: one, or those of its group.
  std::span<const uint32_t> row_values(uint32_t c, size_t j) const {
    const Signature::Input& in = signature(c).inputs[j];
    const uint32_t& arg = args[call[c].first_arg + in.arg];
    if (!in.of_group) return {&arg, 1};
    const GroupRange& g = groups[arg];
    return std::span(items).subspan(g.first + in.field * g.count, g.count);
  }
  // f(value) for every argument of a call, groups item by item; one that is given twice comes twice.
  template <class F>
  void each_argument(uint32_t c, F&& f) const {
    const Signature& s = signature(c);
    const uint32_t* arg = args.data() + call[c].first_arg;
    for (uint32_t i = 0; i < s.rows; ++i) f(*arg++);
    for (uint32_t g = 0; g < s.groups; ++g) {
      const GroupRange& range = groups[*arg++];
      const uint32_t* item = items.data() + range.first;
      for (uint32_t n = range.count * s.fields[g]; n > 0; --n) f(*item++);
    }
  }

  // Adds a call whose arguments and integers stand at the end of their pools. Returns its first value.
  uint32_t add_call(uint32_t cell, uint32_t first_arg, uint32_t first_int) {
    const uint32_t id = calls(), first = values();
    call.push_back({cell, first_arg, first_int, first});
    uint32_t output = 0;
    for (const uint32_t shape_of : signatures[cell].output_shapes) value.push_back({id, shape_of, output++});
    ++ordinal;
    return first;
  }
  // The call of integers alone that equals this one, as a new call would be: its first value, or `none`. Else, once the
  // call is added, remember() makes it found.
  uint32_t share(uint32_t cell, std::span<const int32_t> given);
  void remember() { memo_.add(memo_hash_, calls() - 1); }

  void begin_example(uint64_t id);
  Turn turn() const { return {example_id, example_key, ordinal, draws, owner}; }
  void take_turn(const Turn& turn);  // from here on; what is recorded up to here cannot be reverted
  void end_turns();                  // it can again
  Turn fork(uint64_t number);        // of one that records beside this one: random numbers of its own
  Mark mark() const;
  void revert(const Mark& mark);  // forgets what came later; its values become stale
  void clear();                   // forgets all; every value becomes stale

  // Whether a value or a group made under that stamp is still there.
  bool current(uint32_t v, uint32_t value_stamp) const {
    if (v >= eras_.back().first_value) return v < values() && value_stamp == stamp;
    return current_in_era(v, value_stamp);
  }
  bool current_group(uint32_t group, uint32_t group_stamp) const;
  uint32_t cell_number(const std::shared_ptr<const Program>& of) {
    const auto& [known, number] = recent_[recent_slot(of.get())];
    return known == of.get() ? number : find_cell(of);
  }
  // A cell that is found by a key from then on.
  uint32_t add_op_cell(const std::string& full_key, const std::shared_ptr<const Program>& of);
  uint32_t metric_number(std::string_view metric) {
    // Mostly the last one again, and short: a loop is faster than a call.
    if (last_metric_ < metrics.size()) {
      const std::string& last = metrics[last_metric_];
      size_t i = 0;
      if (last.size() == metric.size())
        while (i < metric.size() && last[i] == metric[i]) ++i;
      if (i == last.size() && i == metric.size()) return last_metric_;
    }
    return find_metric(metric);
  }
  // The key of the next random call of this example.
  uint64_t next_key();

 private:
  bool current_in_era(uint32_t v, uint32_t value_stamp) const;
  uint32_t shape_number(const Shape& shape);
  uint32_t find_metric(std::string_view metric);
  uint32_t find_cell(const std::shared_ptr<const Program>& of);
  void drop_unused_cells();
  struct Era {
    uint32_t first_value, first_group, stamp;
  };
  uint32_t kept_values_ = 0, kept_groups_ = 0;  // revert leaves these
  std::vector<Era> eras_{{0, 0, stamp}};        // values and groups from the first on were made under stamp; ascending
  std::array<std::pair<const Program*, uint32_t>, 64> recent_{};
  static constexpr size_t least_cells = 128;
  size_t most_cells_ = least_cells;  // with more, clear() drops those that no call uses
  static size_t recent_slot(const Program* p) { return (reinterpret_cast<uintptr_t>(p) >> 6) % 64; }
  uint32_t last_metric_ = 0;
  Memo memo_;
  uint32_t memo_hash_ = 0;  // of what share() did not find
};

std::string print(const GraphTape& tape);
void verify(const GraphTape& tape);

}  // namespace espalier
