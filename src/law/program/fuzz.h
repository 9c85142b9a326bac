// fuzz: checks random programs over all ops and cells against the laws. Used by the tests and by `espalier fuzz`.
#pragma once
#include <atomic>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace espalier::law {

struct FuzzOptions {
  uint64_t seed = 1;
  double seconds = 10;    // 0: no limit
  uint64_t programs = 0;  // 0: no limit
  std::string reproduce;  // checks only this program, in the form printed with a failure; empty: random programs
};

struct FuzzReport {
  uint64_t programs = 0, calls = 0, laws = 0;
  std::vector<std::string> failures;  // each with a shrunk one-line reproducer
};

// Stops early when *stop becomes true. Prints a progress line to `out` now and then; null disables it.
FuzzReport fuzz(const FuzzOptions& options, std::ostream* out = nullptr, const std::atomic<bool>* stop = nullptr);

}  // namespace espalier::law
