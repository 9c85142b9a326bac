// Laws about whole graphs that only a GPU could violate: many steps in one launch, and more rows than the maximal grid.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <espalier/espalier.h>
#include "engine/session/session.h"
#include "exec/executor.h"

namespace espalier {
namespace ESPALIER_FILE {

std::vector<float> numbers(size_t n, float first = 0.1f) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = std::sin(first + static_cast<float>(i));
  return v;
}

// Covers rows that a persistent kernel has freed and that were not reused.
TEST(Graph_on_cuda, FreedRowsArePoisoned) {
  Parameters params(1);
  const nn::GRU gru(params, 32, 32);
  const auto values = [&](Device device) {
    detail::Session session({.device = device, .poison = true});
    session.start(false, 0, 0);
    Graph g(std::shared_ptr<GraphTape>(std::shared_ptr<void>(), &session.tape));
    std::vector<uint32_t> ids;
    Expr h = input(g, numbers(32), {32});
    for (int i = 0; i < 12; ++i)
      ids.push_back((h = gru.next(input(g, numbers(32, static_cast<float>(i)), {32}), h)).id());
    session.run({&ids.back(), 1}, true);
    std::vector<std::vector<bool>> poisoned;
    for (const uint32_t id : ids) {
      poisoned.emplace_back();
      for (float v : session.read(id)) poisoned.back().push_back(std::isnan(v));
    }
    return poisoned;
  };
  const auto want = values(Device::cpu());
  EXPECT_GT(std::ranges::count(want, std::vector<bool>(32, true)), 0);
  EXPECT_EQ(want.back(), std::vector<bool>(32, false));
  if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(values(Device::cuda()), want);
}

constexpr int many = 70'000;  // a grid has at most 65535 blocks in its second and third dimension

TEST(Graph_on_cuda, ManyProductsOfOneMatrixPerRow) {
  if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << why;
  Parameters params(1);
  const Parameter a = Scope(params).add("a", {16, 16});
  const auto squared = Scope(params).cell("squared", {{}}, [&](Number s) {
    const Expr m = a * s;
    return sum_elements(matmul(m, m));
  });
  const auto all = [&](Device device, int n) {
    Engine engine({.device = device});
    Graph g = engine.graph();
    std::vector<Expr> results;
    for (int i = 0; i < n; ++i) results.push_back(squared(g, static_cast<float>(i + 1)));
    std::vector<float> values;
    for (const Tensor& t : engine.tensors(results)) values.push_back(t.item());
    return values;
  };
  const float one = all(Device::ref(), 1)[0];
  const std::vector<float> got = all(Device::cuda(), many);
  for (int i = 0; i < many; ++i) {
    const float want = one * static_cast<float>(i + 1) * static_cast<float>(i + 1);
    ASSERT_NEAR(got[static_cast<size_t>(i)], want, 1e-4f * std::abs(want) + 1e-4f) << i;
  }
}

TEST(Graph_on_cuda, ManyWatchedValues) {
  if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << why;
  Engine engine({.device = Device::cuda()});
  Graph g = engine.graph();
  std::vector<Expr> xs, losses;
  for (int i = 0; i < many; ++i) {
    engine.watch(xs.emplace_back(input(g, static_cast<float>(i))));
    losses.push_back(xs.back() * xs.back());
  }
  const Gradients gradients = engine.backward(losses);
  for (int i = 0; i < many; i += 997)
    ASSERT_EQ(gradients.of(xs[static_cast<size_t>(i)]).item(), 2 * static_cast<float>(i));
  ASSERT_EQ(gradients.of(xs.back()).item(), 2 * static_cast<float>(many - 1));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
