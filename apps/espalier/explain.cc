// espalier explain: prints how a minibatch of a task is batched.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "command.h"
#include "task/settings.h"

namespace espalier::app {
namespace {

struct ExplainOptions {
  std::unique_ptr<TrainingTask> task;
  Json given;
};

int explain(ExplainOptions& o) {
  set_settings(*o.task, o.given);
  o.task->read();
  Parameters params(o.task->training.seed);
  o.task->build(params);
  const std::vector<Minibatch> epoch = o.task->epoch(0);
  if (epoch.empty()) throw DataError("there are no examples to train on");
  Engine engine({.seed = o.task->training.seed});
  const auto batch = o.task->record(engine, epoch.front());
  fmt::print("{}\na minibatch of {}\n{}", params.summary(), epoch.front().ids.size(), engine.explain(batch));
  return ok;
}

}  // namespace

void add_explain(CLI::App& program, Command* chosen) {
  CLI::App* app = program.add_subcommand("explain", "Show how a minibatch of a task is batched");
  app->footer("Prints the model's parameters, and the steps, gathers and memory of the first minibatch.");
  app->require_subcommand(1);
  for (const TaskKind& kind : task_kinds()) {
    CLI::App* sub = app->add_subcommand(kind.name, kind.what);
    const auto o = std::make_shared<ExplainOptions>();
    o->task = kind.make();
    add_flags(*sub, *o->task, &o->given);
    sub->callback([=] { *chosen = [=] { return explain(*o); }; });
  }
}

}  // namespace espalier::app
