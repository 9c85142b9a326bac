// Golden files: expected texts stored next to the tests. The environment variable ESPALIER_UPDATE_GOLDEN=1 updates
// them.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace espalier::golden {

// `file` is relative to `folder`, which is relative to the project.
inline void expect_golden(const std::string& file, const std::string& text,
                          const std::string& folder = "tests/golden") {
  const std::filesystem::path path = std::filesystem::path(ESPALIER_SOURCE_DIR) / folder / file;
  if (std::getenv("ESPALIER_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << path << " is missing; run with ESPALIER_UPDATE_GOLDEN=1 to create it";
  const std::string kept{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(text, kept) << "the text differs from " << path
                        << "; if the new text is right, run with ESPALIER_UPDATE_GOLDEN=1";
}

}  // namespace espalier::golden
