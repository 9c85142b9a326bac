// GraphTape: an append-only tape of cell calls, in flat arrays of integers, independent of devices and memory. An
// engine owns tapes and lends them to Graphs. A stamp distinguishes current values from stale ones.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <espalier/graph/mark.h>
#include "graph/computed.h"
#include "graph/memo.h"
#include "graph/signature.h"
#include "graph/tape_entry.h"

namespace espalier {

namespace detail {

// The tape of a graph, or the trace of a cell. Exprs refer to it through its TapeEntry.
struct Tape {
 private:
  TapeEntry* entry_;

 public:
  uint32_t stamp;  // of values recorded now
  explicit Tape(bool is_trace);
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;
  virtual ~Tape();

  TapeEntry* entry() const { return entry_; }
  void forget_values();  // makes all existing values stale
  // If the stamp has reached this value, forget_values() takes a new entry. revert() may use the higher stamps.
  static constexpr uint32_t renewed_from = uint32_t{1} << 31;
};

}  // namespace detail

constexpr uint32_t no_cell = ~uint32_t{0};

struct GroupRange {
  uint32_t first = 0, count = 0;                 // in GraphTape::items: `count` entries per field, field by field
  uint32_t fits_cell = no_cell, fits_group = 0;  // the cell, and its group, that the shapes were last checked against
};

// A cell of a KeptCells (graph/kept.h) on a tape.
struct KeptCellHere {
  uint32_t number = no_cell;  // on the tape; no_cell: not looked up yet
  uint32_t rows = 0, groups = 0, ints = 0, outputs = 0;
  uint32_t shapes[2] = {};  // of the first outputs
  bool random = false, memoisable = false;
  bool plain = false;  // not random, without groups and without input data
};

struct GraphTape : detail::Tape {
  GraphTape() : Tape(false) {}

  // ---- the tape
  struct Call {
    uint32_t cell;         // in `cells`
    uint32_t first_arg;    // in `args`: value ids of the rows of the call, then its groups
    uint32_t first_int;    // in `ints`: indices, floats (as bits), random key (two integers)
    uint32_t first_value;  // id of the first output; the others follow
  };
  struct Value {
    uint32_t call;        // its producer
    uint32_t shape : 24;  // in `shapes`
    uint32_t output : 8;  // index among the producer's outputs
  };
  std::vector<Call> call;
  std::vector<Value> value;  // a memoised call gets its own values, with the earlier call as producer
  // ---- pools
  std::vector<uint32_t> args;
  std::vector<int32_t> ints;
  std::vector<GroupRange> groups;
  std::vector<uint32_t> items;  // value ids
  std::vector<float> data;      // elements of input()
  // ---- cells known to this tape
  std::vector<std::shared_ptr<const Program>> cells;
  std::vector<Signature> signatures;  // per cell
  std::vector<Shape> shapes;          // distinct shapes of rows and outputs
  struct Emitted {
    uint32_t metric;
    uint32_t value, stamp;
    int label;
    uint32_t owner;  // see ExampleState
  };
  std::vector<Emitted> emitted;
  std::vector<std::string> metrics;
  std::unordered_map<std::string, uint32_t> op_cells;  // cells of ops called outside a cell, by their full key
  std::vector<const std::string*> op_keys;             // per cell: its key in op_cells, or null
  std::string key;                                     // scratch memory for building a key
  uint64_t kept_id = 0;                                // the KeptCells that `kept_cells` belongs to; 0: none
  std::vector<KeptCellHere> kept_cells;                // per cell of that KeptCells
  std::function<void(uint32_t, Where)> on_call;        // immediate mode: runs after each call; else empty
  // ---- state of recording
  bool train = true, closed = false;
  bool memoise = true;         // share equal calls that depend only on integers and floats
  uint32_t shared = 0;         // number of memoised calls
  uint64_t shared_before = 0;  // the same, in graphs cleared before
  uint64_t seed = 0, epoch = 0, example_id = 0;
  uint64_t example_key = 0, ordinal = 0, draws = 0;
  uint64_t all_draws = 0;  // calls of Graph::random; revert and clear do not change it
  uint32_t nesting = 0;    // current depth of recursive blocks
  uint32_t owner = no_owner;
  uint32_t low_water = 0;        // lowest number of calls since the engine's last visit; later calls may be new
  Computed* computed = nullptr;  // gives access to values the engine has computed

  // The recording state of one example: the key and the counters of its random numbers. Switched when examples that
  // wait for values alternate on one tape.
  static constexpr uint32_t no_owner = ~uint32_t{0};
  struct ExampleState {
    uint64_t example_id = 0, example_key = 0, ordinal = 0, draws = 0;
    uint32_t owner = no_owner;  // the example that emitted values belong to
  };

  using Mark = detail::GraphMark;

  uint32_t calls() const { return static_cast<uint32_t>(call.size()); }
  uint32_t values() const { return static_cast<uint32_t>(value.size()); }
  const Program& program(uint32_t c) const { return *cells[call[c].cell]; }
  const Signature& signature(uint32_t c) const { return signatures[call[c].cell]; }
  const Shape& shape(uint32_t v) const { return shapes[value[v].shape]; }
  // The offset in `data` for n more elements. DeviceError if offsets would exceed 31 bits.
  int32_t next_data(size_t n, Where at) const;
  // The value that is actually computed: v itself, or the earlier call's output if v belongs to a memoised call.
  uint32_t source(uint32_t v) const { return call[value[v].call].first_value + value[v].output; }
  // The values of row input j of a call: one, or one per item of its group.
  std::span<const uint32_t> row_values(uint32_t c, size_t j) const {
    const Signature::Input& in = signature(c).inputs[j];
    const uint32_t& arg = args[call[c].first_arg + in.arg];
    if (!in.of_group) return {&arg, 1};
    const GroupRange& g = groups[arg];
    return std::span(items).subspan(g.first + in.field * g.count, g.count);
  }
  // Calls f(value) for every argument of a call and every item of its groups; repeated arguments are repeated.
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

  // Adds a call whose arguments and integers are already at the end of `args` and `ints`. Returns its first value.
  uint32_t add_call(uint32_t cell, uint32_t first_arg, uint32_t first_int) {
    const uint32_t id = calls(), first = values();
    call.push_back({cell, first_arg, first_int, first});
    uint32_t output = 0;
    for (const uint32_t shape_of : signatures[cell].output_shapes) value.push_back({id, shape_of, output++});
    ++ordinal;
    return first;
  }
  // Memoisation of calls without row arguments. If an equal call exists, records new values that refer to it and
  // returns the first; else returns Memo::none, and the caller adds the call and then calls remember().
  uint32_t share(uint32_t cell, std::span<const int32_t> given);
  void remember() { memo_.add(memo_hash_, calls() - 1); }

  void begin_example(uint64_t id);
  ExampleState example_state() const { return {example_id, example_key, ordinal, draws, owner}; }
  void resume_example(const ExampleState& state);  // switches to `state`; earlier calls cannot be reverted any more
  void end_examples();                             // allows reverting all calls again
  ExampleState fork(uint64_t number);              // state of a concurrent task of this example: its own random numbers
  Mark mark() const;
  bool has(const Mark& mark) const;    // whether nothing before the mark was reverted or cleared since
  bool is_at(const Mark& mark) const;  // whether the numbers of calls, values and groups equal the mark's
  void revert(const Mark& mark);       // removes everything recorded after the mark; those values become stale
  void clear();                        // removes everything; all values become stale

  // Whether a value (or group) recorded under this stamp still exists.
  bool current(uint32_t v, uint32_t value_stamp) const {
    if (v >= eras_.back().first_value) return v < values() && value_stamp == stamp;
    return current_in_era(v, value_stamp);
  }
  bool current_group(uint32_t group, uint32_t group_stamp) const;
  uint32_t cell_number(const std::shared_ptr<const Program>& of) {
    const auto& [known, number] = recent_[recent_index(of.get())];
    return known == of.get() ? number : find_cell(of);
  }
  // Registers a cell under a key in op_cells. Returns its number.
  uint32_t add_op_cell(const std::string& full_key, const std::shared_ptr<const Program>& of);
  uint32_t metric_number(std::string_view metric) {
    // Usually the same short name as last time: an inline loop is faster than a function call.
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
  // The flat arrays that recording appends to. GraphMark holds their sizes in this order.
  template <class T>
  static auto arrays(T& tape) {
    return std::tie(tape.call, tape.value, tape.groups, tape.args, tape.ints, tape.items, tape.data, tape.emitted);
  }
  static constexpr size_t call_array = 0, value_array = 1, group_array = 2;
  bool current_in_era(uint32_t v, uint32_t value_stamp) const;
  uint32_t shape_number(const Shape& shape);
  uint32_t find_metric(std::string_view metric);
  uint32_t find_cell(const std::shared_ptr<const Program>& of);
  void drop_unused_cells();
  void forget_cell_numbers();
  struct Era {
    uint32_t first_value, first_group, stamp;
  };
  uint32_t kept_values_ = 0, kept_groups_ = 0;  // revert must not go below these
  std::vector<Era> eras_{{0, 0, stamp}};  // ascending; an era holds from its first value and group to the next era
  std::array<std::pair<const Program*, uint32_t>, 64> recent_{};
  static constexpr size_t min_cells = 128;
  size_t max_cells_ = min_cells;  // above this, clear() drops cells without calls
  static size_t recent_index(const Program* p) { return (reinterpret_cast<uintptr_t>(p) >> 6) % 64; }
  uint32_t last_metric_ = 0;
  Memo memo_;
  uint32_t memo_hash_ = 0;  // hash of the last call that share() did not find
};

std::string print(const GraphTape& tape);
void verify(const GraphTape& tape);

}  // namespace espalier
