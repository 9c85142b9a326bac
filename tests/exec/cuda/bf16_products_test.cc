// bf16 products on a GPU. The values are such that all sums are exact, so that results show how each factor was
// rounded.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

#include <espalier/espalier.h>
#include "base/random.h"
#include "exec/executor.h"

namespace espalier {
namespace ESPALIER_FILE {

constexpr int size = 64, examples = 300;

// To nearest, ties to even.
float bf16(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}
float exact(float x) { return x; }
using Round = float (*)(float);

// Weights are ±1/2 or ±1. Inputs have ten fraction bits, of which tf32 keeps all and bf16 seven.
Tensor weight(Shape shape, uint64_t seed) {
  std::vector<float> values;
  for (int64_t i = 0; i < shape.size(); ++i) {
    const float u = uniform(seed, static_cast<uint64_t>(i));
    values.push_back((u < 0.5f ? 1.f : 0.5f) * (std::fmod(u, 0.5f) < 0.25f ? 1.f : -1.f));
  }
  return {shape, std::move(values)};
}
std::vector<float> numbers(int n, uint64_t seed) {
  std::vector<float> x;
  for (int i = 0; i < n; ++i) x.push_back(1 + std::floor(uniform(seed, static_cast<uint64_t>(i)) * 1024) / 1024);
  return x;
}
std::vector<float> multiply(const Tensor& w, std::span<const float> x, Round round) {
  std::vector<float> y(static_cast<size_t>(w.shape()[0]));
  for (size_t i = 0; i < y.size(); ++i)
    for (size_t k = 0; k < x.size(); ++k) y[i] += w[i * x.size() + k] * round(x[k]);
  return y;
}

class Products : public ::testing::Test {
 protected:
  Parameters params{1};
  Scope scope{params};
  Parameter first = scope.add("first", {size, size}, init::tensor(weight({size, size}, 1)));
  Parameter second = scope.add("second", {size, size}, init::tensor(weight({size, size}, 2)));
  Parameter wide = scope.add("wide", {size, 2 * size}, init::tensor(weight({size, 2 * size}, 3)));
  Parameter odd = scope.add("odd", {7, 12}, init::tensor(weight({7, 12}, 4)));
  Cell<Expr(Expr)> one = scope.cell("one", {{size}}, [&](Expr x) { return linear(x, first); });
  Cell<Expr(Expr)> behind_a_run = scope.cell("behind_a_run", {{size}}, [&](Expr x) { return linear(x * 2.f, first); });
  Cell<Expr(Expr)> behind_an_op =
      scope.cell("behind_an_op", {{2, size / 2}}, [&](Expr x) { return linear(reshape(transpose(x), {size}), first); });
  Cell<Expr(Expr)> chain = scope.cell("chain", {{size}}, [&](Expr x) { return linear(linear(x, first), second); });
  Cell<Expr(Expr, Expr)> pair =
      scope.cell("pair", {{size}, {size}}, [&](Expr x, Expr y) { return linear(concat(x, y), wide); });
  Cell<Expr(Expr)> matrix = scope.cell("matrix", {{3, size}}, [&](Expr x) { return linear(x, first); });
  Parameter bias = scope.add("bias", {size}, init::tensor({{size}, numbers(size, 77)}));
  Cell<Expr(Expr)> with_bias = scope.cell("with_bias", {{size}}, [&](Expr x) { return linear(x, first, bias); });
  Cell<Expr(Expr)> two_layers =
      scope.cell("two_layers", {{size}}, [&](Expr x) { return linear(relu(linear(x, first, bias)), second, bias); });
  Cell<Expr(Expr)> odd_one = scope.cell("odd_one", {{12}}, [&](Expr x) { return linear(x, odd); });

  using Record = std::function<Expr(Graph&, uint64_t)>;
  using Formula = std::function<std::vector<float>(uint64_t, Round)>;
  static void expect(Device device, Precision precision, Round round, const Record& record, const Formula& formula) {
    Engine engine({.device = device, .precision = precision, .poison = true});
    std::vector<uint64_t> ids;
    for (uint64_t i = 0; i < examples; ++i) ids.push_back(i);
    const auto results = engine.infer(engine.record(ids, record, {.mode = Mode::infer}));
    for (uint64_t i = 0; i < examples; ++i) ASSERT_EQ(results[i].to_vector(), formula(i, round)) << "example " << i;
  }
  void expect_all(Device device, Precision precision, Round round) {
    const auto x = [](Graph& g, uint64_t i) { return input(g, numbers(size, i), {size}); };
    const Tensor f = first.value(), s = second.value(), w = wide.value(), o = odd.value();
    expect(
        device, precision, round, [&](Graph& g, uint64_t i) { return one(x(g, i)); },
        [&](uint64_t i, Round r) { return multiply(f, numbers(size, i), r); });
    expect(
        device, precision, round, [&](Graph& g, uint64_t i) { return behind_a_run(x(g, i)); },
        [&](uint64_t i, Round r) {
          std::vector<float> twice = numbers(size, i);
          for (float& e : twice) e *= 2;
          return multiply(f, twice, r);
        });
    expect(
        device, precision, round,
        [&](Graph& g, uint64_t i) { return behind_an_op(input(g, numbers(size, i), {2, size / 2})); },
        [&](uint64_t i, Round r) {
          const std::vector<float> given = numbers(size, i);
          std::vector<float> turned(given.size());
          for (size_t e = 0; e < given.size(); ++e) turned[e % (size / 2) * 2 + e / (size / 2)] = given[e];
          return multiply(f, turned, r);
        });
    const std::vector<float> b = numbers(size, 77);
    const auto biased = [&](std::vector<float> y) {
      for (size_t e = 0; e < y.size(); ++e) y[e] += b[e];
      return y;
    };
    expect(
        device, precision, round, [&](Graph& g, uint64_t i) { return with_bias(x(g, i)); },
        [&](uint64_t i, Round r) { return biased(multiply(f, numbers(size, i), r)); });
    expect(
        device, precision, round, [&](Graph& g, uint64_t i) { return two_layers(x(g, i)); },
        [&](uint64_t i, Round r) {
          std::vector<float> h = biased(multiply(f, numbers(size, i), r));
          for (float& e : h) e = std::max(e, 0.f);
          return biased(multiply(s, h, r));
        });
    expect(
        device, precision, round, [&](Graph& g, uint64_t i) { return chain(x(g, i)); },
        [&](uint64_t i, Round r) { return multiply(s, multiply(f, numbers(size, i), r), r); });
    expect(
        device, precision, round, [&](Graph& g, uint64_t i) { return pair(x(g, i), x(g, i + 1)); },
        [&](uint64_t i, Round r) {
          std::vector<float> both = numbers(size, i), other = numbers(size, i + 1);
          both.insert(both.end(), other.begin(), other.end());
          return multiply(w, both, r);
        });
    expect(
        device, precision, round,
        [&](Graph& g, uint64_t i) { return matrix(input(g, numbers(3 * size, i), {3, size})); },
        [&](uint64_t i, Round r) {
          const std::vector<float> all = numbers(3 * size, i);
          std::vector<float> y;
          for (size_t v = 0; v < 3; ++v)
            for (const float e : multiply(f, std::span(all).subspan(v * size, size), r)) y.push_back(e);
          return y;
        });
    expect(
        device, precision, round, [&](Graph& g, uint64_t i) { return odd_one(input(g, numbers(12, i), {12})); },
        [&](uint64_t i, Round) { return multiply(o, numbers(12, i), exact); });
  }

  // The loss is the sum of all results of `one`, so that each row of the weight's gradient is Σ x.
  void expect_gradient(Device device, Precision precision, Round round) const {
    Engine engine({.device = device, .precision = precision, .poison = true});
    std::vector<uint64_t> ids;
    std::vector<float> sum(size);
    for (uint64_t i = 0; i < examples; ++i) {
      ids.push_back(i);
      const std::vector<float> x = numbers(size, i);
      for (size_t e = 0; e < sum.size(); ++e) sum[e] += round(x[e]);
    }
    const auto batch =
        engine.record(ids, [&](Graph& g, uint64_t i) { return sum_elements(one(input(g, numbers(size, i), {size}))); });
    const Tensor gradient = engine.backward(batch.results).of(first);
    for (size_t i = 0; i < gradient.size(); ++i) ASSERT_EQ(gradient[i], sum[i % size]) << i;
  }
};

TEST_F(Products, OfTheReferenceAreExact) {
  expect_all(Device::ref(), Precision::f32, exact);
  expect_gradient(Device::ref(), Precision::f32, exact);
}

TEST_F(Products, OfCudaRoundFactorsAsTheyShould) {
  if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << why;
  expect_all(Device::cuda(), Precision::f32, exact);
  expect_gradient(Device::cuda(), Precision::f32, exact);
  expect_gradient(Device::cuda(), Precision::tf32, exact);
  expect_all(Device::cuda(), Precision::bf16, bf16);
  expect_gradient(Device::cuda(), Precision::bf16, bf16);
}

// NaN stays NaN, also after max(x, 0).
TEST_F(Products, OfCudaHideNothing) {
  if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << why;
  const Cell<Expr(Expr)> layer = scope.cell("layer", {{size}}, [&](Expr x) { return relu(linear(x, first, bias)); });
  for (const Precision precision : {Precision::f32, Precision::tf32, Precision::bf16}) {
    Engine engine({.device = Device::cuda(), .precision = precision});
    std::vector<uint64_t> ids;
    for (uint64_t i = 0; i < examples; ++i) ids.push_back(i);
    const auto results = engine.infer(engine.record(ids,
                                                    [&](Graph& g, uint64_t i) {
                                                      std::vector<float> x = numbers(size, i);
                                                      if (i == 7) x[3] = std::nanf("");
                                                      return layer(input(g, x, {size}));
                                                    },
                                                    {.mode = Mode::infer}));
    for (uint64_t i = 0; i < examples; ++i)
      for (const float y : results[i]) ASSERT_EQ(std::isnan(y), i == 7) << "example " << i;
  }
}

// Narrow steps, in persistent kernels with tf32 where possible, and weight gradients with bf16 factors: within 2 % of
// the CPU.
TEST_F(Products, OfARecursionAreNearThoseOfTheCpu) {
  if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << why;
  const nn::LSTM lstm(scope / "lstm", size, size);
  const nn::TreeLSTM tree(scope / "tree", size, size);
  const auto loss = [&](Graph& g, uint64_t i) {
    nn::State state;
    std::vector<Expr> all;
    for (uint64_t k = 0; k < 6 + i % 5; ++k) {
      state = lstm(input(g, numbers(size, i * 20 + k), {size}), state);
      all.push_back(state.h);
    }
    nn::State below = tree.leaf(all[0]);
    for (size_t k = 1; k < all.size(); ++k) below = tree.node(below, tree.leaf(all[k]));
    return sum_elements(below.h);
  };
  for (const uint64_t n : {uint64_t{3}, uint64_t{2000}}) {  // narrow steps for persistent kernels, and wide steps
    std::vector<uint64_t> ids;
    for (uint64_t i = 0; i < n; ++i) ids.push_back(i);
    const auto gradients = [&](Device device, Precision precision) {
      Engine engine({.device = device, .precision = precision, .poison = true});
      const Gradients g = engine.backward(engine.record(ids, loss).results, 1.f / static_cast<float>(n));
      std::vector<Tensor> all;
      for (const Parameter& p : {lstm.weight_ih, lstm.weight_hh, tree.W, tree.U, tree.Uf}) all.push_back(g.of(p));
      return all;
    };
    const std::vector<Tensor> right = gradients(Device::cpu(), Precision::f32);
    const std::vector<Tensor> given = gradients(Device::cuda(), Precision::bf16);
    for (size_t p = 0; p < right.size(); ++p) {
      double error = 0, norm = 0;
      for (size_t i = 0; i < right[p].size(); ++i) {
        error += std::pow(static_cast<double>(given[p][i] - right[p][i]), 2);
        norm += std::pow(static_cast<double>(right[p][i]), 2);
      }
      EXPECT_LT(std::sqrt(error / norm), 2e-2) << n << " examples, parameter " << p;
      EXPECT_GT(std::sqrt(error / norm), 1e-5) << n << " examples, parameter " << p;
    }
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
