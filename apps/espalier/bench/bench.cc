// espalier bench: measures the speed of the models of published benchmarks, and where the time goes.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <espalier/data/binary_tree.h>
#include "bench/names.h"
#include "bench/report.h"
#include "command.h"
#include "interrupt.h"
#include "nearest.h"

namespace espalier::app {
namespace {

using namespace bench;

// The command line. Every combination of the values in the lists is one row of the output.
struct Settings {
  std::vector<std::string> named;
  std::vector<const TaskKind*> tasks;
  std::vector<Policy> policies{Policy::automatic};
  std::vector<Mode> modes{Mode::train};
  std::vector<int> batches{64}, threads{1}, ahead{0};
  std::vector<Device::Kind> devices{Device::Kind::cpu};
  std::vector<Precision> precisions{Precision::f32};
  std::vector<data::binary_tree::Form> shapes{data::binary_tree::Form::random};
  Sizes sizes;
  double seconds = 2;
  int windows = 3;
  bool json = false, each_alone = false, profile = false, keep_recordings = false;
};

std::vector<Setup> setups(const Settings& s) {
  std::vector<Setup> all;
  for (const Mode mode : s.modes)
    for (const Policy policy : s.policies)
      for (const int threads : s.threads)
        for (const int ahead : s.ahead)
          for (const int batch : s.batches)
            all.push_back({.mode = mode,
                           .engine = {.device = {s.devices.back(), 0},
                                      .policy = policy,
                                      .precision = s.precisions.back(),
                                      .threads = threads,
                                      .seed = s.sizes.seed,
                                      .memoise = !s.each_alone},
                           .batch = static_cast<size_t>(batch),
                           .ahead = ahead,
                           .seconds = s.seconds,
                           .windows = s.windows,
                           .profile = s.profile,
                           .keep_recordings = s.keep_recordings});
  return all;
}

int run(const Settings& s) {
  catch_interrupt();
  bool first = true;
  for (const TaskKind* kind : s.tasks) {
    for (const Setup& setup : setups(s)) {
      const std::unique_ptr<Task> task = kind->make(s.sizes);  // a new model per row
      const Row row{std::string(kind->name), setup, measure(*task, setup)};
      if (std::exchange(first, false) && !s.json) fmt::print("{}", table_head(s.devices.back()));
      fmt::print("{}", s.json ? json(row) : table_line(row));
      fmt::print(s.json ? stderr : stdout, "{}", row.result.profile);
      std::fflush(stdout);  // the next row takes seconds
      if (interrupt_asked()) return interrupted;
    }
  }
  return ok;
}

// ---- the command line

std::vector<std::string> parts_of(const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (const std::string& word : words)
    for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
      end = word.find(',', begin);
      parts.push_back(word.substr(begin, end == std::string::npos ? end : end - begin));
    }
  return parts;
}

[[noreturn]] void refuse(const std::string& what, const std::string& given, const std::vector<std::string>& known) {
  const std::string meant = nearest(given, known);
  throw CLI::ValidationError(fmt::format("there is no {} '{}'", what, given) +
                             (meant.empty() ? fmt::format("; must be one of {}", fmt::join(known, ", "))
                                            : fmt::format("; did you mean '{}'?", meant)));
}

enum class Takes { one, list };

// An option whose value is one of several names, or a comma-separated list of them.
template <class T, size_t n>
void add_words(CLI::App& app, const std::string& option, const Names<T, n>& names, Takes takes, std::vector<T>& values,
               const std::string& what) {
  std::vector<std::string> known;
  for (const auto& [name, value] : names) known.emplace_back(name);
  const auto read = [=, &names, &values](const CLI::results_t& words) {
    const std::vector<std::string> parts = takes == Takes::list ? parts_of({words.back()}) : std::vector{words.back()};
    values.clear();
    for (const std::string& part : parts) {
      const auto found = std::find_if(names.begin(), names.end(), [&](const auto& p) { return p.first == part; });
      if (found == names.end()) refuse(option.substr(2), part, known);
      values.push_back(found->second);
    }
    return true;
  };
  app.add_option(option, read, what)->type_name(fmt::format("{}", fmt::join(known, "|")));
}

void add_numbers(CLI::App& app, const std::string& option, std::vector<int>& values, const std::string& what) {
  const auto read = [=, &values](const CLI::results_t& words) {
    values.clear();
    for (const std::string& part : parts_of({words.back()})) {
      int found = 0;
      const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), found);
      if (error != std::errc{} || end != part.data() + part.size() || found < 1)
        throw CLI::ValidationError(
            fmt::format("{} is '{}'; must be comma-separated integers >= 1", option, words.back()));
      values.push_back(found);
    }
    return true;
  };
  app.add_option(option, read, what)->type_name("N,...");
}

std::vector<const TaskKind*> tasks_named(const std::vector<std::string>& words) {
  std::vector<const TaskKind*> tasks;
  std::vector<std::string> known;
  for (const TaskKind& kind : task_kinds()) known.emplace_back(kind.name);
  for (const std::string& word : parts_of(words)) {
    const auto it = std::find(known.begin(), known.end(), word);
    if (it == known.end()) refuse("task", word, known);
    tasks.push_back(&task_kinds()[static_cast<size_t>(it - known.begin())]);
  }
  return tasks;
}

void check(const Settings& s) {
  for (const TaskKind* kind : s.tasks)
    if (!s.sizes.data.empty() && !kind->reads_data)
      throw CLI::ValidationError(fmt::format("{} does not take --data; its examples are generated", kind->name));
}

}  // namespace

void add_bench(CLI::App& program, Command* chosen) {
  CLI::App* app = program.add_subcommand("bench", "Measure the speed of models, and where the time goes");
  std::string footer = "Tasks\n";
  for (const TaskKind& kind : published_kinds()) footer += fmt::format("  {:<12} {}\n", kind.name, kind.what);
  footer += "and every task of espalier train with another name (see 'espalier tasks'), in training only\n";
  app->footer(
      footer +
      "\n"
      "Prints one row per combination of the lists. Columns: steps per minibatch and their lower bound; host time per\n"
      "example; shares of the wall time in %; roofline: the rate of the model's matrix products, relative to the best\n"
      "rate of a large product, which is measured between the windows; peak memory; loss.\n"
      "\n"
      "A GPU runs asynchronously: there, record, schedule and plan are shares of the wall time, and the others are\n"
      "shares of the device time, measured in a separate short window in which every launch is timed. walk: the\n"
      "persistent kernels, which run many narrow steps in one launch. GPU µs: device time per example; if host µs\n"
      "divided by the number of threads is larger, the GPU waits for the host. MB: rows, parameters, gradients and\n"
      "optimiser state on the GPU.");
  const auto s = std::make_shared<Settings>();
  app->add_option("TASK", s->named, "One or more tasks; see below")->type_name("")->required();
  add_words(*app, "--policy", policies, Takes::list, s->policies, "Batching policy, or a comma-separated list [auto]");
  add_words(*app, "--mode", modes, Takes::list, s->modes, "Training or inference, or a comma-separated list [train]");
  add_numbers(*app, "--batch", s->batches, "Examples per minibatch [64]");
  add_numbers(*app, "--threads", s->threads, "Number of threads [1]");
  add_numbers(*app, "--ahead", s->ahead, "Threads that prepare minibatches ahead of the running one [0]");
  add_words(*app, "--device", devices, Takes::one, s->devices, "Device [cpu]");
  add_words(*app, "--precision", precisions, Takes::one, s->precisions, "Precision of matrix products [f32]");
  add_number(*app, "--dim", s->sizes.dim, 1, "D", "Embedding size; for fold-tree, size of the state [as published]");
  add_number(*app, "--hidden", s->sizes.hidden, 1, "H", "Hidden units [as published]");
  add_number(*app, "--leaves", s->sizes.leaves, 1, "L", "Leaves per tree of fold-tree [128]");
  add_words(*app, "--shape", shapes, Takes::one, s->shapes, "Shape of the trees of fold-tree [random]");
  add_number(*app, "--vocab", s->sizes.vocab, 3, "N", "Vocabulary size of lm: the most frequent words [10000]");
  app->add_option("--data", s->sizes.data, "File of examples [generated]")->type_name("PATH");
  add_number(*app, "--seconds", s->seconds, 0.0, "S", "Duration of a measurement window in seconds [2]");
  add_number(*app, "--reps", s->windows, 1, "R", "Number of windows; the median is reported [3]");
  add_number(*app, "--seed", s->sizes.seed, uint64_t{0}, "N", "Random seed of examples and parameters [1]");
  app->add_flag("--no-memoise", s->each_alone, "Do not memoise equal calls, such as lookups of the same row");
  app->add_flag("--keep-recordings", s->keep_recordings,
                "Record each example once, before the measurement, and replay the recordings");
  app->add_flag("--profile", s->profile, "Print the time of each cell below the row; with --json, to stderr");
  app->add_flag("--json", s->json, "Print one JSON object per line instead of the table");
  app->callback([=] {
    s->tasks = tasks_named(s->named);
    s->sizes.shape = s->shapes.back();
    check(*s);
    *chosen = [=] { return run(*s); };
  });
}

}  // namespace espalier::app
