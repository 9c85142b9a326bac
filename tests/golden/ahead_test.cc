// espalier train --ahead: other threads prepare minibatches. --keep-recordings: each example is recorded once. Results
// do not change.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <espalier/io/safetensors.h>

#include "golden/program.h"
#include "io/folder.h"

namespace espalier::golden {
namespace ESPALIER_FILE {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

// A data folder for three tasks, and a function that trains one of them.
struct Data {
  io::Folder folder;

  Data() {
    const Words words{"awful", "poor", "plain", "good", "superb"};
    for (const std::string part : {"train", "dev"}) {
      std::ofstream trees = file("sst/" + part + ".txt");
      for (size_t i = 0; i < 130; ++i) {
        std::string tree = "(2 plain)";
        for (size_t j = 0; j < i * i % 7; ++j) {
          const size_t word = (i + j * j) % 5;
          tree =
              "(" + std::to_string((i + j) % 5) + " " + tree + " (" + std::to_string(word) + " " + words[word] + "))";
        }
        trees << tree << "\n";
      }
    }
    std::ofstream text = file("text/train.txt");
    for (size_t i = 0; i < 130; ++i) {
      for (size_t j = 0; j < 1 + i * i % 7; ++j) text << words[(i + j) % 5] << " ";
      text << "\n";
    }
    for (const std::string name : {"train.conllu.gz", "dev.conllu"})
      file("ud_english_ewt/en_ewt-ud-" + name) << "1\tgo\t_\tVERB\tVB\t_\t0\troot\t_\t_\n\n";
  }

  std::ofstream file(const std::string& name) const {
    const std::filesystem::path path = folder / ("data/" + name);
    std::filesystem::create_directories(path.parent_path());
    return std::ofstream(path);
  }

  Ran train(const std::string& task, const std::string& run_name, const Words& more,
            const RunOptions& options = {}) const {
    Words arguments{"train", task, "--quiet", "--out", folder / run_name};
    const bool resumes = std::ranges::find(more, "--resume") != more.end();
    if (!resumes) arguments.insert(arguments.end(), {"--data", folder / "data", "--epochs", "3", "--batch", "8"});
    if (!resumes && task != "parser") arguments.insert(arguments.end(), {"--dim", "8", "--hidden", "12"});
    if (!resumes && task == "sentiment") arguments.insert(arguments.end(), {"--vectors", "none", "--average", "0.9"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments, options);
  }

  // All tensors of the checkpoints, and the log without times and settings.
  Json left_by(const std::string& run_name) const {
    Json all = Json::object();
    for (const std::string name : {"best", "last"}) {
      const io::File file = io::File::read(folder / (run_name + "/" + name + ".safetensors"));
      for (const auto& [key, tensor] : file.tensors) all[name][key] = tensor.to_vector();
    }
    std::ifstream log(folder / (run_name + "/log.jsonl"));
    for (std::string line; std::getline(log, line);) {
      Json event = Json::parse(line);
      for (const char* other : {"seconds", "examples_per_s", "settings"}) event.erase(other);
      all["log"].push_back(event);
    }
    return all;
  }
};

TEST(Ahead, TrainsToTheSameBits) {
  const Data data;
  for (const std::string task : {"sentiment", "lm"})
    for (const std::string threads : {"1", "2"}) {
      const Ran plain = data.train(task, task + threads, {"--threads", threads});
      ASSERT_EQ(plain.status, 0) << plain.err;
      const Json expected = data.left_by(task + threads);
      EXPECT_GT(expected.at("log").size(), 45u);  // includes the loss of each minibatch, in order
      for (const std::string ahead : {"1", "3"}) {
        const std::string name = task + threads + ahead;
        const Ran r = data.train(task, name, {"--threads", threads, "--ahead", ahead});
        ASSERT_EQ(r.status, 0) << r.err;
        EXPECT_EQ(data.left_by(name), expected) << name;
      }
    }
}

TEST(KeepRecordings, TrainsToTheSameBits) {
  const Data data;
  const Ran plain = data.train("sentiment", "plain", {});
  ASSERT_EQ(plain.status, 0) << plain.err;
  for (const std::string ahead : {"0", "2"}) {
    const Ran r = data.train("sentiment", "kept" + ahead, {"--keep-recordings", "--ahead", ahead});
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(data.left_by("kept" + ahead), data.left_by("plain"));
  }
}

TEST(KeepRecordings, WhatDiffersBetweenEpochsIsRefused) {
  const Data data;
  Ran r = data.train("parser", "parser", {"--oracle", "dynamic", "--keep-recordings"});
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err, "espalier: parser waits for values while recording, so --keep-recordings cannot be used\n");
  r = data.train("parser", "parser", {"--oracle", "static", "--keep-recordings"});
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err,
            "espalier: parser cannot use --keep-recordings; recorded: the example draws random(), so its structure "
            "differs between epochs and cannot be kept; give the function to record() itself (example 0)\n");
}

TEST(Ahead, InterruptedItGoesOnToTheSameBits) {
  const Data data;
  ASSERT_EQ(data.train("sentiment", "through", {}).status, 0);
  const std::string stopped = data.folder / "stopped";
  const Ran interrupted = data.train(
      "sentiment", "stopped", {"--ahead", "3"},
      {.interrupt = true, .when = stopped + "/log.jsonl", .text = R"("event":"train","epoch":1,"minibatch":5)"});
  EXPECT_EQ(interrupted.status, 130);
  // A resumed run may use another value of --ahead.
  const Ran resumed = data.train("sentiment", "stopped", {"--resume", "--ahead", "1"});
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  const Json expected = data.left_by("through"), got = data.left_by("stopped");
  EXPECT_EQ(got.at("last"), expected.at("last"));
  EXPECT_EQ(got.at("best"), expected.at("best"));
}

TEST(Ahead, ErrorsAreTheSame) {
  const Data data;
  const Words wild{"--optimizer", "sgd", "--lr", "1e30", "--clip", "0"};
  Ran expected;
  for (const std::string ahead : {"0", "3"}) {
    Words settings = wild;
    settings.insert(settings.end(), {"--ahead", ahead, "--force"});
    const Ran r = data.train("lm", "wild", settings);
    EXPECT_EQ(r.status, 1);
    EXPECT_NE(r.err.find("(epoch 0, minibatch "), std::string::npos) << r.err;
    if (ahead == "0")
      expected = r;
    else
      EXPECT_EQ(r.err, expected.err);
  }
}

TEST(Ahead, WhatWaitsForValuesIsRefused) {
  const Data data;
  const Ran r = data.train("parser", "parser", {"--oracle", "dynamic", "--ahead", "1"});
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err, "espalier: parser waits for values while recording, so --ahead cannot be used\n");
  EXPECT_EQ(data.train("parser", "static", {"--oracle", "static", "--ahead", "1"}).status, 0);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::golden
