// KeptExample: the calls of one example, cut out of a tape and independent of it. Appending it to a tape gives what
// recording the example there would give.
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/tape.h"

namespace espalier {

// The cells and metrics to which kept examples refer by number. Thread-safe. Entries are never moved or removed.
class KeptCells {
 public:
  struct Cell {
    std::shared_ptr<const Program> program;
    std::string op_key;  // in GraphTape::op_cells; empty: the program's address identifies the cell
  };

  KeptCells();
  uint64_t id() const { return id_; }  // unique in the process
  uint32_t number(const std::shared_ptr<const Program>& program, const std::string* op_key);
  const Cell& cell(uint32_t number) const;
  const std::string& metric(std::string_view name);
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }  // of the programs, roughly
  // Whether a cell reads a parameter whose Parameters were destroyed. Cheap unless some were since the last call.
  bool detached();

 private:
  const uint64_t id_;
  mutable std::mutex mutex_;
  std::deque<Cell> cells_;
  std::unordered_map<const Program*, uint32_t> by_program_;
  std::unordered_map<std::string, uint32_t> by_op_key_;
  std::deque<std::string> metrics_;
  std::atomic<size_t> bytes_{0};
  std::atomic<uint64_t> seen_detachments_;
};

// The state of a tape before an example is recorded.
struct ExampleStart {
  explicit ExampleStart(const GraphTape& tape);

  GraphTape::Mark mark;
  uint32_t calls, values, args, ints, groups, items, data, emitted;
  uint64_t example_key, ordinal, all_draws;

  void check(const GraphTape& tape) const;  // GraphError: the tape was reverted to before the start
};

class KeptExample {
 public:
  // Cuts out everything recorded since `start`; nothing else may have been recorded since. GraphError: it reads values
  // recorded before, it drew random numbers (Graph::random), or the tape was reverted to before the start.
  KeptExample(const GraphTape& tape, const ExampleStart& start, std::shared_ptr<KeptCells> cells);

  // Appends the example: value v becomes value v + tape.values(). Random keys are those of the tape's example state.
  // GraphError: the tape is closed.
  void append(GraphTape& tape) const;

  const KeptCells& cells() const { return *cells_; }
  uint32_t calls() const { return calls_; }  // including memoised ones
  uint32_t values() const { return values_; }
  size_t bytes() const;

 private:
  struct Emitted {
    const std::string* metric;
    uint32_t value;
    int label;
  };
  class Cut;
  struct Work;

  std::shared_ptr<KeptCells> cells_;
  uint32_t calls_ = 0, values_ = 0, args_ = 0, ints_ = 0, groups_ = 0, items_ = 0, data_ = 0;
  uint32_t cell_bound_ = 0;  // larger than every number in cells_ that is used
  bool memoisable_ = false;  // a call may equal a call of another example
  // Cells, arguments, integers, groups (four words each), items and data. Values, items and groups count from the start
  // of the example; the keys of random calls are zero.
  std::vector<uint32_t> words_;
  std::vector<Emitted> emitted_;
};

}  // namespace espalier
