// Formats a number of bytes: "1.5 MB".
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace espalier::detail {

inline std::string bytes(uint64_t n) {
  if (n < 10'000) return fmt::format("{} B", n);
  if (n < 10'000'000) return fmt::format("{:.1f} kB", static_cast<double>(n) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(n) / 1e6);
}

}  // namespace espalier::detail
