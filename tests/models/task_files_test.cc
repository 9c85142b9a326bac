// Evaluation files: line endings, blank lines, labels, and missing files.
#include <gtest/gtest.h>

#include "models/data_folder.h"
#include "support/error_of.h"
#include "task/training_task.h"

namespace espalier {
namespace ESPALIER_FILE {

size_t examples(const std::string& task, const std::string& path) {
  const auto made = app::task_kind(task).make();
  made->read_dev(path);
  return made->dev_size();
}

TEST(TaskFiles, LinesMayEndAsOnWindowsAndBlankOnesAreSkipped) {
  const test::DataFolder folder;
  const std::string path = folder.path() + "/lines";
  std::string image = "3\t0";
  for (int i = 1; i < 784; ++i) image += " 0.5";
  for (const auto& [task, line] : {std::pair<std::string, std::string>("fizz-buzz", "15"),
                                   {"language-id", "Kalosi\tkalosi"},
                                   {"images", image},
                                   {"addition", "0.5* 0.1 0.2* 0.3"},
                                   {"calculator", "48\t6 * 8"}})
    for (const std::string end : {"\n", "\r\n"}) {
      folder.write("lines", line + end + " \t" + end + line + end + end);
      EXPECT_EQ(examples(task, path), 2u) << task;
    }
  folder.write("lines", "Kalosi\t\r\n");
  EXPECT_EQ(test::error_of([&] { examples("language-id", path); }), path + ":1:8: the text is missing");
}

TEST(TaskFiles, ALabelOfACalculatorIsTheValueWhateverItsSize) {
  const test::DataFolder folder;
  const std::string path = folder.path() + "/lines";
  folder.write("lines", "48\t6 * 8\n-6\t1 - 7\n47\t6 * 8\n");
  EXPECT_EQ(test::error_of([&] { examples("calculator", path); }),
            path + ":3:1: label 47 of an expression with value 48");
}

TEST(TaskFiles, OneThatIsNotThereIsAnError) {
  for (const std::string task : {"tagger", "lm", "parser", "sentiment", "addition", "mutagenesis", "fizz-buzz"})
    EXPECT_EQ(test::error_of([&] { examples(task, "no_such_file"); }),
              "no_such_file: cannot be opened: No such file or directory")
        << task;
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
