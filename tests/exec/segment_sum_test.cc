#include "exec/segment_sum.h"

#include "exec/guarded.h"
#include "exec/targets.h"

namespace espalier {
namespace ESPALIER_FILE {

TEST(SegmentSum, AddsInOrderAndEmptyIsZero) {
  const std::vector<double> base{1, 2, 3, 4, 10, 20, 30, 40, 100, 200, 300, 400};
  const std::vector<uint32_t> source{8 / unit, 0, 4 / unit, 0}, offsets{0, 2, 2, 4};
  Guarded<double> y(3, 3, 5);
  segment_sum(SegmentSum<double>{base.data(), source.data(), offsets.data(), 3, 3, y[0], 5});
  EXPECT_EQ(y.values(), (std::vector<double>{101, 202, 303, 0, 0, 0, 11, 22, 33}));
  EXPECT_TRUE(y.intact());
}

TEST(SegmentSum, GathersWithoutOffsets) {
  const std::vector<double> base{1, 2, 3, 4, 10, 20, 30, 40};
  const std::vector<uint32_t> source{4 / unit, 0, 4 / unit};
  Guarded<double> y(3, 2, 2);
  segment_sum(SegmentSum<double>{base.data(), source.data(), nullptr, 3, 2, y[0], 2});
  EXPECT_EQ(y.values(), (std::vector<double>{10, 20, 1, 2, 10, 20}));
}

TEST(SegmentSum, CpuHasTheBitsOfThePlainVersion) {
  for_each_target([] {
    std::mt19937 random(5);
    for (uint32_t size = 1; size <= 300; size += size < 140 ? 1 : 37)
      for (const bool gather : {false, true}) {
        constexpr int64_t rows = 6;
        const int64_t stride = padded(size);
        Guarded<float> base(10, size, stride);
        base.fill(random, -1, 1);
        std::vector<uint32_t> source, offsets{0};
        for (int64_t r = 0; r < rows; ++r) {
          const uint32_t n = gather ? 1 : random() % 5;
          for (uint32_t k = 0; k < n; ++k) source.push_back(random() % 10 * static_cast<uint32_t>(stride) / unit);
          offsets.push_back(static_cast<uint32_t>(source.size()));
        }
        Guarded<float> cpu(rows, size, size + 3), plain(rows, size, size + 3);
        SegmentSum<float> s{base[0], source.data(), gather ? nullptr : offsets.data(), rows, size, plain[0], size + 3};
        segment_sum(s);
        s.out = cpu[0];
        cpu_segment_sum(s);
        ASSERT_EQ(cpu.values(), plain.values()) << "size " << size;
        ASSERT_TRUE(cpu.intact()) << "size " << size;
      }
  });
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
