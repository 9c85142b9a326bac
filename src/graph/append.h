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
  struct Work;
  std::vector<uint32_t> cell_, call_, metric_;  // of `from`: their numbers in `into`
};

}  // namespace espalier
