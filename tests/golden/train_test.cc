// espalier train, eval and predict as a user runs them, on a synthetic treebank.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <espalier/io/safetensors.h>

#include "golden/golden.h"
#include "golden/program.h"
#include "io/folder.h"

namespace espalier::golden {
namespace ESPALIER_FILE {

using Json = nlohmann::json;

// A random phrase. Its polarity is the sum of the polarities of its two parts, clamped to -2 … 2.
std::string phrase(std::mt19937& random, int words, int* polarity) {
  static const std::vector<std::string> known{"awful", "poor", "plain", "good", "superb"};
  if (words == 1) {
    const auto word = random() % known.size();
    *polarity = static_cast<int>(word) - 2;
    return "(" + std::to_string(word) + " " + known[word] + ")";
  }
  int left = 0, right = 0;
  const int cut = 1 + static_cast<int>(random() % static_cast<unsigned>(words - 1));
  const std::string l = phrase(random, cut, &left), r = phrase(random, words - cut, &right);
  *polarity = std::clamp(left + right, -2, 2);
  return "(" + std::to_string(*polarity + 2) + " " + l + " " + r + ")";
}

// A data folder with a small treebank, and functions that train on it.
struct Treebank {
  io::Folder folder;
  std::string data;
  Treebank() : data(folder / "data") {
    std::filesystem::create_directories(data + "/sst");
    write("train.txt", 1, 300);
    write("dev.txt", 2, 60);
  }
  void write(const std::string& name, unsigned seed, int trees) const {
    std::mt19937 random(seed);
    std::ofstream file(data + "/sst/" + name);
    for (int i = 0, polarity = 0; i < trees; ++i)
      file << phrase(random, 1 + static_cast<int>(random() % 6), &polarity) << "\n";
  }
  Ran train(const std::string& run_name, std::vector<std::string> more, const RunOptions& options = {}) const {
    std::vector<std::string> arguments{
        "train",     "sentiment", "--data", data,   "--vectors", "none", "--dim",   "8",     "--hidden",          "12",
        "--word-lr", "1",         "--lr",   "0.01", "--threads", "2",    "--quiet", "--out", run_folder(run_name)};
    arguments.insert(arguments.end(), {"--optimizer", "adam", "--batch", "25", "--node-dropout", "0.3"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, options);
  }
  Ran resume(const std::string& run_name, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"train", "sentiment", "--quiet", "--out", run_folder(run_name), "--resume"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  std::string run_folder(const std::string& name) const { return folder / name; }
};

std::vector<Json> events(const std::string& folder, const std::string& kind) {
  std::ifstream file(folder + "/log.jsonl");
  std::vector<Json> found;
  for (std::string line; std::getline(file, line);)
    if (Json event = Json::parse(line); event.at("event") == kind) found.push_back(std::move(event));
  return found;
}

void expect_same_parameters(const std::string& a, const std::string& b) {
  const auto x = io::File::read(a).tensors, y = io::File::read(b).tensors;
  ASSERT_EQ(x.size(), y.size());
  for (const auto& [name, tensor] : x) EXPECT_EQ(tensor.to_vector(), y.at(name).to_vector()) << name;
}

TEST(Train, LearnsAndLeavesAllThatEvalAndPredictNeed) {
  const Treebank t;
  const Ran r = t.train("run", {"--epochs", "6"});
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.err, "");
  const Json result = Json::parse(r.out);
  EXPECT_GT(result.at("dev").at("accuracy"), 0.75) << r.out;

  const std::string best = t.run_folder("run") + "/best.safetensors";
  EXPECT_EQ(result.at("checkpoint"), best);
  const Json judged = Json::parse(run({"eval", best}).out);
  EXPECT_EQ(judged.at("accuracy"), result.at("dev").at("accuracy"));
  EXPECT_EQ(judged.at("examples"), 60);
  EXPECT_EQ(Json::parse(run({"eval", t.run_folder("run")}).out), judged);

  // Without the data folder: a file, and lines.
  const std::string dev = t.folder / "elsewhere.txt";
  std::filesystem::rename(t.data + "/sst/dev.txt", dev);
  std::filesystem::remove_all(t.data);
  EXPECT_EQ(Json::parse(run({"eval", best, dev}).out), judged);
  EXPECT_EQ(Json::parse(run({"eval", t.run_folder("run"), "-"}, {.in = text_of(dev)}).out), judged);
  const Ran answers = run({"predict", best}, {.in = "(4 superb)\n(0 (2 awful) (2 poor))\n(3 oops\n(2 unheard)"});
  EXPECT_EQ(answers.status, 1);
  EXPECT_EQ(answers.err, "espalier predict: 1 of 4 examples were invalid\n");
  std::istringstream lines(answers.out);
  std::vector<Json> found;
  for (std::string line; std::getline(lines, line);) found.push_back(Json::parse(line));
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].at("label"), "very positive");
  EXPECT_EQ(found[1].at("label"), "very negative");
  EXPECT_EQ(found[2], (Json{{"error", "line:3:8: the text ends inside the '(' at column 1; expected )"}, {"line", 3}}));
  EXPECT_TRUE(found[3].contains("label"));
}

// An interactive user waits for each answer before typing the next line.
TEST(Train, PredictAnswersEachLineBeforeTheNextIsThere) {
  const Treebank t;
  ASSERT_EQ(t.train("run", {"--epochs", "1"}).status, 0);
  const std::string best = t.run_folder("run") + "/best.safetensors";
  int to[2], from[2];
  ASSERT_TRUE(pipe(to) == 0 && pipe(from) == 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    for (const int fd : {to[0], to[1], from[0], from[1]}) close(fd);
    execl(ESPALIER_PROGRAM, ESPALIER_PROGRAM, "predict", best.c_str(), nullptr);
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  std::FILE* answers = fdopen(from[0], "r");
  for (const std::string line : {"(4 superb)\n", "(0 awful)\n", "(2 pla"}) {
    ASSERT_EQ(write(to[1], line.data(), line.size()), static_cast<ssize_t>(line.size()));
    if (line.ends_with('\n')) {
      char answer[1000];
      ASSERT_NE(std::fgets(answer, sizeof answer, answers), nullptr);
      EXPECT_TRUE(Json::parse(answer).contains("label")) << answer;
    }
  }
  close(to[1]);  // in the middle of a line
  char answer[1000];
  ASSERT_NE(std::fgets(answer, sizeof answer, answers), nullptr);
  EXPECT_TRUE(Json::parse(answer).contains("error")) << answer;
  EXPECT_EQ(std::fgets(answer, sizeof answer, answers), nullptr);
  std::fclose(answers);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST(Train, LogsWhatHappened) {
  const Treebank t;
  const Ran r = t.train("run", {"--epochs", "3", "--batch", "50"});
  ASSERT_EQ(r.status, 0) << r.err;
  const std::string folder = t.run_folder("run");
  const auto starts = events(folder, "start"), schedules = events(folder, "schedule"), epochs = events(folder, "epoch"),
             ends = events(folder, "end"), confusions = events(folder, "confusion");
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_EQ(starts[0].at("task"), "sentiment");
  EXPECT_EQ(starts[0].at("settings").at("hidden"), 12);
  EXPECT_EQ(starts[0].at("train"), 300);
  EXPECT_EQ(starts[0].at("dev"), 60);
  ASSERT_EQ(schedules.size(), 1u);
  size_t calls = 0;
  for (const Json& step : schedules[0].at("steps")) calls += step.at("calls").get<size_t>();
  EXPECT_EQ(schedules[0].at("calls"), calls);
  EXPECT_EQ(schedules[0].at("examples"), 50);
  ASSERT_EQ(epochs.size(), 3u);
  EXPECT_LT(epochs[2].at("loss"), epochs[0].at("loss"));
  EXPECT_EQ(events(folder, "train").size(), 18u);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].at("reason"), "finished");
  ASSERT_EQ(confusions.size(), 1u);
  size_t right = 0, all = 0;
  for (size_t i = 0; i < 5; ++i)
    for (size_t j = 0; j < 5; ++j) {
      const auto n = confusions[0].at("counts")[i][j].get<size_t>();
      all += n;
      right += i == j ? n : 0;
    }
  EXPECT_EQ(all, 60u);
  EXPECT_DOUBLE_EQ(static_cast<double>(right) / 60, ends[0].at("dev").at("accuracy"));
}

TEST(Train, InterruptedOrKilledItGoesOnToTheSameBits) {
  const Treebank t;
  const std::vector<std::string> settings{"--epochs", "4", "--batch", "10", "--average", "0.9", "--schedule", "linear"};
  ASSERT_EQ(t.train("through", settings).status, 0);

  const std::string stopped = t.run_folder("stopped"), killed = t.run_folder("killed");
  const Ran interrupted = t.train(
      "stopped", settings,
      {.interrupt = true, .when = stopped + "/log.jsonl", .text = R"("event":"train","epoch":1,"minibatch":5)"});
  EXPECT_EQ(interrupted.status, 130);
  EXPECT_EQ(interrupted.err, "interrupted; continue with: espalier train sentiment --out " + stopped + " --resume\n");
  EXPECT_EQ(events(stopped, "end").back().at("reason"), "interrupted");
  EXPECT_EQ(Json::parse(interrupted.out).at("end"), "interrupted");
  const Ran resumed = t.resume("stopped", {"--hidden", "12", "--lr", "0.01"});  // the same values
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(Json::parse(resumed.out).at("end"), "finished");
  expect_same_parameters(t.run_folder("through") + "/last.safetensors", stopped + "/last.safetensors");
  expect_same_parameters(t.run_folder("through") + "/best.safetensors", stopped + "/best.safetensors");

  const Ran dead = t.train("killed", settings,
                           {.interrupt = true,
                            .signal = SIGKILL,
                            .when = killed + "/log.jsonl",
                            .text = R"("event":"train","epoch":2,"minibatch":7)"});
  EXPECT_EQ(dead.status, 128 + SIGKILL);
  ASSERT_EQ(t.resume("killed").status, 0);
  EXPECT_EQ(events(killed, "resume").back().at("epoch"), 2);  // the unfinished epoch was lost
  expect_same_parameters(t.run_folder("through") + "/last.safetensors", killed + "/last.safetensors");
}

TEST(Train, SchedulersAndTerminalsInterruptIt) {
  const Treebank t;
  const std::vector<std::string> settings{"--epochs", "3", "--batch", "10"};
  ASSERT_EQ(t.train("through", settings).status, 0);
  for (const int signal : {SIGTERM, SIGHUP}) {
    const std::string name = "stopped" + std::to_string(signal), folder = t.run_folder(name);
    const Ran stopped = t.train(name, settings,
                                {.interrupt = true,
                                 .signal = signal,
                                 .when = folder + "/log.jsonl",
                                 .text = R"("event":"train","epoch":1,"minibatch":5)"});
    EXPECT_EQ(stopped.status, 130);
    EXPECT_EQ(events(folder, "end").back().at("reason"), "interrupted");
    ASSERT_EQ(t.resume(name).status, 0);
    expect_same_parameters(t.run_folder("through") + "/last.safetensors", folder + "/last.safetensors");
  }
}

TEST(Train, InterruptedBeforeAnEpochHasEnded) {
  const Treebank t;
  t.write("train.txt", 1, 5000);  // an epoch takes longer than the signal
  const std::string folder = t.run_folder("my run");
  const Ran r =
      t.train("my run", {"--epochs", "1", "--batch", "1"},
              {.interrupt = true, .when = folder + "/log.jsonl", .text = R"("event":"train","epoch":0,"minibatch":0)"});
  ASSERT_EQ(r.status, 130) << r.err;
  EXPECT_TRUE(r.err.ends_with(" --out '" + folder + "' --resume\n")) << r.err;
  EXPECT_EQ(run({"predict", folder}).err, "espalier: " + folder +
                                              " has no best checkpoint, because no epoch has ended; continue it with "
                                              "--resume, or give its last checkpoint " +
                                              folder + "/last.safetensors\n");
  EXPECT_EQ(run({"predict", folder + "/last.safetensors"}).status, 0);
}

TEST(Train, AnIgnoredInterruptStaysIgnored) {
  const Treebank t;
  const Ran r = t.train("run", {"--epochs", "2"},
                        {.interrupt = true,
                         .when = t.run_folder("run") + "/log.jsonl",
                         .text = R"("event":"train","epoch":0,"minibatch":3)",
                         .ignored = SIGINT});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(events(t.run_folder("run"), "end").back().at("reason"), "finished");
}

TEST(Train, SavesInsideAnEpoch) {
  const Treebank t;
  const std::vector<std::string> settings{"--epochs", "2", "--batch", "10"};
  ASSERT_EQ(t.train("through", settings).status, 0);
  const std::string killed = t.run_folder("killed");
  std::vector<std::string> often = settings;
  often.insert(often.end(), {"--save-every", "1e-9", "--average", "0"});  // in minutes: saves after each minibatch
  ASSERT_EQ(t.train("killed", often,
                    {.interrupt = true,
                     .signal = SIGKILL,
                     .when = killed + "/log.jsonl",
                     .text = R"("event":"train","epoch":1,"minibatch":7)"})
                .status,
            128 + SIGKILL);
  ASSERT_EQ(t.resume("killed", {"--save-every", "0"}).status, 0);
  EXPECT_EQ(events(killed, "resume").back().at("epoch"), 1);
  EXPECT_GE(events(killed, "resume").back().at("minibatch"), 7);
  expect_same_parameters(t.run_folder("through") + "/last.safetensors", killed + "/last.safetensors");
}

TEST(Train, KeepsTheLatestCheckpoints) {
  const Treebank t;
  const std::string folder = t.run_folder("run");
  ASSERT_EQ(t.train("run", {"--epochs", "4", "--batch", "50", "--keep-checkpoints", "2"}).status, 0);
  std::vector<std::string> kept;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (const std::string name = file.path().filename(); name.starts_with("step-")) kept.push_back(name);
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(kept, (std::vector<std::string>{"step-000000018.safetensors", "step-000000024.safetensors"}));
  EXPECT_EQ(text_of(folder + "/" + kept.back()), text_of(folder + "/last.safetensors"));
  EXPECT_NE(text_of(folder + "/" + kept.front()), text_of(folder + "/last.safetensors"));
  EXPECT_EQ(run({"eval", folder + "/" + kept.front()}).status, 0);
}

void expect_finite(const std::string& path) {
  for (const auto& [name, tensor] : io::File::read(path).tensors)
    for (const float x : tensor) ASSERT_TRUE(std::isfinite(x)) << path << " " << name;
}

TEST(Train, ThatDivergesIsAnErrorAndKeepsTheLastGoodCheckpoint) {
  const Treebank t;
  for (const std::string lr : {"1e38", "1e30", "1000000"})
    for (const std::string optimizer : {"adam", "sgd", "adagrad"}) {
      const std::string name = lr + optimizer, folder = t.run_folder(name);
      const Ran r = t.train(name, {"--epochs", "3", "--lr", lr, "--optimizer", optimizer, "--clip", "0"});
      for (const std::string file : {"/last.safetensors", "/best.safetensors"})
        if (std::filesystem::exists(folder + file)) expect_finite(folder + file);
      // Parameters of 1e30 may saturate instead: inf - 1e30 · 1e30 is inf with fused multiply-add, and NaN without.
      // Adam's steps of 1e38 add up to infinity on every CPU.
      if (name != "1e38adam" && r.status == 0) {
        EXPECT_EQ(events(folder, "end").back().at("reason"), "finished");
        continue;
      }
      EXPECT_EQ(r.status, 1) << name;
      EXPECT_TRUE(std::regex_search(r.err, std::regex("^espalier: training has diverged: .*after step [0-9]+ ")))
          << r.err;
      EXPECT_EQ(events(folder, "end").back().at("reason"), "diverged");
      EXPECT_TRUE(std::filesystem::exists(folder + "/last.safetensors"));
    }
  const Ran r = t.train("named", {"--lr", "1e38"});
  EXPECT_TRUE(std::regex_search(r.err, std::regex("parameter '[a-z._]+' has [0-9]+ non-finite values? of [0-9]+")))
      << r.err;
}

TEST(Train, NonFiniteNumbersAreNotEvaluated) {
  const Treebank t;
  ASSERT_EQ(t.train("run", {"--epochs", "1"}).status, 0);
  const std::string good = t.run_folder("run") + "/best.safetensors", bad = t.folder / "bad.safetensors";
  for (const float x : {std::nanf(""), HUGE_VALF, -HUGE_VALF}) {
    io::File file = io::File::read(good);
    auto& [name, tensor] = *file.tensors.begin();
    std::vector<float> values = tensor.to_vector();
    values.back() = x;
    tensor = {tensor.shape(), std::move(values)};
    file.write(bad);
    for (const std::string command : {"eval", "predict"}) {
      const Ran r = run({command, bad});
      EXPECT_EQ(r.status, 1);
      EXPECT_EQ(r.out, "");
      EXPECT_EQ(r.err, "espalier: " + bad + ": parameter '" + name + "' has 1 non-finite value of " +
                           std::to_string(tensor.size()) + "; the training run that wrote it diverged\n");
    }
  }
}

TEST(Train, AFileBeyondItsLimitIsAnErrorAndLeavesNoDraft) {
  const Treebank t;
  const Ran r = t.train("run", {"--epochs", "1"}, {.largest_file = 4096});
  EXPECT_EQ(r.status, 1);
  const std::string last = t.run_folder("run") + "/last.safetensors";
  EXPECT_EQ(r.err, "espalier: " + last + ": cannot be written: File too large\n");
  for (const auto& file : std::filesystem::directory_iterator(t.run_folder("run")))
    EXPECT_EQ(file.path().filename(), "log.jsonl");
}

TEST(Train, AFolderThatVanishesIsAnError) {
  const Treebank t;
  const std::string folder = t.run_folder("run");
  const Ran r = t.train("run", {"--epochs", "1000"},
                        {.interrupt = true,
                         .when = folder + "/log.jsonl",
                         .text = R"("event":"train","epoch":0,"minibatch":2)",
                         .instead = [&] { std::filesystem::rename(folder, folder + "2"); }});
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(r.err == "espalier: " + folder + "/log.jsonl has been moved or deleted during training\n" ||
              r.err.find("No such file or directory") != std::string::npos)
      << r.err;
}

TEST(Train, EqualRunsLeaveEqualFiles) {
  const Treebank t;
  for (const std::string name : {"one", "two"}) ASSERT_EQ(t.train(name, {"--epochs", "2"}).status, 0);
  EXPECT_EQ(text_of(t.run_folder("one") + "/best.safetensors"), text_of(t.run_folder("two") + "/best.safetensors"));
}

TEST(Train, ChecksumsAreVerified) {
  const Treebank t;
  ASSERT_EQ(t.train("run", {"--epochs", "1"}).status, 0);
  const std::string good = t.run_folder("run") + "/best.safetensors", other = t.folder / "other.safetensors";
  std::string bytes = text_of(good);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  io::put_bytes(other, bytes);
  const Ran damaged = run({"eval", other});
  EXPECT_EQ(damaged.status, 1);
  EXPECT_TRUE(damaged.err.starts_with("espalier: " + other + ": tensor '")) << damaged.err;
  EXPECT_NE(damaged.err.find("': the checksum of its data is "), std::string::npos) << damaged.err;
  EXPECT_TRUE(damaged.err.ends_with("; the file is damaged\n")) << damaged.err;

  // A file from a program that writes no checksums.
  io::put_bytes(other, io::without_checksums(text_of(good)));
  const Ran unchecked = run({"eval", other});
  EXPECT_EQ(unchecked.status, 0);
  EXPECT_EQ(unchecked.err, "note: " + other + " has no checksums; corruption of its tensors cannot be detected\n");
  EXPECT_EQ(unchecked.out, run({"eval", good}).out);
}

TEST(Predict, DeterministicGivesTheSameBitsForTheSameLine) {
  const Treebank t;
  ASSERT_EQ(t.train("run", {"--epochs", "2", "--hidden", "37"}).status, 0);
  const std::string best = t.run_folder("run") + "/best.safetensors";
  std::string lines;
  std::mt19937 random(7);
  std::vector<std::string> all;
  for (int i = 0, polarity = 0; i < 40; ++i) {
    all.push_back(phrase(random, 1 + i % 12, &polarity));
    lines += all.back() + "\n";
  }
  const Ran first = run({"predict", best, "--deterministic"}, {.in = lines});
  ASSERT_EQ(first.status, 0) << first.err;
  for (const std::string batch : {"1", "7", "64"})
    for (const std::string threads : {"1", "2", "5"})
      EXPECT_EQ(run({"predict", best, "--deterministic", "--batch", batch, "--threads", threads}, {.in = lines}).out,
                first.out)
          << batch << " " << threads;
  // The answers do not change for lines in reverse order, or for one line alone.
  std::istringstream answers(first.out);
  std::string reversed, expected;
  for (std::string answer; std::getline(answers, answer);) expected = answer + "\n" + expected;
  for (const std::string& line : all) reversed = line + "\n" + reversed;
  EXPECT_EQ(run({"predict", best, "--deterministic"}, {.in = reversed}).out, expected);
  EXPECT_EQ(run({"predict", best, "--deterministic"}, {.in = all[0] + "\n"}).out,
            first.out.substr(0, first.out.find('\n') + 1));
}

TEST(Predict, ALineThatIsTooLongIsAnErrorAndTheOthersAreAnswered) {
  const Treebank t;
  ASSERT_EQ(t.train("run", {"--epochs", "1"}).status, 0);
  const std::string best = t.run_folder("run") + "/best.safetensors";
  const std::string longest((64 << 20) + 1, 'x');
  for (const std::string end : {"", "\n", "\r\n(0 awful)\n"}) {
    const Ran r = run({"predict", best}, {.in = "(4 superb)\n" + longest + "\n(2 plain)\n" + longest + "yyy" + end});
    EXPECT_EQ(r.status, 1);
    std::istringstream lines(r.out);
    std::vector<Json> found;
    for (std::string line; std::getline(lines, line);) found.push_back(Json::parse(line));
    ASSERT_EQ(found.size(), end.size() > 1 ? 5u : 4u);
    EXPECT_EQ(found[1], (Json{{"error", "the line has more than 64 MiB"}, {"line", 2}}));
    EXPECT_EQ(found[3], (Json{{"error", "the line has more than 64 MiB"}, {"line", 4}}));
    for (size_t i = 0; i < found.size(); i += 2) EXPECT_TRUE(found[i].contains("label")) << found[i];
  }
}

TEST(Predict, AClosedStdoutIsAnError) {
  const Treebank t;
  ASSERT_EQ(t.train("run", {"--epochs", "1"}).status, 0);
  const Ran r =
      run({"predict", t.run_folder("run") + "/best.safetensors"}, {.in = "(4 superb)\n", .close_stdout = true});
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err, "espalier: cannot write to stdout\n");
}

TEST(Train, KilledInItsFirstEpochItGoesOn) {
  const Treebank t;
  const std::vector<std::string> settings{"--epochs", "2", "--batch", "10"};
  ASSERT_EQ(t.train("through", settings).status, 0);
  const std::string killed = t.run_folder("killed");
  const Ran dead = t.train("killed", settings,
                           {.interrupt = true,
                            .signal = SIGKILL,
                            .when = killed + "/log.jsonl",
                            .text = R"("event":"train","epoch":0,"minibatch":3)"});
  EXPECT_EQ(dead.status, 128 + SIGKILL);
  ASSERT_EQ(t.resume("killed").status, 0);
  expect_same_parameters(t.run_folder("through") + "/last.safetensors", killed + "/last.safetensors");
  expect_same_parameters(t.run_folder("through") + "/best.safetensors", killed + "/best.safetensors");
}

TEST(Train, OtherDataAreNotGoneOnWith) {
  const Treebank t;
  ASSERT_EQ(t.train("run", {"--epochs", "1"}).status, 0);
  t.write("dev.txt", 3, 50);
  const Ran r = t.resume("run", {"--epochs", "2"});
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err,
            "espalier: the data differ from those of the run in " + t.run_folder("run") + ": 'examples' has changed\n");
}

TEST(Train, WithoutAnStderrItTrainsAllTheSame) {
  const Treebank t;
  const std::string program = "'" ESPALIER_PROGRAM "'";  // a path may contain spaces
  for (const std::string err : {"2>/dev/full", "2>&-"}) {
    const std::string folder = t.folder / ("run" + std::to_string(err.size()));
    const std::string command = program + " train sentiment --vectors none --dim 4 --hidden 4 --epochs 2 --data '" +
                                t.data + "' --out '" + folder + "' >/dev/null " + err;
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0) << err;
    EXPECT_EQ(events(folder, "epoch").size(), 2u) << "the log holds JSON alone";
    EXPECT_EQ(WEXITSTATUS(std::system((program + " nonsense " + err).c_str())), 2) << err;
  }
}

TEST(Train, TheAverageIsWhatIsJudgedInTheLastCheckpointToo) {
  const Treebank t;
  ASSERT_EQ(t.train("run", {"--epochs", "2", "--average", "0.95"}).status, 0);
  const Json last = events(t.run_folder("run"), "epoch").back().at("dev");
  EXPECT_EQ(Json::parse(run({"eval", t.run_folder("run") + "/last.safetensors"}).out).at("accuracy"),
            last.at("accuracy"));
}

TEST(Train, AFinishedTrainingCanBeMadeLonger) {
  const Treebank t;
  ASSERT_EQ(t.train("long", {"--epochs", "3"}).status, 0);
  ASSERT_EQ(t.train("short", {"--epochs", "2"}).status, 0);
  ASSERT_EQ(t.resume("short", {"--epochs", "3"}).status, 0);
  expect_same_parameters(t.run_folder("long") + "/last.safetensors", t.run_folder("short") + "/last.safetensors");
}

TEST(Train, StopsWhereNothingImproves) {
  const Treebank t;
  const Ran r = t.train("run", {"--epochs", "50", "--patience", "2", "--lr", "0"});  // lr 0: no improvement
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(events(t.run_folder("run"), "epoch").size(), 3u);
  EXPECT_EQ(events(t.run_folder("run"), "end")[0].at("reason"), "no improvement");
}

TEST(Train, SettingsComeFromAFileAndFlagsGoBefore) {
  const Treebank t;
  const std::string config = t.folder / "config.json";
  std::ofstream(config) << R"({"epochs": 1, "batch": 20, "schedule": "cosine"})";
  ASSERT_EQ(t.train("run", {"--config", config, "--batch", "30"}).status, 0);
  const Json settings = events(t.run_folder("run"), "start")[0].at("settings");
  EXPECT_EQ(settings.at("epochs"), 1);
  EXPECT_EQ(settings.at("batch"), 30);
  EXPECT_EQ(settings.at("schedule"), "cosine");

  const auto refused = [&](const std::string& text, const std::string& message) {
    std::ofstream(config) << text;
    const Ran r = t.train("other", {"--config", config, "--force"});
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(r.err, "espalier: " + config + ": " + message + "\n");
  };
  refused(R"({"epoch": 1})", "there is no setting 'epoch'; did you mean 'epochs'?");
  refused(R"({"epochs": "two"})", R"(epochs is "two"; must be an integer >= 1)");
  refused(R"({"epochs": 99999999999999999999})", R"(epochs is 1e+20; must be an integer from 1 to 2000000000)");
  refused(R"({"word-dropout": 1})", R"(word-dropout is 1; must be a number from 0 to 0.99)");
  refused(R"([1])", "settings are of type array; must be an object");
  refused(R"({"hidden": {"hidden": 3}})", "hidden is an object; must be an integer >= 1");
  refused(R"({"epochs": 1, "batch": 20, "epochs": 2})", "duplicate key 'epochs'");
  refused(std::string((1 << 20) + 1, ' '), "larger than 1048576 bytes; is it a settings file?");
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  refused(R"({"hidden": )" + deep + "}", "JSON has more than 100 levels");
}

TEST(Eval, AScoreThatIsNoNumberIsAnError) {
  const io::Folder folder;
  const auto write = [&](const std::string& part, const std::string& similarities) {
    const std::string path = folder / ("sick/" + part);
    std::filesystem::create_directories(path);
    for (const char c : similarities) {
      for (const std::string side : {"/a", "/b"}) {
        std::ofstream(path + side + ".toks", std::ios::app) << "dogs sleep\n";
        std::ofstream(path + side + ".parents", std::ios::app) << "2 0\n";
      }
      std::ofstream(path + "/sim.txt", std::ios::app) << c << "\n";
    }
  };
  write("train", "15");
  write("dev", "1345");
  const std::string out = folder / "run";
  run({"train", "relatedness", "--data", folder / "", "--vectors", "none", "--dim", "2", "--hidden", "2", "--epochs",
       "1", "--out", out, "--quiet"});
  const Ran r = run({"eval", out + "/last.safetensors"});  // all pairs are equal, so all predictions are equal
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err,
            "espalier: relatedness: the pearson of these examples is not a finite number: they have too few different "
            "labels, or the model's outputs are not finite\n");
}

TEST(Train, WhatCannotBeIsRefusedAndNothingIsLost) {
  const Treebank t;
  ASSERT_EQ(t.train("run", {"--epochs", "1"}).status, 0);
  const std::string run_folder = t.run_folder("run"), log = text_of(run_folder + "/log.jsonl");
  const auto refused = [&](const Ran& r, const std::string& message, int status = 1) {
    EXPECT_EQ(r.status, status) << r.out;
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(r.err, "espalier: " + message + "\n");
  };
  refused(t.train("run", {}), run_folder +
                                  " already holds a run; use --resume to continue it, --force to overwrite it, or "
                                  "--out for another folder");
  refused(t.resume("run", {"--hidden", "7"}),
          "--hidden 7 differs from 12, the value of the resumed run; only --epochs, --patience, --data, "
          "--ahead, --keep-recordings, --save-every and --keep-checkpoints may change");
  refused(t.resume("nothing"), t.run_folder("nothing") + " holds no run to resume: last.safetensors is missing");
  EXPECT_EQ(text_of(run_folder + "/log.jsonl"), log);

  // The existing run stays until the arguments of the new one are known to be valid.
  refused(t.train("run", {"--force", "--config", "/nowhere.json"}), "/nowhere.json: cannot be read");
  EXPECT_EQ(text_of(run_folder + "/log.jsonl"), log);
  EXPECT_EQ(run({"train", "--epochs", "3", "sentiment"}).err,
            "espalier train sentiment: --epochs must come after sentiment\n"
            "Run 'espalier train sentiment --help' for usage.\n");

  std::ofstream(t.data + "/sst/dev.txt") << "(3 good)\n(9 odd)\n";
  refused(t.train("bad", {}), t.data + "/sst/dev.txt:2:2: '9' is not a label; expected one of 0, 1, 2, 3, 4");
  std::filesystem::remove(t.data + "/sst/train.txt");
  refused(t.train("worse", {}),
          "there is no sst/train.txt in " + t.data + "; get it with: espalier data get sst --data " + t.data);

  const std::string no_task = t.folder / "no_task.safetensors";
  io::File{}.write(no_task);
  refused(run({"eval", no_task}), no_task + ": holds no task; must be a checkpoint written by espalier train");
  io::File other = io::File::read(run_folder + "/best.safetensors");
  other.meta["task"] = "sentimental";
  other.write(no_task);
  refused(run({"predict", no_task}), no_task + ": there is no task 'sentimental'; did you mean 'sentiment'?");
  other.meta["task"] = "sentiment";
  other.meta.erase("words");
  other.write(no_task);
  refused(run({"predict", no_task}), no_task + ": metadata of task 'sentiment' is missing");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::golden
