// Command line, data and JSON output of the programs that are compared with Espalier, equal to those of
// `espalier bench`.
#pragma once
#include <espalier/data/sentiment.h>

#include <functional>
#include <string>
#include <vector>

namespace peers {

struct Options {
  Options(int argc, char** argv);  // exits with a message on an unknown flag
  std::string data;                // path of a file; empty: synthetic data
  size_t batch = 64;
  bool train = true;
  double seconds = 2;
  int reps = 3;
};

struct Treebank {
  std::vector<espalier::data::sentiment::Tree> trees;  // at least one minibatch
  size_t words = 0;                                    // distinct words
};
Treebank treebank(const Options& options);

// Warms up, then calls `minibatch(first tree)`, which returns its summed loss, for `reps` windows of `seconds` each,
// and prints the result.
void report(const Options& options, const Treebank& bank, const std::function<double(size_t)>& minibatch);

}  // namespace peers
