// MirroredBuffer: each side reads what the other wrote, and unchanged data is not copied.
#include "tensor/mirrored_buffer.h"

#include <gtest/gtest.h>
#include <espalier/engine/engine.h>
#include <espalier/expr/functions.h>

#include <barrier>
#include <cmath>
#include <thread>

#include "tensor/fake_device.h"

namespace espalier {
namespace ESPALIER_FILE {

using Floats = AlignedVector<float>;

MirroredFloats numbers(Floats values) {
  MirroredFloats made;
  made.host_to_write() = std::move(values);
  return made;
}

TEST(Numbers, AreBroughtWhereTheyAreAskedForAndOnlyWhenTheyChanged) {
  FakeDevice device;
  MirroredFloats x = numbers({1, 2, 3});
  EXPECT_EQ(x.device(), nullptr);
  EXPECT_EQ(x.on(device)[1], 2);
  x.on(device);
  x.host();
  EXPECT_EQ(x.device(), &device);
  EXPECT_EQ(device.uploads, 1u);
  EXPECT_EQ(device.downloads, 0u);

  x.to_write_on(device)[1] = 20;
  EXPECT_EQ(x.host(), (Floats{1, 20, 3}));
  x.host();
  x.on(device);
  EXPECT_EQ(device.uploads, 1u);
  EXPECT_EQ(device.downloads, 1u);

  x.host_to_write()[2] = 30;
  EXPECT_EQ(x.device(), nullptr);
  EXPECT_EQ(x.on(device)[2], 30);
  EXPECT_EQ(device.uploads, 2u);
  EXPECT_EQ(device.downloads, 1u);
  EXPECT_EQ(device.allocations, 1u);
}

TEST(Numbers, MayBecomeMoreOrFewerOnEitherSide) {
  FakeDevice device;
  MirroredFloats x = numbers({1, 2, 3});
  x.on(device);
  x.host_to_write().push_back(4);
  EXPECT_EQ(x.size(), 4u);
  EXPECT_EQ(x.on(device)[3], 4);
  x.host_to_write().resize(2);
  x.to_write_on(device)[0] = 9;
  EXPECT_EQ(x.size(), 2u);
  EXPECT_EQ(x.host(), (Floats{9, 2}));
  x.renew_on(device, 3)[2] = 7;
  EXPECT_EQ(x.size(), 3u);
  EXPECT_EQ(x.host()[2], 7);
  EXPECT_EQ(device.allocations, 2u);  // shrinking does not allocate
  x.renew(0);
  EXPECT_EQ(x.host(), Floats{});
}

TEST(Numbers, ThatHaveNoValuesYetAreNotCopied) {
  FakeDevice device;
  MirroredFloats x = numbers({1, 2, 3});
  x.renew(5);
  EXPECT_EQ(x.size(), 5u);
  EXPECT_EQ(x.device(), nullptr);
  float* there = x.to_write_on(device);
  EXPECT_TRUE(std::isnan(there[4]));
  device.fill(there, 5, 6);
  EXPECT_EQ(device.uploads + device.downloads, 0u);
  EXPECT_EQ(x.host(), Floats(5, 6));
  x.renew(2);
  x.host_to_write() = {1, 2};
  EXPECT_EQ(x.on(device)[1], 2);
  EXPECT_EQ(device.downloads, 1u);
}

TEST(Numbers, MoveToAnotherDevice) {
  FakeDevice one, other;
  MirroredFloats x = numbers({1, 2});
  x.to_write_on(one)[0] = 5;
  EXPECT_EQ(x.on(other)[0], 5);
  EXPECT_EQ(x.device(), &other);
  x.to_write_on(other)[1] = 6;
  EXPECT_EQ(x.on(one)[1], 6);
  EXPECT_EQ(x.host(), (Floats{5, 6}));
}

TEST(Numbers, AreMovedWithTheirMemory) {
  FakeDevice device;
  MirroredFloats x = numbers({1, 2});
  x.to_write_on(device)[0] = 5;
  MirroredFloats y = std::move(x);
  EXPECT_EQ(x.size(), 0u);  // NOLINT: a moved-from buffer is empty
  EXPECT_EQ(x.device(), nullptr);
  x.host_to_write() = {3};
  x = std::move(y);
  EXPECT_EQ(x.host(), (Floats{5, 2}));
}

TEST(Numbers, AreCopiedOnceWhereManyThreadsAsk) {
  FakeDevice device;
  for (int round = 0; round < 50; ++round) {
    MirroredFloats x;
    device.fill(x.renew_on(device, 1000), 1000, float(round));
    device.forget();
    std::barrier start(4);
    {
      std::vector<std::jthread> readers;
      for (int i = 0; i < 4; ++i)
        readers.emplace_back([&, i] {
          start.arrive_and_wait();
          EXPECT_EQ(x.host()[999], float(round));
          if (i % 2 == 0) {
            EXPECT_EQ(x.on(device)[999], float(round));
          }
        });
    }
    EXPECT_EQ(device.downloads, 1u);
    x.host_to_write()[0] = -1;
    {
      std::vector<std::jthread> readers;
      for (int i = 0; i < 4; ++i)
        readers.emplace_back([&] {
          start.arrive_and_wait();
          EXPECT_EQ(x.on(device)[0], -1);
          EXPECT_EQ(x.host()[0], -1);
        });
    }
    EXPECT_EQ(device.uploads, 1u);
  }
}

// Values changed by a device, as seen by the owner of a parameter and by an engine.
TEST(Numbers, OfAParameterAreReadFromTheDeviceThatChangedThem) {
  FakeDevice device;
  Parameters params;
  Parameter p = Scope(params).add("p", {2}, init::constant(1));
  Engine engine;
  const auto sum = [&] {
    Graph g = engine.graph();
    return engine.value(sum_elements(row(g, p)));
  };
  EXPECT_EQ(sum(), 2);
  p.storage()->data.to_write_on(device)[1] = 10;
  EXPECT_EQ(sum(), 11);
  EXPECT_EQ(sum(), 11);
  EXPECT_EQ(device.downloads, 1u);
  p.assign({{2}, {3, 4}});
  EXPECT_EQ(p.storage()->data.on(device)[1], 4);
  EXPECT_EQ(p.value().to_vector(), (std::vector<float>{3, 4}));
  EXPECT_EQ(device.downloads, 1u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
