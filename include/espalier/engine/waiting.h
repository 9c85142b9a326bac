// Waiting: an example that stops until values are computed, and then continues. f may return one to record() instead of
// a result. Only component `task` knows that it is a coroutine.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <espalier/base/settle.h>
#include <espalier/expr/expr.h>

namespace espalier {
class Graph;
}

namespace espalier::detail {

// A value that an example waits for, and the user's line that waits.
struct RequestedValue {
  Expr value;
  Where at;
};

// The rest of an example that waits. Its destructor cancels the example.
class ESPALIER_API Waiting {
 public:
  virtual ~Waiting() = default;
  // Continues until the example needs values that are not computed, and adds them to `requested`; adds nothing if the
  // example has ended. Throws the example's exception, and must not be called again after that.
  virtual void advance(std::vector<RequestedValue>& requested) = 0;
};

// Records the example at a position. Returns the rest of the example if it waits; null if it has ended.
using RecordOne = std::function<std::unique_ptr<Waiting>(Graph&, size_t)>;

// How record() treats the return type R of its f: by default, as a result. A type that may wait specialises this, with
//   using type = ...;  static constexpr bool waits = true;
//   static std::unique_ptr<Waiting> start(Graph&, R&&, std::optional<type>& into);  // `into` is set when it has ended
// A reference is stored as a value, void as a std::monostate.
template <class R>
struct Recording {
  using type = Settled<R>;
  static constexpr bool waits = false;
};

}  // namespace espalier::detail
