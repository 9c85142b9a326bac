// Texts kept beside the tests. ESPALIER_UPDATE_GOLDEN=1 in the environment writes them anew.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace espalier::golden {

// `file` is relative to tests/golden.
inline void expect_golden(const std::string& file, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(ESPALIER_SOURCE_DIR) / "tests/golden" / file;
  if (std::getenv("ESPALIER_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << path << " is missing; run with ESPALIER_UPDATE_GOLDEN=1 to write it";
  const std::string kept{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(text, kept) << "this is not what " << path << " says; if it should be, run with ESPALIER_UPDATE_GOLDEN=1";
}

}  // namespace espalier::golden
