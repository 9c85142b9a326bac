// What a tape can ask the engine that runs it.
#pragma once
#include <cstdint>

namespace espalier {

class Computed {
 public:
  // The numbers of a value of the tape, on the host, until it is reverted or cleared; null: it has not been computed.
  virtual const float* find(uint32_t value) = 0;

 protected:
  ~Computed() = default;
};

}  // namespace espalier
