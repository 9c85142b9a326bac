// The command line, the data and the line of JSON that a program compared with this project shares with `espalier
// bench`.
#pragma once
#include <espalier/data/sentiment.h>

#include <functional>
#include <string>
#include <vector>

namespace peers {

struct Options {
  Options(int argc, char** argv);  // exits with a message on a flag it does not know
  std::string data;                // a file; empty: generated
  size_t batch = 64;
  bool train = true;
  double seconds = 2;
  int reps = 3;
};

struct Treebank {
  std::vector<espalier::data::sentiment::Tree> trees;  // at least a minibatch
  size_t words = 0;                                    // distinct
};
Treebank treebank(const Options& options);

// Runs `minibatch(first tree)`, which gives its summed loss, in `reps` windows of `seconds` after a warm-up, and prints
// the result.
void report(const Options& options, const Treebank& bank, const std::function<double(size_t)>& minibatch);

}  // namespace peers
