// What the steps of each cell took, forward and backward, and the gradient of each parameter.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "exec/tally.h"
#include "plan/plan.h"

namespace espalier {

class CellTimes {
 public:
  enum class Part : uint8_t { forward, backward, gradient };
  struct Entry {
    uint64_t steps = 0, rows = 0;
    Tally tally;
  };
  // By the cell's name, or the parameter's.
  using Entries = std::map<std::pair<std::string, Part>, Entry>;

  // Steps that run as one, all forward or all backward; of several cells, they are an entry with the names of all. An
  // entry stays where it is.
  Entry& of(std::span<const PlanStep> steps);
  Entry& of(const std::string& parameter, uint64_t rows);
  const Entries& entries() const { return entries_; }

  void add(const CellTimes& more);
  void reset();  // what is on its way may still be added

 private:
  Entries entries_;
};

// From its making to its end, what a tally grows by is an entry's; of none, nothing happens.
class Counted {
 public:
  Counted(CellTimes::Entry* entry, const Tally& tally) : entry_(entry), tally_(tally) {
    if (entry_ != nullptr) before_ = tally;
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() {
    if (entry_ != nullptr) (entry_->tally += tally_) -= before_;
  }

 private:
  CellTimes::Entry* entry_;
  const Tally& tally_;
  Tally before_;
};

}  // namespace espalier
