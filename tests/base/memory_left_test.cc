#include "base/memory_left.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace espalier {
namespace ESPALIER_FILE {

namespace fs = std::filesystem;

class MemoryLeftTest : public testing::Test {
 protected:
  MemoryLeftTest() : root_(fs::path(testing::TempDir()) / ("memory_left_" + std::to_string(getpid()))) {
    fs::remove_all(root_);
  }
  ~MemoryLeftTest() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  MemoryLeft left() const { return memory_left(root_.string()); }

 private:
  fs::path root_;
};

TEST_F(MemoryLeftTest, IsThatOfTheMachine) {
  write("proc/meminfo", "MemTotal: 900 kB\nMemAvailable:    300 kB\nSwapFree:   20 kB\n");
  EXPECT_EQ(left().bytes, 320u * 1024);
  EXPECT_EQ(left().limit, "the machine");
}

TEST_F(MemoryLeftTest, IsThatOfTheSmallestGroupAbove) {
  write("proc/meminfo", "MemAvailable: 3000 kB\n");
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  write("sys/fs/cgroup/outer/memory.max", "100000\n");
  write("sys/fs/cgroup/outer/memory.stat", "anon 30000\nfile 60000\n");
  EXPECT_EQ(left().bytes, 70000u);
  EXPECT_EQ(left().limit, "the control group");
}

TEST_F(MemoryLeftTest, OfAContainerIsThatOfItsRoot) {
  write("proc/self/cgroup", "0::/a/path/of/the/host\n");
  write("sys/fs/cgroup/memory.max", "5000\n");
  write("sys/fs/cgroup/memory.stat", "anon 6000\n");
  EXPECT_EQ(left().bytes, 0u);
}

TEST_F(MemoryLeftTest, ReadsGroupsOfVersionOne) {
  write("proc/self/cgroup", "9:cpu,cpuacct:/x\n7:memory:/x\n");
  write("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "8000\n");
  write("sys/fs/cgroup/memory/x/memory.stat", "rss 1\ntotal_rss 3000\n");
  EXPECT_EQ(left().bytes, 5000u);
}

TEST(MemoryLeft, OfThisProcessIsSomething) { EXPECT_GT(memory_left().bytes, size_t{1} << 20); }

}  // namespace ESPALIER_FILE
}  // namespace espalier
