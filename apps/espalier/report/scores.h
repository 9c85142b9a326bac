// The scores of an epoch, and the metrics of all runs in display order.
#pragma once
#include <limits>
#include <string>
#include <vector>

namespace espalier::app::report {

// The value of a field that a log does not have.
inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

struct Run;

struct Score {
  std::string metric;   // "accuracy", or "accuracy by length in tokens"
  std::string variant;  // "21 to 100"; empty: the metric has no variants
  double value = 0;
};
using Scores = std::vector<Score>;  // in the order of the log

// NaN if missing.
double value_of(const Scores& scores, const std::string& metric, const std::string& variant = "");

// Converts scores of version 0.1, which logged the variants of listops and entailment as separate metrics ("21 to 100",
// "length 7"), to the form of version 0.2.
Scores with_variants(const std::string& task, const Scores& scores);

struct Metric {
  std::string name;                   // as in the log
  std::vector<std::string> variants;  // empty: none
  bool chooses = false;               // selects the best epoch in at least one run
};

// Metrics that select the best epoch come first. Names that differ only in numbers are grouped and ordered by these
// numbers; otherwise the order is that of the log.
std::vector<Metric> metrics(const std::vector<Run>& runs);

// The display name, without the word "dev": "accuracy by length", "Pearson correlation".
std::string readable_name(const std::string& metric);

// Whether every name contains a number, which makes their order meaningful: "up to 20", "21 to 100".
bool are_ordered(const std::vector<std::string>& names);

}  // namespace espalier::app::report
