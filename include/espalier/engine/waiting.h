// What record() may be given instead of a result: an example that stops until values are computed, and then goes on.
// The engine knows no more of it than this; that it is a coroutine only component `task` knows.
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

// A value that is waited for, and the user's line that waits for it.
struct Wanted {
  Expr value;
  Where at;
};

// Destroying it cancels it.
class ESPALIER_API Waiting {
 public:
  virtual ~Waiting() = default;
  // Goes on until it needs values that are not computed, and adds them; adds none once it has ended. Throws what the
  // example fails with; it is not advanced again after that.
  virtual void advance(std::vector<Wanted>& wanted) = 0;
};

// Records the example at a position, and gives what is left of it to do if it waits; null: nothing.
using RecordOne = std::function<std::unique_ptr<Waiting>(Graph&, size_t)>;

// How record() treats what its f gives: as a result. For what waits first this is specialised, with
//   using type = …;  static constexpr bool waits = true;
//   static std::unique_ptr<Waiting> start(Graph&, R&&, std::optional<type>& into);  // `into` is set when it has ended
// A reference is kept as a value, nothing as a std::monostate.
template <class R>
struct Recording {
  using type = Settled<R>;
  static constexpr bool waits = false;
};

}  // namespace espalier::detail
