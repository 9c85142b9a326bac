#include "graph/tape_entry.h"

#include <array>
#include <deque>
#include <mutex>
#include <vector>

#include "graph/tape.h"

namespace espalier::detail {
namespace {

struct Table {
  std::mutex mutex;
  std::deque<TapeEntry> all;                    // never moved, never freed
  std::array<std::vector<TapeEntry*>, 2> free;  // for graphs, for traces
};

// Never destroyed: static objects of the user may hold Exprs and engines.
Table& table() {
  static Table& the_table = *new Table;
  return the_table;
}

}  // namespace

TapeEntry* TapeEntry::take(Tape& tape, bool tracing) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  auto& free = t.free[tracing ? 1 : 0];
  TapeEntry* entry = nullptr;
  if (free.empty()) {
    entry = &t.all.emplace_back(tracing);
    if (free.capacity() < t.all.size()) free.reserve(2 * t.all.size());  // so that give_back() cannot throw
  } else {
    entry = free.back();
    free.pop_back();
  }
  entry->tape.store(&tape, std::memory_order_release);
  return entry;
}

void TapeEntry::give_back(TapeEntry& entry, uint32_t last_stamp) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  entry.tape.store(nullptr, std::memory_order_relaxed);
  if (last_stamp >= Tape::renewed_from) return;
  entry.first_stamp.store(last_stamp + 1, std::memory_order_relaxed);
  t.free[entry.tracing ? 1 : 0].push_back(&entry);
}

Tape::Tape(bool is_trace) : entry_(TapeEntry::take(*this, is_trace)), stamp(entry_->first_stamp) {}
Tape::~Tape() { TapeEntry::give_back(*entry_, stamp); }

void Tape::forget_values() {
  if (stamp >= renewed_from) {
    TapeEntry* const fresh = TapeEntry::take(*this, entry_->tracing);
    TapeEntry::give_back(*entry_, stamp);
    entry_ = fresh;
    stamp = fresh->first_stamp;
  } else {
    entry_->first_stamp.store(++stamp, std::memory_order_relaxed);
  }
}

}  // namespace espalier::detail
