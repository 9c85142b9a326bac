// The fuzz: random programs over all ops and cells, checked against the laws. Used by the tests and by `espalier fuzz`.
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
  std::string reproduce;  // one recipe, as a failure printed it, in place of random ones
};

struct FuzzReport {
  uint64_t programs = 0, calls = 0, laws = 0;
  std::vector<std::string> failures;  // each with its shrunk one-line reproducer
};

// Stops early when *stop becomes true. Progress, one line now and then, goes to `out` where it is given.
FuzzReport fuzz(const FuzzOptions& options, std::ostream* out = nullptr, const std::atomic<bool>* stop = nullptr);

}  // namespace espalier::law
