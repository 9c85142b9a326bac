// Errors are tested by exact type and exact text; afterwards the engine must work as if nothing had happened.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <typeinfo>

#include <espalier/espalier.h>
#include "support/tiny_training.h"

namespace espalier::test {

// Every test has an engine; after the test, training with it must equal training with a new one bit for bit.
class Errors : public testing::Test {
 protected:
  explicit Errors(EngineOptions given = {}) : options(given), engine(options) {}
  void TearDown() override {
    Engine fresh(options);
    EXPECT_EQ(tiny_training(engine), tiny_training(fresh)) << "the engine does not work as before";
  }
  static Expr row(Graph& g, int n) { return input(g, std::vector<float>(static_cast<size_t>(n), 1.f), {n}); }

  EngineOptions options;
  Engine engine;
  Parameters params{1};
  Scope scope{params};
};

template <class E, class F>
void expect_error(std::string text, const char* file, int line, F&& f) {
  if (const size_t at = text.find("(@)"); at != std::string::npos)
    text.replace(at, 3, str(Where{file, line}).substr(1));
  try {
    f();
    ADD_FAILURE_AT(file, line) << "nothing is thrown; expected: " << text;
  } catch (const Error& e) {
    EXPECT_EQ(typeid(e).name(), std::string(typeid(E).name())) << e.what();
    EXPECT_EQ(e.what(), text);
  }
}

}  // namespace espalier::test

// Expects exactly this type and text. (@) in the text stands for the line of this macro: (file.cc:41).
#define EXPECT_ERROR(type, text, ...) \
  ::espalier::test::expect_error<type>(text, __FILE__, __LINE__, [&] { (void)(__VA_ARGS__); })
