// espalier new: the files it writes, and its errors. tests/consumer builds and runs the project.
#include <filesystem>
#include <string>

#include "golden/golden.h"
#include "golden/program.h"
#include "io/folder.h"

namespace espalier::golden {
namespace ESPALIER_FILE {

using io::bytes_of;
using io::Folder;

// Changes to a temporary folder, because the program writes to the current one.
class New : public testing::Test {
 protected:
  New() : before_(std::filesystem::current_path()) { std::filesystem::current_path(folder_ / ""); }
  ~New() override { std::filesystem::current_path(before_); }
  Folder folder_;
  std::filesystem::path before_;
};

TEST_F(New, WritesAProject) {
  std::filesystem::create_directory("my-trees_2");  // an empty folder is accepted
  const Ran r = run({"new", "my-trees_2"});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.out, "my-trees_2/CMakeLists.txt\nmy-trees_2/main.cc\nmy-trees_2/README.md\nmy-trees_2/.gitignore\n");
  EXPECT_EQ(r.err, "my-trees_2/README.md explains how to build and run it\n");
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
  expect("full", "full exists and is not empty; nothing was written");
  expect("file", "file exists and is not a folder; nothing was written");
  EXPECT_EQ(bytes_of("full/notes") + bytes_of("file"), "minemine");
  const std::string needed = " is not a valid project name; use letters, digits, - and _, starting with a letter";
  for (const std::string name : {"", "2fast", "a/b", "../up", "two words", "naïve", "-x", "a)b"})
    expect(name, "'" + name + "'" + needed);
  expect("test", "'test' is not a valid project name; CMake reserves it as a target");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::golden
