// Initial values: bounds, moments and independence with fixed seeds, and rejected arguments.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <espalier/base/error.h>
#include <espalier/io/init.h>
#include <espalier/io/safetensors.h>
#include <espalier/param/parameters.h>

#include "io/folder.h"

namespace espalier {
namespace ESPALIER_FILE {

using io::message;

std::vector<float> values(Shape shape, Init how, uint64_t seed = 1, const char* name = "w") {
  Parameters params(seed);
  return Scope(params).add(name, shape, std::move(how)).value().to_vector();
}

struct Moments {
  double mean = 0, variance = 0, kurtosis = 0, next = 0;  // next: correlation of neighbours
  float lowest = 0, highest = 0;
  explicit Moments(const std::vector<float>& x) {
    const double n = static_cast<double>(x.size());
    for (const float v : x) mean += double(v) / n;
    double fourth = 0, product = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double d = double(x[i]) - mean;
      variance += d * d / n;
      fourth += d * d * d * d / n;
      if (i > 0) product += d * (double(x[i - 1]) - mean) / n;
    }
    kurtosis = fourth / (variance * variance);
    next = product / variance;
    lowest = *std::min_element(x.begin(), x.end());
    highest = *std::max_element(x.begin(), x.end());
  }
};

constexpr int n = 300, m = 400;
const double four_sigma = 4 / std::sqrt(double(n * m));  // of the mean of n·m values with variance 1

void expect_uniform(const std::vector<float>& x, double lo, double hi) {
  const Moments found(x);
  const double sd = (hi - lo) / std::sqrt(12);
  EXPECT_GE(double(found.lowest), lo - 1e-6);
  EXPECT_LE(double(found.highest), hi + 1e-6);
  EXPECT_NEAR(double(found.lowest), lo, (hi - lo) * 1e-3);
  EXPECT_NEAR(double(found.highest), hi, (hi - lo) * 1e-3);
  EXPECT_NEAR(found.mean, (lo + hi) / 2, four_sigma * sd);
  EXPECT_NEAR(found.variance, sd * sd, 2 * four_sigma * sd * sd);
  EXPECT_NEAR(found.kurtosis, 1.8, 0.05);
  EXPECT_NEAR(found.next, 0, four_sigma);
}

void expect_normal(const std::vector<float>& x, double mean, double sd) {
  const Moments found(x);
  EXPECT_NEAR(found.mean, mean, four_sigma * sd);
  EXPECT_NEAR(found.variance, sd * sd, 2 * four_sigma * sd * sd);
  EXPECT_NEAR(found.kurtosis, 3, 0.1);
  EXPECT_NEAR(found.next, 0, four_sigma);
  EXPECT_GT(double(found.highest), mean + 3.5 * sd);
}

TEST(Init, DrawsFromItsDistribution) {
  for (const uint64_t seed : {1u, 2u, 77u}) {
    expect_uniform(values({n, m}, init::uniform(-2, 5), seed), -2, 5);
    expect_normal(values({n, m}, init::normal(3, 0.5f), seed), 3, 0.5);
    const double r = 2 * std::sqrt(6. / (n + m));
    expect_uniform(values({n, m}, init::glorot(2), seed), -r, r);
    expect_normal(values({n, m}, init::he(), seed), 0, std::sqrt(2. / m));
    expect_normal(values({n, 20, 20}, init::he(), seed), 0, std::sqrt(2. / m));  // fan-in: all axes but the first
  }
}

TEST(Init, IsAFunctionOfSeedAndName) {
  Parameters one(5), other(5);
  const Parameter a = (one / "enc").add("w", {40}), b = (one / "dec").add("w", {40});
  const Parameter b2 = (other / "dec").add("w", {40}), a2 = (other / "enc").add("w", {40});
  EXPECT_EQ(a.value().to_vector(), a2.value().to_vector());
  EXPECT_EQ(b.value().to_vector(), b2.value().to_vector());
  EXPECT_NE(a.value().to_vector(), b.value().to_vector());
  EXPECT_NE(values({40}, init::glorot(), 1), values({40}, init::glorot(), 2));
}

// The rows, or the columns if there are fewer, are orthogonal: vᵢ · vⱼ = gain² if i = j, else 0.
void expect_orthogonal(int rows, int cols, float gain) {
  const std::vector<float> w = values({rows, cols}, init::orthogonal(gain));
  const bool wide = rows <= cols;
  const int count = wide ? rows : cols, length = wide ? cols : rows;
  const auto at = [&](int i, int k) { return double(w[static_cast<size_t>(wide ? i * cols + k : k * cols + i)]); };
  for (int i = 0; i < count; ++i)
    for (int j = 0; j <= i; ++j) {
      double dot = 0;
      for (int k = 0; k < length; ++k) dot += at(i, k) * at(j, k);
      ASSERT_NEAR(dot, i == j ? double(gain * gain) : 0, 1e-6) << rows << "x" << cols << " " << i << " " << j;
    }
}

TEST(Init, OrthogonalIsOrthogonal) {
  expect_orthogonal(40, 40, 1);
  expect_orthogonal(13, 50, 1);
  expect_orthogonal(50, 13, 0.5f);
  expect_orthogonal(1, 1, 1);
}

TEST(Init, WritesWhatIsGiven) {
  EXPECT_EQ(values({2, 2}, init::constant(0.25f)), std::vector<float>(4, 0.25f));
  EXPECT_EQ(values({2, 2}, init::identity()), (std::vector<float>{1, 0, 0, 1}));
  EXPECT_EQ(values({2, 3}, init::identity(0.5f)), (std::vector<float>{0.5f, 0, 0, 0, 0.5f, 0}));
  EXPECT_EQ(values({3, 2}, init::identity()), (std::vector<float>{1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(values({2}, init::from({3, 4})), (std::vector<float>{3, 4}));
  EXPECT_EQ(values({1, 2}, init::tensor({{1, 2}, {3, 4}})), (std::vector<float>{3, 4}));
}

TEST(Init, LeavesOneRowZero) {
  Init how = init::normal(0, 1);
  const std::vector<float> whole = values({3, 2}, how);
  how.zero_row = 1;
  EXPECT_EQ(values({3, 2}, how), (std::vector<float>{whole[0], whole[1], 0, 0, whole[4], whole[5]}));
  EXPECT_EQ(message<ShapeError>([&] { values({1, 2}, how); }), "w: [1,2] has no row 1");
  EXPECT_EQ(message<ShapeError>([&] { values({}, how); }), "w: [] has no row 1");
}

TEST(Init, ReadsATensorOfAFile) {
  const io::Folder folder;
  io::File file;
  file.tensors = {{"words", {{3, 2}, {1, 2, 3, 4, 5, 6}}}, {"bias", {{1}, {7}}}};
  file.write(folder / "f");
  Parameters params;
  EXPECT_EQ(Scope(params).add_lookup("w", 3, {2}, init::from_file(folder / "f", "words")).value().to_vector(),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(message<DataError>([&] { init::from_file(folder / "f", "word"); }),
            (folder / "f") + ": has no tensor 'word' among its 2");
  EXPECT_EQ(message<ShapeError>([&] { Scope(params).add("x", {2, 3}, init::from_file(folder / "f", "words")); }),
            "x: a tensor [3,2] is given for [2,3]; the shapes must be equal");
  EXPECT_EQ(message<ShapeError>([&] { Scope(params).add("x", {3}, init::identity()); }),
            "x: [3] cannot be the identity; a matrix is needed");
  EXPECT_THROW(init::from_file(folder / "missing", "words"), DataError);
  EXPECT_EQ(params.all().size(), 1u) << "what failed is not there";
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
