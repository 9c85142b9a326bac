// Values for the control flow of a Task: co_await argmax(scores). When all examples wait, what they wait for runs as
// one round; for a value that is computed already nobody waits.
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

// What the functions below give, to be awaited at once: `const int best = co_await argmax(scores);`. It owns nothing,
// and must not: g++ 12.2 destroys such things twice (docs/tasks.md).
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

ESPALIER_API Await<float> value(Expr x, ESPALIER_AT);  // ShapeError: it is no scalar
// The span lives as long as the value: until its graph is cleared, reverted or destroyed.
ESPALIER_API Await<std::span<const float>> values(Expr x, ESPALIER_AT);
// Several in one round; after it, argmax(xs[i]) and the others do not wait.
ESPALIER_API Await<void> all(std::span<const Expr> xs, ESPALIER_AT);

// These three choose by the numbers: NumberError where one is NaN.
ESPALIER_API Await<int> argmax(Expr x, ESPALIER_AT);  // the first of the largest
// The k largest, the largest first, equal ones by index; IndexError: there are not so many.
ESPALIER_API Await<std::vector<Scored>> topk(Expr x, int k, ESPALIER_AT);
// Drawn by softmax(logits), keyed like Graph::random(): whatever else is in the batch, the same.
ESPALIER_API Await<int> sample(Expr logits, ESPALIER_AT);

}  // namespace espalier
