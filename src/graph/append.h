// Appends one tape to another, as if its calls had been recorded there. Merges the examples of several threads.
#pragma once
#include "graph/tape.h"

namespace espalier {

// Keeps its scratch memory between minibatches. Not thread-safe.
class Appender {
 public:
  // Returns the shift s: value v of `from` becomes value v + s, with the stamp of `into`. Moves the count of shared
  // calls to `into`. The caller must clear `from` afterwards. O(calls + edges of `from`).
  uint32_t append(GraphTape& into, GraphTape& from);

 private:
  struct Cell {
    uint32_t number = no_cell;
    bool memoised = false;  // a call may equal an earlier one
    bool plain = false;     // not memoised, without groups and without input data
  };
  struct Work;
  // Indexed by the ids of `from`; hold the ids in `into`.
  std::vector<Cell> cell_;
  std::vector<uint32_t> shape_, call_, metric_;
};

}  // namespace espalier
