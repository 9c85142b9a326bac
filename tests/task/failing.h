// Tasks that fail, for tests with one and several threads. Counts the objects they own.
#pragma once
#include <atomic>
#include <string>

#include "errors/error_test.h"

namespace espalier::test {

inline Expr number(Graph& g, float x) { return input(g, std::vector<float>{x}, {}) * 1; }

struct Alive {
  static inline std::atomic<int> count = 0;  // of all threads
  Alive() { ++count; }
  Alive(const Alive&) = delete;
  ~Alive() { --count; }
};

// Waits n times; fails after that if n is odd and above 2.
inline Task<Expr> odd_ones_fail(Graph& g, int n, ESPALIER_AT) {
  const Alive alive;
  Expr x = number(g, 1);
  g.emit("start", x);
  for (int i = 0; i < n; ++i) {
    const float v = co_await value(x, at);
    x = x + v;
    g.emit("step", x);
  }
  if (n % 2 == 1 && n > 2) throw IndexError("odd: " + std::to_string(n));
  co_return x;
}

class TaskErrors : public Errors, public testing::WithParamInterface<int> {
 protected:
  static EngineOptions threads(int n) {
    EngineOptions o;
    o.threads = n;
    return o;
  }
  TaskErrors() : Errors(threads(GetParam())) {}
  void TearDown() override {
    EXPECT_EQ(Alive::count, 0);
    Errors::TearDown();
  }
  static std::string error(const Failure& f) {
    return error_text([&] { std::rethrow_exception(f.error); });
  }
  template <class F>
  static std::string error_text(F f) {
    try {
      f();
    } catch (const std::exception& e) {
      return e.what();
    }
    return "no error";
  }
};

inline Task<int> inner(Graph& g) {
  const float v = co_await value(number(g, 1));
  throw Error("inner" + std::to_string(static_cast<int>(v)));
}
inline Task<int> outer(Graph& g) { co_return co_await inner(g); }

}  // namespace espalier::test
