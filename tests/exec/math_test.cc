// The functions of exec/cpu/elementwise/math-inl.h, through cpu_fused: errors over a sample of all floats, and results
// at the edges.
#include <bit>
#include <cmath>
#include <limits>

#include "exec/cpu/elementwise/elementwise.h"
#include "exec/guarded.h"
#include "exec/targets.h"

namespace espalier {
namespace ESPALIER_FILE {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> compute(Primitive p, const std::vector<float>& x) {
  FusedKernel fused;
  fused.size = static_cast<uint32_t>(x.size());
  fused.in.resize(1);
  fused.out.push_back({{}, 1});
  fused.registers = 2;
  fused.code.push_back({p, 1, 0, 0, 0, 0});
  std::vector<float> y(x.size()), scratch(cpu_fused_scratch(fused));
  const Rows<const float> in{x.data(), 0};
  const Rows<float> out{y.data(), 0};
  cpu_fused({&fused, 1, {&in, 1}, {&out, 1}}, scratch.data());
  return y;
}
float compute(Primitive p, float x) { return compute(p, std::vector<float>{x})[0]; }

std::vector<float> compute(Primitive p, const std::vector<float>& a, const std::vector<float>& b) {
  FusedKernel fused;
  fused.size = static_cast<uint32_t>(a.size());
  fused.in.resize(2);
  fused.out.push_back({{}, 2});
  fused.registers = 3;
  fused.code.push_back({p, 2, 0, 1, 1, 0});
  std::vector<float> y(a.size()), scratch(cpu_fused_scratch(fused));
  const Rows<const float> in[]{{a.data(), 0}, {b.data(), 0}};
  const Rows<float> out{y.data(), 0};
  cpu_fused({&fused, 1, in, {&out, 1}}, scratch.data());
  return y;
}

// The distance of y from the exact result, in units in the last place of the float nearest to the exact result.
double ulp(float y, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (std::isnan(exact) || std::isnan(y)) return std::isnan(exact) && std::isnan(y) ? 0 : inf;
  if (std::isinf(nearest) || std::isinf(y)) return nearest == y ? 0 : inf;
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::fabs(static_cast<double>(y) - exact) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

// The largest error over every step-th float of magnitude at most `limit`, of both signs.
double worst(Primitive p, double (*exact)(double), float limit, uint32_t step, float* where) {
  double most = 0;
  std::vector<float> x;
  auto check = [&] {
    const std::vector<float> y = compute(p, x);
    for (size_t i = 0; i < x.size(); ++i)
      if (const double e = ulp(y[i], exact(static_cast<double>(x[i]))); e > most) {
        most = e;
        *where = x[i];
      }
    x.clear();
  };
  for (uint32_t bits = 0; bits <= std::bit_cast<uint32_t>(limit); bits += step) {
    x.push_back(std::bit_cast<float>(bits));
    x.push_back(-std::bit_cast<float>(bits));
    if (x.size() >= 4096) check();
  }
  check();
  return most;
}

struct Case {
  const char* name;
  Primitive primitive;
  double (*exact)(double);
  double most;
  float limit = inf;
};
const Case cases[] = {
    {"exp", Primitive::exponential, op::exp, 1.1},
    {"expm1", Primitive::exponential_m1, op::expm1, 1.8},
    {"log", Primitive::logarithm, op::log, 1},
    {"log1p", Primitive::logarithm_1p, op::log1p, 2.5},
    {"tanh", Primitive::hyperbolic_tangent, op::tanh, 2.5},
    {"sigmoid", Primitive::logistic, op::sigmoid, 2.5},
    {"sin", Primitive::sine, op::sin, 2.5, 1000},
    {"cos", Primitive::cosine, op::cos, 2.5, 1000},
    {"atan", Primitive::arc_tangent, op::atan, 2.5},
    {"erf", Primitive::error_function, op::erf, 1.5},
    {"lgamma", Primitive::log_gamma, op::lgamma, 0.6},
    {"digamma", Primitive::digamma, op::digamma, 0.6},
    {"sqrt", Primitive::square_root, op::sqrt, 0.501},
    {"floor", Primitive::floor, op::floor, 0},
    {"round", Primitive::round, op::round, 0},
    {"abs", Primitive::absolute, op::abs, 0},
};

TEST(CpuMath, ErrorsOverAllFloats) {
  for_each_target([] {
    for (const Case& c : cases) {
      float where = 0;
      const double e = worst(c.primitive, c.exact, c.limit, 0xFF1, &where);  // 2^20 floats
      EXPECT_LE(e, c.most) << c.name << "(" << where << ")";
    }
  });
}

TEST(CpuMath, SineAndCosineStayCloseFarFromZero) {
  for_each_target([] {
    for (const float x : {4.0f, 100.0f, 1000.5f, -12345.6f, 38999.0f, 39001.0f, 1e6f, -1e10f, 1e30f, 3.4e38f}) {
      EXPECT_NEAR(compute(Primitive::sine, x), std::sin(static_cast<double>(x)), 1e-6) << x;
      EXPECT_NEAR(compute(Primitive::cosine, x), std::cos(static_cast<double>(x)), 1e-6) << x;
    }
    // One far element changes none of its neighbours.
    std::vector<float> x(40);
    for (size_t i = 0; i < x.size(); ++i) x[i] = 0.1f * static_cast<float>(i);
    const std::vector<float> before = compute(Primitive::sine, x);
    x[7] = 1e9f;
    const std::vector<float> after = compute(Primitive::sine, x);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_TRUE(i == 7 || before[i] == after[i]);
  });
}

TEST(CpuMath, Powers) {
  for_each_target([] {
    std::vector<float> a, b;
    for (float base = 0.01f; base < 100; base *= 1.37f)
      for (float exponent = -18; exponent < 18; exponent += 0.77f) {
        a.push_back(base);
        b.push_back(exponent);
      }
    const std::vector<float> y = compute(Primitive::power, a, b);
    for (size_t i = 0; i < y.size(); ++i)
      EXPECT_LE(ulp(y[i], std::pow(static_cast<double>(a[i]), static_cast<double>(b[i]))), 1) << a[i] << "^" << b[i];
    EXPECT_EQ(compute(Primitive::power, {-2, -2, 0, 0, 0, 1, inf}, {3, -2, 0, 2, -1, inf, -1}),
              (std::vector<float>{-8, 0.25f, 1, 0, inf, 1, 0}));
    for (float undefined : compute(Primitive::power, {-2, nan, 2}, {0.5f, 1, nan})) EXPECT_TRUE(std::isnan(undefined));
  });
}

TEST(CpuMath, Edges) {
  for_each_target([] {
    const Primitive all[] = {Primitive::copy,        Primitive::negate,         Primitive::absolute,
                             Primitive::square_root, Primitive::exponential,    Primitive::exponential_m1,
                             Primitive::logarithm,   Primitive::logarithm_1p,   Primitive::hyperbolic_tangent,
                             Primitive::logistic,    Primitive::sine,           Primitive::cosine,
                             Primitive::arc_tangent, Primitive::error_function, Primitive::log_gamma,
                             Primitive::digamma,     Primitive::floor,          Primitive::round};
    for (const Primitive p : all) EXPECT_TRUE(std::isnan(compute(p, nan))) << static_cast<int>(p);

    EXPECT_EQ(compute(Primitive::exponential, inf), inf);
    EXPECT_EQ(compute(Primitive::exponential, 1e4f), inf);
    EXPECT_EQ(compute(Primitive::exponential, 3e38f), inf);
    EXPECT_EQ(compute(Primitive::exponential, 88.8f), inf);
    EXPECT_EQ(compute(Primitive::exponential, -inf), 0);
    EXPECT_EQ(compute(Primitive::exponential, -1e4f), 0);
    EXPECT_EQ(compute(Primitive::exponential, -105.0f), 0);
    EXPECT_EQ(compute(Primitive::exponential, 0.0f), 1);

    EXPECT_EQ(compute(Primitive::exponential_m1, inf), inf);
    EXPECT_EQ(compute(Primitive::exponential_m1, 1e4f), inf);
    EXPECT_EQ(compute(Primitive::exponential_m1, -inf), -1);
    EXPECT_EQ(compute(Primitive::exponential_m1, 1e-40f), 1e-40f);

    EXPECT_EQ(compute(Primitive::logarithm, 0.0f), -inf);
    EXPECT_EQ(compute(Primitive::logarithm, -0.0f), -inf);
    EXPECT_EQ(compute(Primitive::logarithm, inf), inf);
    EXPECT_EQ(compute(Primitive::logarithm, 1.0f), 0);
    EXPECT_TRUE(std::isnan(compute(Primitive::logarithm, -1.0f)));
    EXPECT_TRUE(std::isnan(compute(Primitive::logarithm, -1e-40f)));
    EXPECT_TRUE(std::isnan(compute(Primitive::logarithm, -inf)));

    EXPECT_EQ(compute(Primitive::logarithm_1p, -1.0f), -inf);
    EXPECT_EQ(compute(Primitive::logarithm_1p, inf), inf);
    EXPECT_EQ(compute(Primitive::logarithm_1p, 1e-40f), 1e-40f);
    EXPECT_TRUE(std::isnan(compute(Primitive::logarithm_1p, -1.5f)));
    EXPECT_TRUE(std::isnan(compute(Primitive::logarithm_1p, -inf)));

    EXPECT_EQ(compute(Primitive::hyperbolic_tangent, inf), 1);
    EXPECT_EQ(compute(Primitive::hyperbolic_tangent, -inf), -1);
    EXPECT_EQ(compute(Primitive::hyperbolic_tangent, 1e4f), 1);
    EXPECT_EQ(compute(Primitive::hyperbolic_tangent, 1e-40f), 1e-40f);
    EXPECT_TRUE(std::signbit(compute(Primitive::hyperbolic_tangent, -0.0f)));

    EXPECT_EQ(compute(Primitive::logistic, inf), 1);
    EXPECT_EQ(compute(Primitive::logistic, -inf), 0);
    EXPECT_EQ(compute(Primitive::logistic, 1e4f), 1);
    EXPECT_EQ(compute(Primitive::logistic, -1e4f), 0);
    EXPECT_EQ(compute(Primitive::logistic, 0.0f), 0.5f);

    EXPECT_EQ(compute(Primitive::arc_tangent, inf), 1.57079637f);
    EXPECT_EQ(compute(Primitive::arc_tangent, -inf), -1.57079637f);
    EXPECT_EQ(compute(Primitive::arc_tangent, 1e-40f), 1e-40f);

    EXPECT_EQ(compute(Primitive::error_function, inf), 1);
    EXPECT_EQ(compute(Primitive::error_function, -inf), -1);
    EXPECT_EQ(compute(Primitive::error_function, 3.93f), 1);
    EXPECT_TRUE(std::signbit(compute(Primitive::error_function, -0.0f)));

    EXPECT_EQ(compute(Primitive::log_gamma, 0.0f), inf);
    EXPECT_EQ(compute(Primitive::log_gamma, -3.0f), inf);
    EXPECT_EQ(compute(Primitive::log_gamma, 2.0f), 0);
    EXPECT_EQ(compute(Primitive::digamma, 0.0f), -inf);
    EXPECT_EQ(compute(Primitive::digamma, inf), inf);
    EXPECT_TRUE(std::isnan(compute(Primitive::digamma, -2.0f)));
    EXPECT_TRUE(std::isnan(compute(Primitive::digamma, -inf)));
    EXPECT_FLOAT_EQ(compute(Primitive::digamma, 1.0f), -0.5772156649f);
    EXPECT_FLOAT_EQ(compute(Primitive::digamma, 0.5f), -1.9635100260f);
    EXPECT_FLOAT_EQ(compute(Primitive::digamma, -0.5f), 0.0364899740f);
    EXPECT_FLOAT_EQ(compute(Primitive::digamma, 100.0f), 4.6001618527f);

    EXPECT_EQ(compute(Primitive::round, 0.49999997f), 0);
    EXPECT_EQ(compute(Primitive::round, 2.5f), 2);
    EXPECT_EQ(compute(Primitive::round, -3.5f), -4);

    EXPECT_TRUE(std::isnan(compute(Primitive::sine, inf)));
    EXPECT_TRUE(std::isnan(compute(Primitive::cosine, -inf)));
    EXPECT_TRUE(std::isnan(compute(Primitive::square_root, -1.0f)));
    EXPECT_TRUE(std::signbit(compute(Primitive::negate, 0.0f)));
  });
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
