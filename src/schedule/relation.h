// The relation "cell feeds cell" of a round, and its strongly connected components in topological order.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "schedule/round.h"

namespace espalier::scheduling {

class Relation {
 public:
  Relation() { lately_.fill(nothing); }
  // O(notes).
  void clear();
  // The cells differ; a pair may be noted many times.
  void note(uint32_t reader, uint32_t producer) {
    const uint64_t pair = uint64_t{reader} << 32 | producer;
    uint64_t& lately = lately_[slot(reader, producer)];
    if (lately == pair) return;
    lately = pair;
    pairs_.push_back(pair);
  }
  // Ranks the cells of a round by component: components that feed a component have lower ranks. Tarjan 1972, without
  // recursion. O(cells + notes).
  void condense(Round& round);

 private:
  struct Visit {
    uint32_t cell, edge;
  };
  static constexpr uint64_t nothing = ~uint64_t{0};
  static constexpr uint32_t slots = 256;
  static uint32_t slot(uint32_t reader, uint32_t producer) { return (reader * 16 + producer) % slots; }
  void list_producers(uint32_t cells);
  void close(Round& round, uint32_t cell);

  std::array<uint64_t, slots> lately_;  // cache of recent pairs; filters nearly all repeats
  std::vector<uint64_t> pairs_;
  std::vector<uint32_t> first_, producers_;  // by reader
  std::vector<uint32_t> index_, low_, open_;
  std::vector<Visit> visits_;
};

}  // namespace espalier::scheduling
