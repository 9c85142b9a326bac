// The relation «cell feeds cell» of a round, and its strongly connected components in topological order.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "schedule/round.h"

namespace espalier::scheduling {

class Relation {
 public:
  void clear();
  // The cells differ; a pair may be noted many times.
  void note(uint32_t reader, uint32_t producer) {
    const uint64_t pair = uint64_t{reader} << 32 | producer;
    uint64_t& lately = lately_[(reader * 16 + producer) % lately_.size()];
    if (lately == pair) return;
    lately = pair;
    pairs_.push_back(pair);
  }
  // Ranks the cells of a round by component: what feeds a component has a lower rank. Tarjan 1972, without recursion;
  // O(cells + notes).
  void condense(Round& round);

 private:
  struct Visit {
    uint32_t cell, edge;
  };
  void list_producers(uint32_t cells);
  void close(Round& round, uint32_t cell);

  std::array<uint64_t, 256> lately_;  // drops nearly all repeats
  std::vector<uint64_t> pairs_;
  std::vector<uint32_t> first_, producers_;  // by reader
  std::vector<uint32_t> index_, low_, open_;
  std::vector<Visit> visits_;
};

}  // namespace espalier::scheduling
