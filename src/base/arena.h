// A growable range of memory. Nothing is allocated before the first grow(), so an idle engine costs nothing. The range
// may move when it grows: refer to its contents by offset; a pointer is valid until the next grow().
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

  // Makes the first `bytes` bytes usable and keeps their contents. Throws DeviceError if memory is insufficient; the
  // arena is then unchanged.
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
