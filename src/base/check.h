// Internal invariants. A failed check is a bug in espalier, and the message says so.
#pragma once
#include <espalier/base/error.h>

namespace espalier {

[[noreturn]] inline void internal_error(const char* condition, Where at) {
  throw InternalError(std::string("this is a bug in espalier: ") + condition + " does not hold" + str(at));
}

}  // namespace espalier

#define ESPALIER_CHECK(condition) \
  if (!(condition)) [[unlikely]]  \
  ::espalier::internal_error(#condition, ::espalier::Where::here(__FILE__, __LINE__))
