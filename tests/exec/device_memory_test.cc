// Arithmetic and copies in GPU memory, against the plain loops of the fake device.
#include "tensor/device_memory.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "tensor/fake_device.h"
#include "tensor/gpu_memory.h"

namespace espalier {
namespace ESPALIER_FILE {

using Floats = AlignedVector<float>;

class GpuMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (gpu_.memory == nullptr) GTEST_SKIP() << gpu_.why;
  }

  Floats random(size_t n) {
    Floats made(n);
    for (float& x : made) x = 2 * uniform(5, count_++) - 1;
    return made;
  }
  // Arrays of all sizes, more than one launch can take.
  std::vector<Floats> many() {
    std::vector<Floats> made;
    for (size_t i = 0; i < 230; ++i) made.push_back(random(i % 7 == 0 ? 0 : i % 50 == 1 ? 70'001 : i * 3));
    made.push_back(random(3'000'000));
    return made;
  }

  // The same values on the fake device and on the GPU.
  struct Pair {
    MirroredFloats here, there;
  };
  std::vector<Pair> put(const std::vector<Floats>& values) {
    std::vector<Pair> made(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      made[i].here.host_to_write() = made[i].there.host_to_write() = values[i];
      made[i].here.to_write_on(fake_);
      made[i].there.to_write_on(*gpu_.memory);
    }
    return made;
  }
  template <class T = float>
  std::vector<std::span<T>> spans(std::vector<Pair>& pairs, bool there) {
    std::vector<std::span<T>> made;
    for (Pair& p : pairs)
      made.emplace_back(there ? p.there.to_write_on(*gpu_.memory) : p.here.to_write_on(fake_),
                        there ? p.there.size() : p.here.size());
    return made;
  }
  void expect_equal(const std::vector<Pair>& pairs, float tolerance = 0) {
    for (const Pair& p : pairs) {
      const Floats &want = p.here.host(), &got = p.there.host();
      ASSERT_EQ(got.size(), want.size());
      for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], tolerance * std::abs(want[i])) << i;
    }
  }

  FakeDevice fake_;
  Gpu gpu_;
  uint64_t count_ = 0;
};

TEST_F(GpuMemory, TakesAndGivesBack) {
  for (const size_t n : {size_t{1}, size_t{1000}, size_t{5'000'001}}) {  // the last exceeds the pinned memory
    MirroredFloats x;
    Floats values = random(n);
    x.host_to_write() = values;
    x.to_write_on(*gpu_.memory);
    EXPECT_EQ(x.host(), values);
    for (float& v : x.host_to_write()) v += 1;
    MirroredFloats copy;
    gpu_.memory->copy(x.on(*gpu_.memory), n, copy.renew_on(*gpu_.memory, n));
    EXPECT_EQ(copy.host(), x.host());
    gpu_.memory->fill(copy.to_write_on(*gpu_.memory), n, 2.5f);
    EXPECT_EQ(copy.host(), Floats(n, 2.5f));
    gpu_.memory->fill(copy.to_write_on(*gpu_.memory), n, 0);
    EXPECT_EQ(copy.host(), Floats(n, 0.f));
  }
}

TEST_F(GpuMemory, AddsAndScalesMany) {
  const std::vector<Floats> values = many();
  std::vector<Pair> to = put(values), from = put(values);
  for (const bool there : {false, true}) {
    DeviceMemory& memory = there ? *gpu_.memory : static_cast<DeviceMemory&>(fake_);
    const auto sums = spans(to, there);
    const auto more = spans<const float>(from, there);
    std::vector<DeviceMemory::Sum> parts;
    for (size_t i = 0; i < sums.size(); ++i) parts.push_back({sums[i].data(), more[i].data(), sums[i].size()});
    memory.add(parts);
    memory.scale(sums, 0.3f);
  }
  expect_equal(to);
}

TEST_F(GpuMemory, FindsAndLimitsTheNormInTheSameBits) {
  std::vector<Pair> all = put(many());
  double sums[3] = {};
  for (double& sum : sums) {
    const bool there = &sum != sums;
    DeviceMemory& memory = there ? *gpu_.memory : static_cast<DeviceMemory&>(fake_);
    const DeviceArray<double> squares(memory, 1);
    memory.sum_of_squares(spans<const float>(all, there), squares.data());
    memory.download(squares.data(), sizeof sum, &sum);
  }
  EXPECT_NEAR(sums[1], sums[0], 1e-9 * sums[0]);
  EXPECT_EQ(sums[2], sums[1]);
  for (const float limit : {1e9f, 3.f}) {
    fake_.clip_norm(spans(all, false), limit);
    gpu_.memory->clip_norm(spans(all, true), limit);
    expect_equal(all, 1e-6f);
  }
}

TEST_F(GpuMemory, AddsAndMergesRows) {
  for (const size_t width : {size_t{1}, size_t{37}, size_t{300}}) {
    const size_t rows = 500;
    std::vector<Pair> tables = put({random(rows * width), random(rows * width), random(2 * rows * width)});
    MirroredInts chosen;
    std::vector<DeviceMemory::RowPair> pairs;
    for (int32_t i = 0; i < 400; ++i) chosen.host_to_write().push_back(i + i / 5);
    for (int32_t i = 0; i < 900; ++i) pairs.push_back({i % 3 == 0 ? -1 : i * 7 % 500, i % 3 == 1 ? -1 : i * 11 % 500});
    for (const bool there : {false, true}) {
      DeviceMemory& memory = there ? *gpu_.memory : static_cast<DeviceMemory&>(fake_);
      const auto t = spans(tables, there);
      memory.add_rows(t[0].data(), chosen.on(memory), 400, width, t[1].data());
      memory.merge_rows(t[0].data(), t[1].data(), pairs, width, t[2].data());
    }
    expect_equal(tables);
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
