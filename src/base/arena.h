// One reserved range of addresses that grows without moving: what was handed out stays where it is.
#pragma once
#include <cstddef>

namespace espalier {

class Arena {
 public:
  // Reserves addresses only; a page costs memory when it is first grown over. Throws DeviceError.
  explicit Arena(size_t reserve_bytes = size_t{64} << 30);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&& other) noexcept;
  ~Arena();

  // Makes the first `bytes` bytes usable. Throws DeviceError with both numbers when they cannot be had.
  void grow(size_t bytes);

  std::byte* base() const { return base_; }
  size_t committed() const { return committed_; }
  size_t growths() const { return growths_; }

 private:
  std::byte* base_ = nullptr;
  size_t reserved_ = 0, committed_ = 0, growths_ = 0;
};

}  // namespace espalier
