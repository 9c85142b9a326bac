// Products by oneDNN against the plain loops; the gradient of a matrix; threads.
#include "exec/cpu/product/product.h"

#include <limits>

#include "exec/cpu/functions.h"
#include "exec/guarded.h"
#include "exec/plain/plain.h"
#include "exec/ref/product_gradient.h"
#include "exec/targets.h"
#include "op/kernel/product.h"

extern "C" int omp_get_max_threads(void);

namespace espalier {
namespace ESPALIER_FILE {

template <class To, class From>
Guarded<To> copy_of(const Guarded<From>& from, int64_t stride) {
  Guarded<To> to(from.count(), from.size(), stride);
  for (int64_t r = 0; r < from.count(); ++r) std::copy_n(from[r], from.size(), to[r]);
  return to;
}

// The CPU's op on random rows of `a` and `b` against the plain op in double.
void compare(const OpInfo& op, const Attrs& attrs, const Shape& a, const Shape& b, int64_t rows, int64_t gap,
             bool shared_b, bool adds = false) {
  std::mt19937 random(7);
  Kernel k;
  k.op = &op;
  k.adds = adds;
  k.attrs = attrs;
  k.in_shapes = {a, b};
  k.out_shape = op.infer(attrs, k.in_shapes);
  const int64_t out_size = k.out_shape.size();
  Guarded<float> x(rows, a.size(), a.size() + gap), w(shared_b ? 1 : rows, b.size(), shared_b ? 0 : b.size() + gap);
  x.fill(random, -1, 1);
  w.fill(random, -1, 1);
  const auto dx = copy_of<double>(x, a.size() + gap), dw = copy_of<double>(w, shared_b ? 0 : b.size() + gap);
  Guarded<float> y(rows, out_size, out_size + gap);
  Guarded<double> dy(rows, out_size, out_size + gap);
  for (int64_t r = 0; r < rows; ++r) {
    std::fill_n(y[r], out_size, adds ? 3.f : std::numeric_limits<float>::quiet_NaN());
    std::fill_n(dy[r], out_size, 3.0);
  }
  const Rows<const float> in[]{x.const_rows(), w.const_rows()};
  const Rows<const double> din[]{dx.const_rows(), dw.const_rows()};
  OpLaunch<float> l;
  l.kernel = &k;
  l.rows = rows;
  l.in = in;
  l.out = y.rows();
  OpLaunch<double> d;
  d.kernel = &k;
  d.rows = rows;
  d.in = din;
  d.out = dy.rows();
  cpu_function (&op)(l);
  plain_function<double> (&op)(d);
  EXPECT_TRUE(y.intact());
  const auto got = y.values();
  const auto expect = dy.values();
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], expect[i], 1e-4) << op.doc.name << str(a) << str(b) << " rows " << rows << " gap " << gap;
}

TEST(CpuProduct, LinearBothWays) {
  const SingleThread alone;
  for_each_target([] {
    for (const bool adds : {false, true})
      for (const int64_t rows : {0, 1, 2, 17, 65})
        for (const int64_t gap : {0, 4, 7})
          for (const auto& [m, n] :
               {std::pair{1, 1}, {5, 3}, {5, 128}, {8, 16}, {13, 77}, {16, 33}, {40, 33}, {128, 64}}) {
            compare(info<op::Linear>(), {}, {n}, {m, n}, rows, gap, true, adds);
            compare(info<op::Linear>(), {}, {4, n}, {m, n}, rows, gap, true, adds);
            compare(info<op::LinearTransposed>(), {}, {m}, {m, n}, rows, gap, true, adds);
            compare(info<op::LinearTransposed>(), {}, {3, m}, {m, n}, rows, gap, true, adds);
          }
  });
}

TEST(CpuProduct, MatmulSmallAndLarge) {
  const SingleThread alone;
  for (const bool ta : {false, true})
    for (const bool tb : {false, true})
      for (const auto& [m, k, n] : {std::tuple{1, 1, 1}, {2, 3, 5}, {20, 24, 16}, {33, 40, 17}})
        for (const bool shared : {false, true})
          compare(info<op::Matmul>(), erase(op::MatmulAttrs{ta, tb}), ta ? Shape{k, m} : Shape{m, k},
                  tb ? Shape{n, k} : Shape{k, n}, 4, 4, shared);
}

TEST(CpuProduct, OneInputForAllRows) {
  const SingleThread alone;
  Kernel k;
  k.op = &info<op::Linear>();
  k.in_shapes = {{2}, {3, 2}};
  k.out_shape = {3};
  const std::vector<float> x{1, 2}, w{1, 2, 3, 4, 5, 6};
  Guarded<float> y(3, 3, 4);
  const Rows<const float> in[]{{x.data(), 0}, {w.data(), 0}};
  OpLaunch<float> l;
  l.kernel = &k;
  l.rows = 3;
  l.in = in;
  l.out = y.rows();
  cpu_linear(l);
  const std::vector<float> expect{5, 11, 17, 5, 11, 17, 5, 11, 17}, transposed{1, 3, 5, 2, 4, 6};
  EXPECT_EQ(y.values(), expect);
  Guarded<float> again(3, 3, 4);
  l.out = again.rows();
  cpu_linear(l, transposed.data(), 3);
  EXPECT_EQ(again.values(), expect);
  EXPECT_TRUE(y.intact() && again.intact());
}

TEST(CpuProduct, GradientOfAMatrix) {
  const SingleThread alone;
  std::mt19937 random(11);
  for (const int64_t rows : {0, 1, 2, 50})
    for (const auto& [m, n] : {std::pair{1, 1}, {3, 5}, {5, 128}, {9, 77}, {16, 33}, {40, 24}})
      for (const bool adds : {false, true})
        for (const bool shared_dy : {false, true}) {
          Guarded<float> dy(rows, m, shared_dy ? 0 : m + 3), x(rows, n, n + 4), w(1, m * n, 0);
          dy.fill(random, -1, 1);
          x.fill(random, -1, 1);
          w.fill(random, -1, 1);
          const auto ddy = copy_of<double>(dy, shared_dy ? 0 : m + 3), dx = copy_of<double>(x, n + 4);
          auto dw = copy_of<double>(w, 0);
          if (!adds) std::fill_n(w[0], m * n, std::numeric_limits<float>::quiet_NaN());
          cpu_product_gradient(rows, m, n, dy.const_rows(), x.const_rows(), adds, w[0]);
          ref_product_gradient(rows, m, n, ddy.const_rows(), dx.const_rows(), adds, dw[0]);
          EXPECT_TRUE(w.intact());
          for (int i = 0; i < m * n; ++i) ASSERT_NEAR(w[0][i], dw[0][i], 1e-5) << m << "×" << n << ", " << rows;
        }
}

TEST(CpuProduct, GradientByHand) {
  const std::vector<double> dy{1, 2, 3, 4}, x{10, 20, 30, 40, 50, 60};
  std::vector<double> w{1, 1, 1, 1, 1, 1};
  ref_product_gradient(2, 2, 3, {dy.data(), 2}, {x.data(), 3}, true, w.data());
  EXPECT_EQ(w, (std::vector<double>{131, 171, 211, 181, 241, 301}));
}

TEST(SingleThread, RestoresTheNumberOfThreads) {
  const int before = omp_get_max_threads();
  {
    const SingleThread alone;
    EXPECT_EQ(omp_get_max_threads(), 1);
  }
  EXPECT_EQ(omp_get_max_threads(), before);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
