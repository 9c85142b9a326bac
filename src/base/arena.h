// One range of memory that grows. It reserves nothing ahead, so engines cost nothing before they run; it may move when
// it grows, so that what lies in it is named by offsets, and a pointer into it is good until the next grow().
#pragma once
#include <cstddef>

namespace espalier {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&& other) noexcept;
  ~Arena();

  // Makes the first `bytes` bytes usable; what they hold stays. Throws DeviceError where that much memory is not there,
  // and then changes nothing.
  void grow(size_t bytes);

  std::byte* base() const { return base_; }
  size_t committed() const { return committed_; }
  size_t growths() const { return growths_; }

 private:
  bool resize(size_t bytes);

  std::byte* base_ = nullptr;
  size_t committed_ = 0, growths_ = 0;
};

}  // namespace espalier
