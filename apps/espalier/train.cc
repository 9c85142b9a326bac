// espalier train: trains a task until the last epoch, until the dev score stops improving, or until Ctrl-C.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "command.h"
#include "interrupt.h"
#include "printable.h"
#include "say.h"
#include "shell_word.h"
#include "task/checkpoint.h"
#include "task/parse_json.h"
#include "task/settings.h"
#include "train/trainer.h"

namespace espalier::app {
namespace {

struct TrainOptions {
  const TaskKind* kind = nullptr;
  std::unique_ptr<TrainingTask> task;
  Json given;  // settings given as flags
  std::string out, config;
  bool resume = false, force = false, quiet = false;
};

void apply_config(TrainingTask& task, const std::string& path) {
  constexpr size_t most = 1 << 20;  // bytes
  std::ifstream file(path, std::ios::binary);
  std::string text(most + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) throw DataError(fmt::format("{}: cannot be read", path));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > most) throw DataError(fmt::format("{}: larger than {} bytes; is it a settings file?", path, most));
  const Json values = parse_json(text, path);
  try {
    set_settings(task, values);
  } catch (const Error& e) {
    throw DataError(fmt::format("{}: {}", path, e.what()));
  }
}

// A resumed run keeps its settings: a flag may repeat the old value, and may change a setting in `free`. `before`: the
// settings of the run so far.
void check_resumed(const TaskKind& kind, const Json& given, const Json& before) {
  static const std::set<std::string> free{"epochs",     "patience",        "data", "ahead", "keep-recordings",
                                          "save-every", "keep-checkpoints"};
  const std::unique_ptr<TrainingTask> task = kind.make();
  set_settings(*task, before);
  set_settings(*task, given);
  const Json after = settings_of(*task);
  for (const auto& [name, value] : given.items())
    if (!free.contains(name) && after.at(name) != before.at(name))
      throw Error(
          fmt::format("--{} {} differs from {}, the value of the resumed run; only --epochs, --patience, --data, "
                      "--ahead, --keep-recordings, --save-every and --keep-checkpoints may change",
                      name, after.at(name).dump(), before.at(name).dump()));
}

Json result_of(const TaskKind& kind, const RunFolder& folder, Trainer::End end, const Standing& s) {
  Json result{{"task", kind.name}, {"run", folder.path()}, {"end", name(end)}, {"seconds", s.seconds}};
  if (s.best_epoch) {
    result["best_epoch"] = *s.best_epoch;
    result["dev"] = s.best_scores;
    result["checkpoint"] = folder.best();
  }
  return result;
}

struct Trained {
  Trainer::End end;
  Json result;
};

// Trains in the folder `out`. `given`: settings given as flags.
Trained train_in(const TrainOptions& o, TrainingTask& task, const Json& given, const std::string& out, bool resume) {
  // A fold of a resumed cross-validation that has no checkpoint yet begins again.
  const bool over = o.force || (o.resume && !resume);
  RunFolder folder(out, resume ? RunFolder::Begin::resume : over ? RunFolder::Begin::over : RunFolder::Begin::anew);
  if (resume) {
    Loaded saved = open_task(folder.last());
    if (saved.kind != o.kind)
      throw Error(fmt::format("{} holds a run of task {}, not of {}", out, saved.kind->name, o.kind->name));
    const Json settings = settings_of(*saved.task);
    check_resumed(*o.kind, given, settings);
    set_settings(task, settings);
  } else if (!o.config.empty()) {
    apply_config(task, o.config);
  }
  set_settings(task, given);
  task.read();
  if (!o.quiet)
    for (const std::string& line : task.summary()) say("{}", printable(line));
  Trainer trainer(*o.kind, task, folder, o.quiet);
  if (resume)
    trainer.resume();
  else
    trainer.begin();
  const Trainer::End end = trainer.run();
  return {end, result_of(*o.kind, folder, end, trainer.standing())};
}

// The mean and the sample standard deviation of each score over the folds: {"rmse": {"mean": …, "sd": …}}.
Json over_folds(const std::vector<Json>& results) {
  std::map<std::string, std::vector<double>> values;
  for (const Json& result : results) {
    const Json dev = result.value("dev", Json::object());
    for (const auto& [name, score] : dev.items())
      if (score.is_number()) values[name].push_back(score);
  }
  Json all = Json::object();
  for (const auto& [name, scores] : values) {
    const auto n = static_cast<double>(scores.size());
    const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / n;
    double squares = 0;
    for (const double x : scores) squares += (x - mean) * (x - mean);
    all[name] = {{"mean", mean}, {"sd", n > 1 ? std::sqrt(squares / (n - 1)) : 0.0}};
  }
  return all;
}

// Every fold in a run of its own, in OUT/fold-1, OUT/fold-2, … With --resume, finished folds are not trained again.
Trained cross_validate(const TrainOptions& o, const std::string& out, int folds) {
  std::vector<Json> results;
  double seconds = 0;
  for (int fold = 1; fold <= folds; ++fold) {
    const std::string folder = fmt::format("{}/fold-{}", out, fold);
    const bool begun = std::filesystem::exists(folder + "/last.safetensors");
    if (!o.quiet) say("fold {} of {}: {}", fold, folds, folder);
    Json given = o.given;
    given["fold"] = fold;
    const std::unique_ptr<TrainingTask> task = o.kind->make();
    const Trained trained = train_in(o, *task, given, folder, o.resume && begun);
    if (trained.end == Trainer::End::interrupted) {
      Json result = trained.result;
      result["run"] = out;
      result["fold"] = fold;
      return {trained.end, result};
    }
    results.push_back(trained.result);
    seconds += trained.result["seconds"].get<double>();
  }
  Json all{{"task", o.kind->name}, {"run", out}, {"end", name(Trainer::End::finished)}, {"seconds", seconds}};
  all["folds"] = folds;
  all["dev"] = over_folds(results);
  return {Trainer::End::finished, all};
}

int train(TrainOptions& o) {
  catch_interrupt();
  const std::string out = o.out.empty() ? "runs/" + o.kind->name : o.out;
  if (!o.config.empty()) apply_config(*o.task, o.config);
  set_settings(*o.task, o.given);
  const Folds folds = o.task->folds;
  const bool every_fold = folds.count > 1 && folds.chosen == 0;
  const Trained trained =
      every_fold ? cross_validate(o, out, folds.count) : train_in(o, *o.kind->make(), o.given, out, o.resume);
  fmt::print("{}\n", trained.result.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (trained.end != Trainer::End::interrupted) return ok;
  if (every_fold)
    say("interrupted; continue with the same command and --resume");
  else
    say("interrupted; continue with: espalier train {} --out {} --resume", o.kind->name, shell_word(out));
  return interrupted;
}

}  // namespace

void add_train(CLI::App& program, Command* chosen) {
  CLI::App* app = program.add_subcommand("train", "Train a model on a task");
  app->footer(
      "'espalier tasks' lists the tasks; 'espalier train TASK --help' lists the settings of a task.\n"
      "A run writes to its folder: best.safetensors (the checkpoint with the best dev score, for eval and predict),\n"
      "last.safetensors (for --resume, which continues bit-identically) and log.jsonl (for report).\n"
      "Ctrl-C, SIGTERM and SIGHUP save a checkpoint and exit.");
  app->require_subcommand(1);
  for (const TaskKind& kind : task_kinds()) {
    CLI::App* sub = app->add_subcommand(kind.name, kind.what);
    sub->footer(fmt::format("Model: {}\nData: {}{}{}", kind.paper, kind.data,
                            kind.published.empty() ? "" : "\nPublished: " + kind.published,
                            kind.preset_of.empty() ? "" : "\nA preset of: espalier train " + kind.preset_of));
    const auto o = std::make_shared<TrainOptions>();
    o->kind = &kind;
    o->task = kind.make();
    add_flags(*sub, *o->task, &o->given);
    sub->add_option("--out", o->out, fmt::format("Folder of the run [runs/{}]", kind.name))->type_name("DIR");
    CLI::Option* config = sub->add_option("--config", o->config, "Settings as a JSON object; flags override them");
    CLI::Option* force = sub->add_flag("--force", o->force, "Start a new run, overwriting a run in the folder");
    sub->add_flag("--resume", o->resume, "Continue the run in the folder")->excludes(config)->excludes(force);
    config->type_name("FILE");
    sub->add_flag("--quiet", o->quiet, "No progress on stderr");
    sub->callback([=] { *chosen = [=] { return train(*o); }; });
  }
}

}  // namespace espalier::app
