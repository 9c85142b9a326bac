// The scores of an epoch, and the metrics of all runs in the order in which a page shows them.
#pragma once
#include <limits>
#include <string>
#include <vector>

namespace espalier::app::report {

// The value of what a log does not hold.
inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

struct Run;

struct Score {
  std::string metric;   // "accuracy", or "accuracy by length in tokens"
  std::string variant;  // "21 to 100"; empty: the metric has no variants
  double value = 0;
};
using Scores = std::vector<Score>;  // in the order of the log

// NaN where it is missing.
double value_of(const Scores& scores, const std::string& metric, const std::string& variant = "");

// Version 0.1 logged the variants of listops and entailment as metrics of their own ("21 to 100", "length 7"). Returns
// the scores as version 0.2 logs them.
Scores with_variants(const std::string& task, const Scores& scores);

struct Metric {
  std::string name;                   // as in the log
  std::vector<std::string> variants;  // empty: none
  bool chooses = false;               // decides in one of the runs which epoch is kept
};

// Metrics that choose come first. Names that differ only in numbers stand together, ordered by these numbers; otherwise
// the order is that of the log.
std::vector<Metric> metrics(const std::vector<Run>& runs);

// "accuracy by length", "Pearson correlation": the name for people, without the word "dev".
std::string readable_name(const std::string& metric);

// Each name holds a number, so that their order means something: "up to 20", "21 to 100".
bool are_ordered(const std::vector<std::string>& names);

}  // namespace espalier::app::report
