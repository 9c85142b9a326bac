// An entry of the table that Exprs point to. It names a tape while that lives. Entries are never freed, so any
// Expr can be checked, however long its graph, engine or Parameters are gone.
#pragma once
#include <atomic>
#include <cstdint>

namespace espalier::detail {

struct Tape;

// The stamps of an entry only grow, over all tapes that it names one after the other, and never wrap: an entry whose
// stamps are half used up is not used again. So a stamp of the past never matches one of today.
struct TapeEntry {
  explicit TapeEntry(bool of_traces) : tracing(of_traces) {}

  const bool tracing;                    // whether its tapes are traces of cells; never both kinds
  std::atomic<uint32_t> first_stamp{1};  // values of earlier stamps are stale
  std::atomic<Tape*> tape{nullptr};      // null: none at present

  // The tape of a value made under `stamp`; null if the value is stale. Reads nothing but the entry: the tape may be
  // another one by now, which another thread records in. A tape that is found may have reverted the value since.
  Tape* find(uint32_t stamp) const {
    Tape* const found = tape.load(std::memory_order_acquire);
    return stamp >= first_stamp.load(std::memory_order_relaxed) ? found : nullptr;
  }

  static TapeEntry* take(Tape& tape, bool tracing);  // its first stamp is the tape's
  static void give_back(TapeEntry& entry, uint32_t last_stamp);
};

}  // namespace espalier::detail
