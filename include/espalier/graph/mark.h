// GraphMark: a position on a tape, to which revert() returns. Only the tape reads it; users know it as Graph::Mark.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace espalier {

struct GraphTape;

namespace detail {

struct TapeEntry;

// A default mark belongs to no graph: revert() refuses it.
class GraphMark {
  friend struct espalier::GraphTape;
  std::array<uint32_t, 8> sizes_{};  // of the arrays of the tape
  uint32_t shared_ = 0, stamp_ = 0;
  uint64_t ordinal_ = 0, draws_ = 0;
  const TapeEntry* entry_ = nullptr;
};

}  // namespace detail
}  // namespace espalier
