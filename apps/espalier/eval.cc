// espalier eval: evaluates a checkpoint on a part of the data of its training run, or on a file.
#include <cmath>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "command.h"
#include "task/checkpoint.h"

namespace espalier::app {
namespace {

struct EvalOptions {
  std::string checkpoint, file, data, part;
  int threads = 0;
};

int evaluate(const EvalOptions& o) {
  Loaded loaded = load_task(o.checkpoint);
  if (!o.data.empty()) loaded.task->data = o.data;
  if (!o.file.empty())
    loaded.task->read_dev(o.file == "-" ? "/dev/stdin" : o.file);
  else
    loaded.task->read_part(o.part == "train" ? Part::train : o.part == "test" ? Part::test : Part::dev);
  if (loaded.task->dev_size() == 0) throw DataError("there are no examples to evaluate on");
  const TrainSettings& s = loaded.task->training;
  Engine engine({.threads = o.threads > 0 ? o.threads : s.threads, .seed = s.seed});
  const Evaluation e = loaded.task->evaluate(engine);
  if (!std::isfinite(e.scores.front().second))
    throw DataError(
        fmt::format("{}: the {} of these examples is not a finite number: they have too few different labels, or "
                    "the model's outputs are not finite",
                    loaded.kind->name, metric_of(*loaded.kind, *loaded.task).name));
  Json result{{"task", loaded.kind->name}, {"examples", loaded.task->dev_size()}};
  if (!o.part.empty()) result["part"] = o.part;
  result.update(scores_json(e));
  fmt::print("{}\n", result.dump());
  return ok;
}

}  // namespace

void add_eval(CLI::App& program, Command* chosen) {
  CLI::App* app = program.add_subcommand("eval", "Evaluate a checkpoint");
  app->footer(
      "The checkpoint holds the task, its settings, its vocabulary and its labels. The scores are one JSON object on\n"
      "stdout.");
  const auto o = std::make_shared<EvalOptions>();
  app->add_option("CHECKPOINT", o->checkpoint,
                  "A checkpoint of espalier train, or the folder of a run (uses its best checkpoint)")
      ->required();
  CLI::Option* file = app->add_option(
      "FILE", o->file, "Examples in the format of the task's files; -: stdin [dev set of the training run]");
  app->add_option("--part", o->part, "Part of the run's data: train, dev or test [dev]")
      ->check(CLI::IsMember({"train", "dev", "test"}))
      ->type_name("PART")
      ->excludes(file);
  app->add_option("--data", o->data, "Folder with the data sets [as in training]")->type_name("DIR");
  add_number(*app, "--threads", o->threads, 1, "N", "Number of threads [as in training]");
  app->callback([=] { *chosen = [=] { return evaluate(*o); }; });
}

}  // namespace espalier::app
