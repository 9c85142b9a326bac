// One tape behind another, as if what the second holds had been recorded on the first: how the examples of several
// threads become one graph.
#pragma once
#include "graph/tape.h"

namespace espalier {

// Keeps its scratch memory from minibatch to minibatch. One thread at a time.
class Appender {
 public:
  // What `from` holds is to be cleared afterwards; its counts of shared calls are taken over. Value v of `from` becomes
  // value v + what is returned, under the stamp of `into`. O(calls + edges of `from`).
  uint32_t append(GraphTape& into, GraphTape& from);

 private:
  struct Cell {
    uint32_t number = no_cell;
    bool memoised = false;  // its calls may be earlier ones
    bool plain = false;     // nor has it groups, nor numbers of the user's
  };
  struct Work;
  // Of `from`: their numbers in `into`.
  std::vector<Cell> cell_;
  std::vector<uint32_t> shape_, call_, metric_;
};

}  // namespace espalier
