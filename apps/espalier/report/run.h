// What a log.jsonl tells of a run (docs/log.md says what each field means), and reading it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/scores.h"

namespace espalier::app::report {

// A number that the log does not have, or has as null (a loss that is no number), is NaN.
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
  std::string name;  // for people, distinct within a report
  std::string task, model, espalier, metric;
  std::map<std::string, std::string> settings;  // nested ones are named outer.inner
  uint64_t threads = 0, parameters = 0, train = 0, dev = 0;
  bool higher_is_better = true;

  std::map<uint64_t, Epoch> epochs;                                  // by number, from 0
  std::map<std::pair<uint64_t, uint64_t>, double> minibatch_losses;  // by epoch and minibatch
  std::optional<Schedule> schedule;
  std::optional<End> end;
  std::optional<Confusion> confusion;
  std::optional<Scatter> scatter;
};

// The epoch whose parameters were kept: as the log says, or by the metric.
std::optional<uint64_t> best_epoch(const Run& run);
// Scores of that epoch.
Scores best_scores(const Run& run);
// Of all epochs together, or as the end of the log says.
double seconds(const Run& run);

// Reads a log, or the log.jsonl of a folder. A last line that was cut short is left out, and `notes` says so. DataError
// with file:line: a line that is no JSON object, or lacks what its event needs; a log that does not begin with "start".
Run read_run(const std::string& path, std::vector<std::string>& notes);

// Reads several, and names them after their folders, or in full where those are equal.
std::vector<Run> read_runs(const std::vector<std::string>& paths, std::vector<std::string>& notes);

}  // namespace espalier::app::report
