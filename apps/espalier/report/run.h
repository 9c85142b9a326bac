// Run: the contents of a log.jsonl, and functions to read it. docs/log.md describes the fields.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/scores.h"

namespace espalier::app::report {

// A number that is missing in the log, or null (a non-finite loss), is NaN.
struct Epoch {
  double loss = 0, seconds = 0, examples_per_s = 0;
  Scores dev;
  bool best = false;
};

struct Step {
  std::string cell;
  uint64_t calls = 0;
};

struct Schedule {
  uint64_t epoch = 0, examples = 0, calls = 0, lower_bound = 0;
  std::string policy;
  std::vector<Step> steps;
};

struct End {
  std::string reason;
  std::optional<uint64_t> best_epoch;
  Scores dev;
  double seconds = 0;
};

struct Confusion {
  std::vector<std::string> labels;
  std::vector<std::vector<uint64_t>> counts;  // [gold][predicted]
};

struct Scatter {
  std::vector<double> gold, predicted;
  std::string unit;
};

struct Run {
  std::string name;  // display name, unique within a report
  std::string task, model, espalier, metric;
  std::map<std::string, std::string> settings;  // nested settings are named outer.inner
  uint64_t threads = 0, parameters = 0, train = 0, dev = 0;
  bool higher_is_better = true;

  std::map<uint64_t, Epoch> epochs;                                  // by number, from 0
  std::map<std::pair<uint64_t, uint64_t>, double> minibatch_losses;  // by epoch and minibatch
  std::optional<Schedule> schedule;
  std::optional<End> end;
  std::optional<Confusion> confusion;
  std::optional<Scatter> scatter;
};

// The epoch of the best checkpoint: from the log, or else by the metric.
std::optional<uint64_t> best_epoch(const Run& run);
// Scores of that epoch.
Scores best_scores(const Run& run);
// Total training time: from the end event, or else the sum over epochs.
double seconds(const Run& run);

// Reads a log, or the log.jsonl of a folder. Ignores an incomplete last line, with a message in `notes`. DataError with
// file:line: a line is not a JSON object or lacks a required field, or the log does not begin with "start".
Run read_run(const std::string& path, std::vector<std::string>& notes);

// Reads several logs. Runs are named after their folders, or by full path if folder names are equal.
std::vector<Run> read_runs(const std::vector<std::string>& paths, std::vector<std::string>& notes);

}  // namespace espalier::app::report
