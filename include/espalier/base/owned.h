// Smart pointers for movable objects: using a moved-from object throws GraphError.
#pragma once
#include <string_view>
#include <utility>

#include <espalier/base/export.h>

namespace espalier::detail {

[[noreturn]] ESPALIER_API void moved_from(std::string_view who);

// A unique_ptr or shared_ptr; `who` names the owning object in the error message.
template <class Pointer, const char* who>
class Owned : public Pointer {
 public:
  Owned() = default;
  Owned(Pointer held) : Pointer(std::move(held)) {}
  auto& operator*() const {
    if (this->get() == nullptr) [[unlikely]]
      moved_from(who);
    return *this->get();
  }
  auto* operator->() const { return &**this; }
};

}  // namespace espalier::detail
