#include "report.h"
#include <espalier/data/sentiment.h>
#include <espalier/data/vocabulary.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace peers {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

}  // namespace

Options::Options(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--json") continue;  // the only output format
    const char* value = i + 1 < argc ? argv[++i] : "";
    if (flag == "--data")
      data = value;
    else if (flag == "--batch")
      batch = static_cast<size_t>(std::max(1, std::atoi(value)));
    else if (flag == "--mode")
      train = std::string(value) != "infer";
    else if (flag == "--seconds")
      seconds = std::atof(value);
    else if (flag == "--reps")
      reps = std::max(1, std::atoi(value));
    else
      fail("flags: --data PATH, --batch B, --mode train|infer, --seconds S, --reps R");
  }
}

Treebank treebank(const Options& options) {
  namespace sentiment = espalier::data::sentiment;
  Treebank bank;
  if (options.data.empty()) {
    bank = {sentiment::generate(8544, 1), sentiment::generated_words};
  } else {
    std::ifstream file(options.data);
    if (!file) fail(options.data + ": cannot be read");
    espalier::data::Vocabulary words;
    bank.trees = sentiment::read(file, words, options.data);
    bank.words = static_cast<size_t>(words.size());
  }
  if (options.batch > bank.trees.size())
    fail("--batch is larger than the data: " + std::to_string(bank.trees.size()) + " trees");
  return bank;
}

void report(const Options& options, const Treebank& bank, const std::function<double(size_t)>& minibatch) {
  size_t at = 0, trees = 0, words = 0;
  double loss = 0;
  const auto next = [&] {
    if (at + options.batch > bank.trees.size()) at = 0;
    loss += minibatch(at);
    for (size_t i = at; i < at + options.batch; ++i) words += bank.trees[i].leaves();
    at += options.batch;
    trees += options.batch;
  };
  for (const double start = now(); now() - start < std::min(1.0, options.seconds);) next();
  std::vector<double> rates, word_rates;
  for (int rep = 0; rep < options.reps; ++rep) {
    trees = words = 0;
    loss = 0;
    const double start = now();
    do next();
    while (now() - start < options.seconds);
    const double took = now() - start;
    rates.push_back(static_cast<double>(trees) / took);
    word_rates.push_back(static_cast<double>(words) / took);
  }
  const double rate = median(rates);
  std::vector<double> deviations;
  for (double r : rates) deviations.push_back(std::abs(r - rate));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "{\"task\": \"tree-lstm\", \"mode\": \"%s\", \"policy\": \"by-hand\", \"batch\": %zu, \"device\": \"cpu\", "
      "\"threads\": 1, \"precision\": \"f32\", \"examples_per_s\": %.6g, \"tokens_per_s\": %.6g, "
      "\"examples_per_s_mad\": %.4g, \"peak_bytes\": %ld, \"loss\": %.6g}\n",
      options.train ? "train" : "infer", options.batch, rate, median(word_rates), median(deviations),
      usage.ru_maxrss * 1024, loss / static_cast<double>(trees));
}

}  // namespace peers
