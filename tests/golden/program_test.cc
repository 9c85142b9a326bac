// The program: help, messages, exit statuses, and the output of its commands.
#include <regex>
#include <string>
#include <vector>

#include "golden/golden.h"
#include "golden/program.h"

namespace espalier::golden {
namespace ESPALIER_FILE {

std::string matching(const std::string& text, const std::string& pattern) {
  std::smatch found;
  return std::regex_search(text, found, std::regex(pattern)) ? found.str() : "";
}

// Removes trailing white space.
std::string normalised(const std::string& text) { return std::regex_replace(text, std::regex("[ \t]+\n"), "\n"); }

TEST(Program, Help) {
  for (const std::string command :
       {"", "train", "eval", "predict", "explain", "tasks", "data", "report", "new", "bench", "demo", "fuzz"}) {
    const Ran r = command.empty() ? run({"--help"}) : run({command, "--help"});
    EXPECT_EQ(r.status, 0);
    EXPECT_EQ(r.err, "");
    expect_golden(command.empty() ? "help/espalier.txt" : "help/espalier_" + command + ".txt", normalised(r.out));
  }
  for (const std::string command : {"get", "list", "make"}) {
    const Ran r = run({"data", command, "--help"});
    EXPECT_EQ(r.status, 0);
    expect_golden("help/espalier_data_" + command + ".txt", normalised(r.out));
  }
  // The settings of a task, with its defaults.
  for (const std::string name : {"sentiment", "trees"}) {
    const Ran task = run({"train", name, "--help"});
    EXPECT_EQ(task.status, 0);
    expect_golden("help/espalier_train_" + name + ".txt", normalised(task.out));
  }
  const Ran list = run({"tasks"});
  EXPECT_EQ(list.status, 0);
  expect_golden("help/tasks.txt", normalised(list.out));
}

TEST(Program, VersionNamesCommitCompilerAndDevices) {
  const Ran r = run({"--version"});
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(std::regex_match(
      r.out,
      std::regex(R"(espalier \d+\.\d+\.\d+ \(commit ([0-9a-f]{12}(-dirty)?|unknown), \w+ [\d.]+\)\n)"
                 R"(built with: (CUDA \d+\.\d+|no CUDA); (no )?RDKit; (no )?curl; (no )?OpenSSL; (no )?libarchive\n)"
                 R"(devices: cpu \(\d+ cores?(, AVX\S+)?\)(, cuda:\d+ \(.+?\))*\n)")))
      << r.out;
}

TEST(Program, WrongUsageExitsWith2AndNamesTheNearest) {
  const auto expect = [](const std::vector<std::string>& arguments, const std::string& message) {
    const Ran r = run(arguments);
    EXPECT_EQ(r.status, 2) << message;
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(r.err, message);
  };
  const std::string see = "\nRun 'espalier --help' for usage.\n",
                    see_demo = "\nRun 'espalier demo --help' for usage.\n",
                    see_fuzz = "\nRun 'espalier fuzz --help' for usage.\n",
                    see_bench = "\nRun 'espalier bench --help' for usage.\n";
  expect({}, "espalier: a command is needed" + see);
  expect({"demmo"}, "espalier: there is no command 'demmo'; did you mean 'demo'?" + see);
  expect({"fuz", "--seed", "1"}, "espalier: there is no command 'fuz'; did you mean 'fuzz'?" + see);
  expect({"elephant"}, "espalier: there is no command 'elephant'" + see);
  expect({"--vresion"}, "espalier: there is no option '--vresion'; did you mean '--version'?" + see);
  expect({"demo", "--secnds=3"}, "espalier demo: there is no option '--secnds'; did you mean '--seconds'?" + see_demo);
  expect({"demo", "fast"}, "espalier demo: there is no argument 'fast'" + see_demo);
  expect({"demo", "--seconds", "long"}, "espalier demo: --seconds is 'long'; must be a number >= 0" + see_demo);
  expect({"demo", "--threads", "0"}, "espalier demo: --threads is '0'; must be an integer >= 1" + see_demo);
  expect({"bench"}, "espalier bench: TASK is required" + see_bench);
  expect({"bench", "tre-lstm"}, "espalier bench: there is no task 'tre-lstm'; did you mean 'tree-lstm'?" + see_bench);
  expect({"bench", "lm", "--polcy", "none"},
         "espalier bench: there is no option '--polcy'; did you mean '--policy'?" + see_bench);
  expect({"bench", "lm", "--policy", "none,agent"},
         "espalier bench: there is no policy 'agent'; did you mean 'agenda'?" + see_bench);
  expect({"bench", "lm", "--mode", "both"},
         "espalier bench: there is no mode 'both'; must be one of train, infer" + see_bench);
  expect({"bench", "lm", "--batch", "1,,4"},
         "espalier bench: --batch is '1,,4'; must be comma-separated integers >= 1" + see_bench);
  expect({"bench", "fold-tree", "--data", "trees.txt"},
         "espalier bench: fold-tree does not take --data; its examples are generated" + see_bench);
  expect({"fuzz", "--seed", "-1"}, "espalier fuzz: --seed is '-1'; must be an integer >= 0" + see_fuzz);
}

TEST(Program, AnErrorExitsWith1) {
  const Ran broken = run({"fuzz", "--repro", "nonsense"});
  EXPECT_EQ(broken.status, 1);
  EXPECT_EQ(broken.out, "");
  EXPECT_EQ(matching(broken.err, "^espalier: program:1:1: a number is needed\n"), broken.err);

  const Ran full = run({"--version"}, {.out_to = "/dev/full"});
  EXPECT_EQ(full.status, 1);
  EXPECT_EQ(full.err, "espalier: cannot write to stdout\n");
}

TEST(Program, MessagesAreShortAndHoldNoControlCharacters) {
  const std::string odd = "\x1b[2J\r\x07\xc2\x9b\xff", shown = R"(\x1b[2J\x0d\x07\xc2\x9b\xff)";
  EXPECT_EQ(run({"eval", odd}).err, "espalier: " + shown + ": cannot be opened: No such file or directory\n");
  EXPECT_EQ(run({odd}).err, "espalier: there is no command '" + shown + "'\nRun 'espalier --help' for usage.\n");
  for (const Ran& r : {run({"eval", std::string(100'000, 'x')}), run({std::string(100'000, '\x1b')})})
    EXPECT_LT(r.err.size(), 1100u);
}

TEST(Program, DemoPrintsItsThreeParts) {
  const Ran r = run({"demo", "--seconds", "1", "--quiet"});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.err, "");
  EXPECT_NE(matching(r.out, R"(dev accuracy    [01]\.\d{3}  on 1000 unseen expressions\n)"
                            R"(  majority class  0\.\d{3}  when always predicting \d\n)"),
            "")
      << r.out;
  EXPECT_NE(matching(r.out, R"(policy none +\d+ trees/s +\d+ steps per minibatch\n)"
                            R"(  policy auto +\d+ trees/s +\d+ steps per minibatch  [\d.]+ times as fast\n)"),
            "")
      << r.out;
  EXPECT_NE(matching(r.out, R"(how a minibatch of 4 is batched\n)"), "") << r.out;
  EXPECT_NE(matching(r.out, R"(\d+ calls of 5 cells in \d+ steps by policy auto)"), "") << r.out;
}

TEST(Program, DemoInterruptedPrintsWhatIsKnown) {
  const Ran r = run({"demo", "--seconds", "1000"}, {.interrupt = true});
  EXPECT_EQ(r.status, 130);
  EXPECT_NE(matching(r.err, R"(demo: [\d,]+/[\d,]+ \(\d+%\), .*loss [\d.]+, dev [\d.]+\n)"), "") << r.err;
  EXPECT_NE(matching(r.out, R"(\(interrupted\)\n)"), "") << r.out;
  EXPECT_NE(matching(r.out, R"(majority class)"), "") << r.out;
  EXPECT_NE(matching(r.out, R"(speed: not measured, interrupted\n)"), "") << r.out;
}

TEST(Program, FuzzCountsOnItsLastLine) {
  const Ran r = run({"fuzz", "--seed", "3", "--programs", "2"});
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_EQ(matching(r.out, R"(fuzz: 2 programs, \d+ calls, \d+ laws held\n$)"), r.out);
}

TEST(Program, FuzzInterruptedCountsWhatWasDone) {
  const Ran r = run({"fuzz", "--seconds", "0", "--quiet"}, {.interrupt = true});
  EXPECT_EQ(r.status, 130);
  EXPECT_EQ(matching(r.out, R"(fuzz: \d+ programs, \d+ calls, \d+ laws held \(interrupted\)\n$)"), r.out);
  EXPECT_EQ(r.err, "");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::golden
