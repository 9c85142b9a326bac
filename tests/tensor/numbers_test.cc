// Numbers on two sides: what one writes the other reads, and nothing is copied that nobody changed.
#include "tensor/numbers.h"

#include <gtest/gtest.h>
#include <espalier/engine/engine.h>
#include <espalier/expr/functions.h>

#include <barrier>
#include <cmath>
#include <thread>

#include "tensor/fake_device.h"

namespace espalier {
namespace ESPALIER_FILE {

using Floats = std::vector<float>;

Numbers numbers(Floats values) {
  Numbers made;
  made.host_to_write() = std::move(values);
  return made;
}

TEST(Numbers, AreBroughtWhereTheyAreAskedForAndOnlyWhenTheyChanged) {
  FakeDevice device;
  Numbers x = numbers({1, 2, 3});
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
  Numbers x = numbers({1, 2, 3});
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
  EXPECT_EQ(device.allocations, 2u);  // fewer take no memory anew
  x.renew(0);
  EXPECT_EQ(x.host(), Floats{});
}

TEST(Numbers, ThatHaveNoValuesYetAreNotCopied) {
  FakeDevice device;
  Numbers x = numbers({1, 2, 3});
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
  Numbers x = numbers({1, 2});
  x.to_write_on(one)[0] = 5;
  EXPECT_EQ(x.on(other)[0], 5);
  EXPECT_EQ(x.device(), &other);
  x.to_write_on(other)[1] = 6;
  EXPECT_EQ(x.on(one)[1], 6);
  EXPECT_EQ(x.host(), (Floats{5, 6}));
}

TEST(Numbers, AreMovedWithTheirMemory) {
  FakeDevice device;
  Numbers x = numbers({1, 2});
  x.to_write_on(device)[0] = 5;
  Numbers y = std::move(x);
  EXPECT_EQ(x.size(), 0u);  // NOLINT: what is left is empty
  EXPECT_EQ(x.device(), nullptr);
  x.host_to_write() = {3};
  x = std::move(y);
  EXPECT_EQ(x.host(), (Floats{5, 2}));
}

TEST(Numbers, AreCopiedOnceWhereManyThreadsAsk) {
  FakeDevice device;
  for (int round = 0; round < 50; ++round) {
    Numbers x;
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

// What a parameter's owner and an engine see of numbers that a device changed.
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
  p.slot()->data.to_write_on(device)[1] = 10;
  EXPECT_EQ(sum(), 11);
  EXPECT_EQ(sum(), 11);
  EXPECT_EQ(device.downloads, 1u);
  p.assign({{2}, {3, 4}});
  EXPECT_EQ(p.slot()->data.on(device)[1], 4);
  EXPECT_EQ(p.value().data, (Floats{3, 4}));
  EXPECT_EQ(device.downloads, 1u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
