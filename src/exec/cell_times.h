// Launches and times by cell, forward and backward, and by parameter for gradients.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "exec/kernel_stats.h"
#include "plan/plan.h"

namespace espalier {

class CellTimes {
 public:
  enum class Part : uint8_t { forward, backward, gradient };
  struct Entry {
    uint64_t steps = 0, rows = 0;
    KernelStats stats;
  };
  // Keyed by the name of the cell or parameter.
  using Entries = std::map<std::pair<std::string, Part>, Entry>;

  // Counts steps that run together (all forward or all backward) in one entry, and returns it. If they belong to
  // several cells, the entry is named after all of these. References stay valid.
  Entry& of(std::span<const PlanStep> steps);
  Entry& of(const detail::ParameterStorage& parameter, uint64_t rows);
  const Entries& entries() const { return entries_; }

  void add(const CellTimes& more);
  void reset();  // zeroes the entries but keeps them, because launches in flight still refer to them

 private:
  Entries entries_;
};

// RAII: credits the growth of `stats` during this scope to `entry`; null disables it.
class StatsScope {
 public:
  StatsScope(CellTimes::Entry* entry, const KernelStats& stats) : entry_(entry), stats_(stats) {
    if (entry_ != nullptr) before_ = stats;
  }
  StatsScope(const StatsScope&) = delete;
  StatsScope& operator=(const StatsScope&) = delete;
  ~StatsScope() {
    if (entry_ != nullptr) (entry_->stats += stats_) -= before_;
  }

 private:
  CellTimes::Entry* entry_;
  const KernelStats& stats_;
  KernelStats before_;
};

}  // namespace espalier
