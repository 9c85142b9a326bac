// Reads values for the control flow of a Task: co_await argmax(scores). When all examples wait, the requested values
// are computed in one round. A value that is already computed causes no wait.
#pragma once
#include <concepts>
#include <span>
#include <vector>

#include <espalier/task/promise.h>

namespace espalier {

struct Scored {
  int index = 0;
  float score = 0;
};

// The awaitable returned by the functions below. Await it immediately: `const int best = co_await argmax(scores);`. It
// must not own memory: g++ 12.2 destroys an owning awaitable twice (docs/tasks.md).
template <class T>
class [[nodiscard("co_await it")]] Await {
 public:
  using Take = T (*)(const Await&);
  Await(Expr x, int k, Where where, const char* name, Take take)
      : expr(x), count(k), at(where), who(name), take_(take) {}

  bool await_ready() const noexcept { return false; }
  template <std::derived_from<detail::Promise> P>
  bool await_suspend(std::coroutine_handle<P> from) const {
    return detail::wait_for(from.promise(), {&expr, 1}, who, at);
  }
  T await_resume() const { return take_(*this); }

  Expr expr;
  int count;
  Where at;
  const char* who;

 private:
  Take take_;
};

template <>
class [[nodiscard("co_await it")]] Await<void> {
 public:
  Await(std::span<const Expr> xs, Where where) : exprs_(xs), at_(where) {}

  bool await_ready() const noexcept { return false; }
  template <std::derived_from<detail::Promise> P>
  bool await_suspend(std::coroutine_handle<P> from) const {
    return detail::wait_for(from.promise(), exprs_, "all", at_);
  }
  void await_resume() const noexcept {}

 private:
  std::span<const Expr> exprs_;
  Where at_;
};

ESPALIER_API Await<float> value(Expr x, ESPALIER_AT);  // ShapeError if x is not a scalar
// The span is valid until the graph is cleared, reverted or destroyed.
ESPALIER_API Await<std::span<const float>> values(Expr x, ESPALIER_AT);
// Computes several values in one round. Afterwards argmax(xs[i]) and the other functions do not wait.
ESPALIER_API Await<void> all(std::span<const Expr> xs, ESPALIER_AT);

// These three compare the values: NumberError if one is NaN.
ESPALIER_API Await<int> argmax(Expr x, ESPALIER_AT);  // the first of equal maxima
// The k largest in descending order, ties by index. IndexError if x has fewer than k elements.
ESPALIER_API Await<std::vector<Scored>> topk(Expr x, int k, ESPALIER_AT);
// An index drawn from softmax(logits), keyed like Graph::random(): independent of the rest of the batch.
ESPALIER_API Await<int> sample(Expr logits, ESPALIER_AT);

}  // namespace espalier
