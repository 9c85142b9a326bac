// espalier new: what it writes, and what it refuses. That the project builds and learns is tested in tests/consumer.
#include <filesystem>
#include <string>

#include "golden/golden.h"
#include "golden/program.h"
#include "io/folder.h"

namespace espalier::golden {
namespace ESPALIER_FILE {

using io::bytes_of;
using io::Folder;

// The program writes into the current folder.
class New : public testing::Test {
 protected:
  New() : before_(std::filesystem::current_path()) { std::filesystem::current_path(folder_ / ""); }
  ~New() override { std::filesystem::current_path(before_); }
  Folder folder_;
  std::filesystem::path before_;
};

TEST_F(New, WritesAProject) {
  std::filesystem::create_directory("my-trees_2");  // empty: it may be there
  const Ran r = run({"new", "my-trees_2"});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.out, "my-trees_2/CMakeLists.txt\nmy-trees_2/main.cc\nmy-trees_2/README.md\nmy-trees_2/.gitignore\n");
  EXPECT_EQ(r.err, "my-trees_2/README.md says how it is built and run\n");
  EXPECT_NE(bytes_of("my-trees_2/CMakeLists.txt").find("\nadd_executable(my-trees_2 main.cc)\n"), std::string::npos);
  EXPECT_EQ(bytes_of("my-trees_2/README.md").substr(0, 13), "# my-trees_2\n");
  for (const auto& file : std::filesystem::directory_iterator("my-trees_2"))
    EXPECT_EQ(bytes_of(file.path().string()).find("@NAME@"), std::string::npos) << file.path();
}

TEST_F(New, RefusesWhatItWouldSpoilOrCannotName) {
  const auto expect = [&](const std::string& name, const std::string& message) {
    const size_t files = folder_.files();
    const Ran r = run({"new", "--", name});
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(r.err, "espalier: " + message + "\n");
    EXPECT_EQ(folder_.files(), files);
  };
  std::filesystem::create_directory("full");
  io::put_bytes("full/notes", "mine");
  io::put_bytes("file", "mine");
  expect("full", "full is there and not empty; nothing was written");
  expect("file", "file is there and no folder; nothing was written");
  EXPECT_EQ(bytes_of("full/notes") + bytes_of("file"), "minemine");
  const std::string needed = " cannot name a project; letters, digits, - and _ are needed, a letter first";
  for (const std::string name : {"", "2fast", "a/b", "../up", "two words", "naïve", "-x", "a)b"})
    expect(name, "'" + name + "'" + needed);
  expect("test", "'test' cannot name a project; CMake has a target of that name");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::golden
