// docs/modules.md lists every module of the headers and every parameter of the fixtures.
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "models/fixture.h"

namespace espalier::test {
namespace ESPALIER_FILE {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Page, NamesEveryModule) {
  const std::string page = text_of(ESPALIER_SOURCE_DIR "/docs/modules.md");
  const std::set<std::string> no_modules{"State", "VariationalState", "Recurrent", "MatrixVector", "KeyValue"};
  const std::regex declared("\nstruct (?:ESPALIER_API )?(\\w+)");
  int modules = 0;
  for (const auto& file : fs::recursive_directory_iterator(ESPALIER_SOURCE_DIR "/include/espalier/nn")) {
    if (file.path().extension() != ".h") continue;
    const std::string header = text_of(file.path());
    for (std::sregex_iterator it(header.begin(), header.end(), declared), end; it != end; ++it) {
      const std::string name = (*it)[1];
      if (no_modules.contains(name) || name.ends_with("Options")) continue;
      ++modules;
      EXPECT_TRUE(std::regex_search(page, std::regex("\n\\| `" + name + "[(<]"))) << name << " has no line";
    }
  }
  EXPECT_GE(modules, 30);
}

TEST(Page, NamesEveryParameter) {
  const std::string page = text_of(ESPALIER_SOURCE_DIR "/docs/modules.md");
  const std::regex numbered("^(\\d+\\.|forward\\.|backward\\.|up\\.|down\\.)+");
  for (const auto& file : fs::directory_iterator(ESPALIER_SOURCE_DIR "/tests/models/fixtures")) {
    if (file.path().extension() != ".json") continue;
    const nlohmann::json fixture = read_fixture(file.path().stem());
    for (const auto& [name, t] : fixture["parameters"].items()) {
      std::string shown = std::regex_replace(name, numbered, "");
      if (file.path().stem() == "weave" && shown.ends_with("bias")) shown = "bias";
      EXPECT_NE(page.find("`" + shown), std::string::npos) << file.path().stem() << ": " << name;
    }
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
