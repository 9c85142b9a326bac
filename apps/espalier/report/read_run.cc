// Reads log.jsonl. Unknown events and fields are ignored, for compatibility with logs of later versions.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <espalier/base/error.h>
#include "report/run.h"

namespace espalier::app::report {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;  // scores keep the order of the log

// One line of a log: its fields, and errors that name the line.
class Line {
 public:
  Line(const std::string& file, size_t number, Json json) : file_(file), number_(number), json_(std::move(json)) {
    if (!json_.is_object()) fail("not a JSON object");
    event = text("event");
  }

  [[noreturn]] void fail(const std::string& what) const { fail(file_, number_, what); }
  [[noreturn]] static void fail(const std::string& file, size_t number, const std::string& what) {
    throw DataError(fmt::format("{}:{}: {}", file, number, what));
  }

  bool has(const char* name) const { return json_.contains(name); }
  const Json& at(const char* name) const {
    if (!has(name))
      fail(event.empty() ? fmt::format("field \"{}\" is missing", name)
                         : fmt::format("event \"{}\" has no field \"{}\"", event, name));
    return json_[name];
  }

  std::string text(const char* name) const {
    if (!at(name).is_string()) wrong(name, "a string");
    return at(name).get<std::string>();
  }
  std::string text_or_empty(const char* name) const { return has(name) ? text(name) : ""; }
  uint64_t count(const char* name) const { return count(at(name), name); }
  uint64_t count_or_0(const char* name) const { return has(name) ? count(name) : 0; }
  double number(const char* name) const { return number(at(name), name); }
  double number_or_missing(const char* name) const { return has(name) ? number(name) : missing; }
  bool flag(const char* name, bool otherwise) const {
    if (!has(name)) return otherwise;
    if (!at(name).is_boolean()) wrong(name, "true or false");
    return at(name).get<bool>();
  }
  // Numbers by name; an object of numbers is a metric with its variants.
  Scores scores(const char* name) const {
    Scores result;
    if (!has(name)) return result;
    if (!at(name).is_object()) wrong(name, "an object of numbers");
    for (const auto& [metric, value] : at(name).items())
      if (!value.is_object())
        result.push_back({metric, "", number(value, name)});
      else
        for (const auto& [variant, part] : value.items()) result.push_back({metric, variant, number(part, name)});
    return result;
  }
  const Json& list(const char* name) const {
    if (!at(name).is_array()) wrong(name, "a list");
    return at(name);
  }
  std::vector<double> numbers(const char* name) const {
    std::vector<double> result;
    for (const Json& value : list(name)) result.push_back(number(value, name));
    return result;
  }

  uint64_t count(const Json& value, const char* name) const {
    if (!value.is_number_unsigned()) wrong(name, "an integer >= 0");
    return value.get<uint64_t>();
  }
  double number(const Json& value, const char* name) const {
    if (value.is_null()) return missing;
    if (!value.is_number()) wrong(name, "a number");
    return value.get<double>();
  }
  [[noreturn]] void wrong(const char* name, const char* needed) const {
    fail(fmt::format("field \"{}\" of event \"{}\" must be {}", name, event, needed));
  }

  std::string event;

 private:
  const std::string& file_;
  size_t number_;
  Json json_;
};

std::map<std::string, std::string> settings(const Line& line) {
  std::map<std::string, std::string> result;
  if (!line.has("settings")) return result;
  if (!line.at("settings").is_object()) line.wrong("settings", "an object");
  const Json flat = line.at("settings").flatten();
  for (const auto& [pointer, value] : flat.items()) {
    if (pointer.empty()) continue;  // no settings
    std::string name = pointer.substr(1);
    for (char& c : name) c = c == '/' ? '.' : c;
    result[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return result;
}

Run start(const Line& line) {
  Run run;
  run.task = line.text("task");
  run.model = line.text_or_empty("model");
  run.espalier = line.text_or_empty("espalier");
  run.metric = line.text_or_empty("metric");
  run.settings = settings(line);
  run.threads = line.count_or_0("threads");
  run.parameters = line.count_or_0("parameters");
  run.train = line.count_or_0("train");
  run.dev = line.count_or_0("dev");
  run.higher_is_better = line.flag("higher_is_better", true);
  return run;
}

Schedule schedule(const Line& line) {
  Schedule result{.epoch = line.count_or_0("epoch"),
                  .examples = line.count("examples"),
                  .calls = line.count("calls"),
                  .lower_bound = line.count_or_0("lower_bound"),
                  .policy = line.text_or_empty("policy"),
                  .steps = {}};
  for (const Json& step : line.list("steps")) {
    if (!step.is_object() || !step.contains("cell") || !step["cell"].is_string() || !step.contains("calls"))
      line.wrong("steps", "a list of {\"cell\", \"calls\"}");
    result.steps.push_back({step["cell"].get<std::string>(), line.count(step["calls"], "calls")});
  }
  return result;
}

Confusion confusion(const Line& line) {
  Confusion result;
  for (const Json& label : line.list("labels")) {
    if (!label.is_string()) line.wrong("labels", "a list of strings");
    result.labels.push_back(label.get<std::string>());
  }
  const size_t n = result.labels.size();
  for (const Json& row : line.list("counts")) {
    if (!row.is_array() || row.size() != n) line.wrong("counts", "a square matrix with a row per label");
    for (result.counts.emplace_back(); const Json& value : row)
      result.counts.back().push_back(line.count(value, "counts"));
  }
  if (result.counts.size() != n) line.wrong("counts", "a square matrix with a row per label");
  return result;
}

Scatter scatter(const Line& line) {
  Scatter result{line.numbers("gold"), line.numbers("predicted"), line.text_or_empty("unit")};
  if (result.gold.size() != result.predicted.size()) line.wrong("predicted", "as long as gold");
  return result;
}

// Later events win: an epoch that is repeated after a resume replaces the earlier one.
void take(Run& run, const Line& line) {
  if (line.event == "start") run = start(line);
  if (line.event == "resume") {
    for (const char* name : {"epochs", "patience"})  // settings that a resumed training may change
      if (line.has(name)) run.settings[name] = std::to_string(line.count(name));
    run.end.reset();
    run.confusion.reset();
    run.scatter.reset();
  }
  if (line.event == "schedule") run.schedule = schedule(line);
  if (line.event == "train") run.minibatch_losses[{line.count("epoch"), line.count("minibatch")}] = line.number("loss");
  if (line.event == "epoch")
    run.epochs[line.count("epoch")] = {.loss = line.number("loss"),
                                       .seconds = line.number_or_missing("seconds"),
                                       .examples_per_s = line.number_or_missing("examples_per_s"),
                                       .dev = with_variants(run.task, line.scores("dev")),
                                       .best = line.flag("best", false)};
  if (line.event == "end") {
    run.end = {.reason = line.text_or_empty("reason"),
               .best_epoch = std::nullopt,
               .dev = with_variants(run.task, line.scores("dev")),
               .seconds = line.number_or_missing("seconds")};
    if (line.has("best_epoch") && !line.at("best_epoch").is_null()) run.end->best_epoch = line.count("best_epoch");
  }
  if (line.event == "confusion") run.confusion = confusion(line);
  if (line.event == "scatter") run.scatter = scatter(line);
}

}  // namespace

Run read_run(const std::string& path, std::vector<std::string>& notes) {
  std::error_code none;
  const std::string file = fs::is_directory(path, none) ? (fs::path(path) / "log.jsonl").string() : path;
  std::ifstream in(file, std::ios::binary);
  if (!in && fs::exists(fs::path(path) / "fold-1", none))
    throw DataError(fmt::format("{} holds the runs of a cross-validation; give them: {}/fold-*", path, path));
  if (!in || fs::is_directory(file, none))
    throw DataError(file + ": cannot be read; RUN must be a folder with a log.jsonl, or the path of a log");
  Run run;
  size_t number = 0;
  bool started = false;
  for (std::string text; std::getline(in, text);) {
    ++number;
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    bool deep = false;
    const auto check = [&](int depth, Json::parse_event_t, Json&) { return !(deep = deep || depth > 100); };
    Json json = Json::parse(text, check, /*allow_exceptions=*/false);
    if (deep) Line::fail(file, number, "JSON has more than 100 levels");
    if (json.is_discarded()) {
      if (!in.eof()) Line::fail(file, number, "not valid JSON");
      notes.push_back(fmt::format("{}:{}: ignored the incomplete last line", file, number));
      break;
    }
    const Line line(file, number, std::move(json));
    if (!started && line.event != "start")
      line.fail(fmt::format("event \"{}\" comes before \"start\", the first event of a log", line.event));
    started = true;
    take(run, line);
  }
  if (!started) throw DataError(file + ": has no event \"start\", the first event of a log");
  const fs::path folder = fs::absolute(file, none).lexically_normal().parent_path();
  run.name = fs::path(file).filename() == "log.jsonl" ? folder.filename().string() : fs::path(file).stem().string();
  return run;
}

std::vector<Run> read_runs(const std::vector<std::string>& paths, std::vector<std::string>& notes) {
  std::vector<Run> runs;
  std::map<std::string, int> named;
  for (const std::string& path : paths) ++named[runs.emplace_back(read_run(path, notes)).name];
  std::map<std::string, int> used;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (named[runs[i].name] > 1) runs[i].name = paths[i];
    if (const int times = ++used[runs[i].name]; times > 1) runs[i].name += fmt::format(" ({})", times);
  }
  return runs;
}

std::optional<uint64_t> best_epoch(const Run& run) {
  if (run.end && run.end->best_epoch) return run.end->best_epoch;
  std::optional<uint64_t> marked, found;
  double best = missing;
  for (const auto& [number, epoch] : run.epochs) {
    if (epoch.best) marked = number;
    const double score = value_of(epoch.dev, run.metric);
    if (std::isnan(score)) continue;
    if (std::isnan(best) || (run.higher_is_better ? score > best : score < best)) {
      best = score;
      found = number;
    }
  }
  return marked ? marked : found;
}

Scores best_scores(const Run& run) {
  if (run.end && !run.end->dev.empty()) return run.end->dev;
  const auto best = best_epoch(run);
  const auto found = best ? run.epochs.find(*best) : run.epochs.end();
  return found == run.epochs.end() ? Scores{} : found->second.dev;
}

double seconds(const Run& run) {
  if (run.end && !std::isnan(run.end->seconds)) return run.end->seconds;
  double total = 0;
  for (const auto& [number, epoch] : run.epochs) total += std::isnan(epoch.seconds) ? 0 : epoch.seconds;
  return total;
}

}  // namespace espalier::app::report
