// Computed: how a tape reads values from the engine that runs it.
#pragma once
#include <cstdint>

namespace espalier {

class Computed {
 public:
  // The elements of a value on the host, valid until the tape is reverted or cleared. Null if not computed yet.
  virtual const float* find(uint32_t value) = 0;

 protected:
  ~Computed() = default;
};

}  // namespace espalier
