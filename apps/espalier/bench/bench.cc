// espalier bench: how fast the models of the published benchmarks run, and where their time goes.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/names.h"
#include "bench/report.h"
#include "command.h"
#include "interrupt.h"
#include "nearest.h"

namespace espalier::app {
namespace {

using namespace bench;

// Lists give a row for every combination.
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
  bool json = false, each_alone = false, profile = false;
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
                           .profile = s.profile});
  return all;
}

int run(const Settings& s) {
  catch_interrupt();
  bool first = true;
  for (const TaskKind* kind : s.tasks) {
    for (const Setup& setup : setups(s)) {
      const std::unique_ptr<Task> task = kind->make(s.sizes);  // each row trains anew
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
                             (meant.empty() ? fmt::format("; there is {}", fmt::join(known, ", "))
                                            : fmt::format("; did you mean '{}'?", meant)));
}

enum class Takes { one, list };

// An option whose value is one of a few words, or a list of them with commas.
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
        throw CLI::ValidationError(fmt::format("{} is '{}'; whole numbers of 1 or more are needed, with commas between",
                                               option, words.back()));
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
      throw CLI::ValidationError(fmt::format("{} takes no --data; its examples are generated", kind->name));
}

}  // namespace

void add_bench(CLI::App& program, Command* chosen) {
  CLI::App* app = program.add_subcommand("bench", "Measure how fast models run, and where their time goes");
  std::string footer = "Tasks\n";
  for (const TaskKind& kind : published_kinds()) footer += fmt::format("  {:<12} {}\n", kind.name, kind.what);
  footer += "and those of espalier train under their names, in training, where they have another (espalier tasks)\n";
  app->footer(
      footer +
      "\n"
      "A row stands for each combination of the lists. Columns: steps of a minibatch and the fewest that any order\n"
      "has; host work in µs an example; shares of the wall time in %; roofline: the rate of the matrix products\n"
      "that the model's formulas need, over the best rate of a large product, measured in between.\n"
      "\n"
      "On a GPU, which works beside the host, record, schedule and plan are shares of the wall time, and gather to\n"
      "walk shares of the time in which the device was busy: in a short window of its own, in which every launch is\n"
      "timed. GPU µs: that time, an example; if host µs over threads is more, the GPU waits for the host. A walk is\n"
      "many narrow steps in one launch. MB: of rows, parameters, gradients and the optimiser's state, on the GPU.");
  const auto s = std::make_shared<Settings>();
  app->add_option("TASK", s->named, "What to run, one or several; see below")->type_name("")->required();
  add_words(*app, "--policy", policies, Takes::list, s->policies, "How calls are batched, a list with commas [auto]");
  add_words(*app, "--mode", modes, Takes::list, s->modes, "Training or only forward, a list with commas [train]");
  add_numbers(*app, "--batch", s->batches, "Examples in a minibatch [64]");
  add_numbers(*app, "--threads", s->threads, "Threads that record and run [1]");
  add_numbers(*app, "--ahead", s->ahead, "Threads that prepare whole minibatches ahead of the one that runs [0]");
  add_words(*app, "--device", devices, Takes::one, s->devices, "What computes [cpu]");
  add_words(*app, "--precision", precisions, Takes::one, s->precisions, "Of products [f32]");
  add_number(*app, "--dim", s->sizes.dim, 1, "D", "Numbers in an embedding, for fold-tree in a state [as published]");
  add_number(*app, "--hidden", s->sizes.hidden, 1, "H", "Numbers in a hidden state [as published]");
  add_number(*app, "--leaves", s->sizes.leaves, 1, "L", "Leaves of a fold-tree [128]");
  add_words(*app, "--shape", shapes, Takes::one, s->shapes, "Of a fold-tree [random]");
  add_number(*app, "--vocab", s->sizes.vocab, 3, "N", "Most frequent words that lm knows [10000]");
  app->add_option("--data", s->sizes.data, "A file of examples, as published [generated alike]")->type_name("PATH");
  add_number(*app, "--seconds", s->seconds, 0.0, "S", "Length of a window [2]");
  add_number(*app, "--reps", s->windows, 1, "R", "Windows, of which the median counts [3]");
  add_number(*app, "--seed", s->sizes.seed, uint64_t{0}, "N", "What examples and parameters follow from [1]");
  app->add_flag("--no-memoise", s->each_alone, "Compute equal leaves each time they occur");
  app->add_flag("--profile", s->profile, "What each cell took, below its row; with --json, to stderr");
  app->add_flag("--json", s->json, "An object on a line for each row, in place of the table");
  app->callback([=] {
    s->tasks = tasks_named(s->named);
    s->sizes.shape = s->shapes.back();
    check(*s);
    *chosen = [=] { return run(*s); };
  });
}

}  // namespace espalier::app
