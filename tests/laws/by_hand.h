// ByHand: compares values and gradients of a function with given values.
#pragma once
#include <initializer_list>
#include <vector>

#include <gtest/gtest.h>
#include <espalier/espalier.h>

#include "law/op/laws.h"

namespace espalier::law {

class ByHand : public testing::TestWithParam<Device> {
 protected:
  Expr row(const std::vector<float>& data, Shape shape) { return input(graph, data, shape); }
  Expr row(const std::vector<float>& data) { return row(data, {static_cast<int>(data.size())}); }

  // Multiples of 1/4 between -5/4 and 5/4 with period 11: exact in every format, and easy to generate elsewhere.
  static std::vector<float> some_quarters(int64_t n, int a, int b) {
    std::vector<float> values;
    for (int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>((a * i + b) % 11 - 5) / 4);
    return values;
  }
  Expr quarters(Shape shape, int a, int b) { return row(some_quarters(shape.size(), a, b), shape); }

  static void near(const Tensor& given, const std::vector<double>& needed, double tolerance = 1e-5) {
    ASSERT_EQ(given.size(), needed.size()) << str(given.shape());
    for (size_t i = 0; i < needed.size(); ++i) {
      const double x = static_cast<double>(given[i]);
      if (x != needed[i]) {  // covers infinities
        EXPECT_NEAR(x, needed[i], tolerance) << "element " << i;
      }
    }
  }
  // Checks y, and the gradients of Σ y · quarters(5, 2) for each x.
  void expect(Expr y, const std::vector<double>& values, std::initializer_list<Expr> xs,
              const std::vector<std::vector<double>>& gradients) {
    for (Expr x : xs) engine.watch(x);
    near(engine.tensor(y), values);
    const Gradients g = engine.backward(sum_elements(y * quarters(y.shape(), 5, 2)));
    size_t i = 0;
    for (Expr x : xs) {
      SCOPED_TRACE("gradient " + std::to_string(i));
      near(g.of(x), gradients.at(i++));
    }
  }

  Engine engine{on(GetParam())};
  Graph graph = engine.graph();
  Parameters params{1};
  Scope scope{params};
};

}  // namespace espalier::law

// Instantiates a fixture derived from ByHand on each device.
#define ESPALIER_BY_HAND(Fixture)                                                                            \
  INSTANTIATE_TEST_SUITE_P(, Fixture, testing::Values(::espalier::Device::ref(), ::espalier::Device::cpu()), \
                           [](const auto& c) { return str(c.param); })
