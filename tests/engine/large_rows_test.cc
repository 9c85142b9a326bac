// Rows of many elements: sizes are counted in 64 bits, and rows that do not fit are refused before anything is written.
#include <gtest/gtest.h>

#include <espalier/espalier.h>
#include "support/error_of.h"
#include "support/sanitized.h"

namespace espalier::test {
namespace ESPALIER_FILE {

constexpr uint64_t row_bytes = uint64_t{1} << 34;  // of a float row of shape [65536,65536]

TEST(LargeRows, AreCountedIn64Bits) {
  Engine engine({.device = Device::null()});
  Graph g = engine.graph();
  const Expr x = zeros(g, {65536, 65536});
  const DryRun one = engine.dry_run(g);
  EXPECT_EQ(one.row_bytes, row_bytes);
  square(x);
  const DryRun two = engine.dry_run(g);
  EXPECT_EQ(two.row_bytes, 2 * row_bytes);
  EXPECT_NE(engine.explain(g).find("34359.7 MB"), std::string::npos) << engine.explain(g);
}

TEST(LargeRows, ThatAreGatheredAreCounted) {
  Engine engine({.device = Device::null()});
  Graph g = engine.graph();
  const Expr a = zeros(g, {65536, 32768}), b = ones(g, {65536, 32768});
  sum({a, b, a});
  const DryRun run = engine.dry_run(g);
  EXPECT_EQ(run.gathered_bytes, 3 * row_bytes / 2);
  EXPECT_EQ(run.row_bytes, 6 * row_bytes / 2);
}

TEST(LargeRows, ThatCannotBeHeldAreRefusedBeforeAnythingRuns) {
  for (const Device device : {Device::cpu(), Device::ref(), Device::null()}) {
    Engine engine({.device = device, .memory_limit = size_t{1} << 30});
    Graph g = engine.graph();
    const Expr small = ones(g, {2}), large = zeros(g, {65536, 65536});
    EXPECT_EQ(error_of([&] { engine.tensor(large); }),
              "plan: 16384 MiB are needed (16384 for rows, 0 for scratch) and the limit is 1024 MiB; make the "
              "minibatch smaller or raise the engine's memory_limit");
    EXPECT_THROW(engine.backward(sum_elements(square(large))), DeviceError);
    EXPECT_EQ(engine.tensor(small).size(), 2u) << "the engine is as it was";
  }
}

// Without memory_limit: rows beyond 32-bit row references, and rows larger than any memory.
TEST(LargeRows, BeyondWhatCanBeAddressedAreRefused) {
  Engine engine({.device = Device::null()});
  Graph g = engine.graph();
  EXPECT_THROW(engine.tensor(zeros(g, {65536, 65536, 4})), DeviceError);
  const Expr huge = zeros(g, {1 << 30, 1 << 29});
  EXPECT_THROW(engine.tensor(huge), DeviceError);
  const std::string why = error_of([&] { engine.tensor(sum({huge, square(huge), huge})); });
  EXPECT_NE(why.find("more than any memory holds"), std::string::npos) << why;
}

TEST(LargeRows, WhoseShapeCannotBeCountedAreRefused) {
  Engine engine({.device = Device::null()});
  Graph g = engine.graph();
  EXPECT_THROW(zeros(g, {65536, 65536, 65536, 65536}), ShapeError);
  const Expr x = zeros(g, {1 << 30, 1 << 20});
  EXPECT_THROW(broadcast(x, 0, 1 << 30), ShapeError);
  EXPECT_THROW(pad(zeros(g, {1 << 30}), 1 << 30, 1 << 30), ShapeError);
  EXPECT_THROW(concat({zeros(g, {1 << 30}), zeros(g, {1 << 30})}), ShapeError);
  EXPECT_THROW(outer(zeros(g, {1 << 30}), zeros(g, {1 << 30})), ShapeError);
}

TEST(LargeRows, OfParametersAreRefused) {
  if (is_thread_sanitized) GTEST_SKIP() << "skipped: operator new of the thread sanitizer does not throw";
  Parameters params;
  const std::string why = error_of([&] { Scope(params).add("weight", {1 << 30, 1 << 20}, init::constant(0)); });
  EXPECT_EQ(why,
            "weight: [1073741824,1048576] takes 4503599627370496 bytes, which cannot be allocated; make it smaller");
  EXPECT_EQ(params.count(), 0u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
