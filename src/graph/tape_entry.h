// TapeEntry: an entry of the global table that Exprs point to. It refers to a tape while that tape exists. Entries are
// never freed, so any Expr can be checked even after its graph, engine or Parameters were destroyed.
#pragma once
#include <atomic>
#include <cstdint>

namespace espalier::detail {

struct Tape;

// An entry is reused by one tape after another. Its stamps only grow and never wrap: an entry is retired when half of
// its stamps are used. So an old stamp never equals a current one.
struct TapeEntry {
  explicit TapeEntry(bool of_traces) : tracing(of_traces) {}

  const bool tracing;                    // true: only traces of cells use it; false: only graphs
  std::atomic<uint32_t> first_stamp{1};  // values with earlier stamps are stale
  std::atomic<Tape*> tape{nullptr};      // null while no tape uses the entry

  // The tape of a value with this stamp; null if the value is stale. Reads only the entry, not the tape, because
  // another thread may be using the entry for another tape by now. The tape found may have reverted the value.
  Tape* find(uint32_t stamp) const {
    Tape* const found = tape.load(std::memory_order_acquire);
    return stamp >= first_stamp.load(std::memory_order_relaxed) ? found : nullptr;
  }

  static TapeEntry* take(Tape& tape, bool tracing);  // the tape must start with the entry's first_stamp
  static void give_back(TapeEntry& entry, uint32_t last_stamp);
};

}  // namespace espalier::detail
