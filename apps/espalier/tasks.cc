// espalier tasks: lists the tasks with their data, metrics and published results.
#include <memory>

#include <fmt/format.h>

#include "command.h"
#include "task/settings.h"

namespace espalier::app {
namespace {

int list(bool json) {
  for (const TaskKind& kind : task_kinds()) {
    if (json) {
      fmt::print("{}\n", Json{{"name", kind.name},
                              {"what", kind.what},
                              {"paper", kind.paper},
                              {"data", kind.data},
                              {"line", kind.line},
                              {"metric", kind.metric},
                              {"higher_is_better", kind.higher_is_better},
                              {"published", kind.published},
                              {"preset_of", kind.preset_of},
                              {"settings", settings_of(*kind.make())}}
                             .dump());
      continue;
    }
    fmt::print("{}\n  {}\n  model      {}\n  data       {}\n  line       {}\n  metric     {}\n", kind.name, kind.what,
               kind.paper, kind.data, kind.line, kind.metric);
    if (!kind.published.empty()) fmt::print("  published  {}\n", kind.published);
    if (!kind.preset_of.empty()) fmt::print("  preset of  {}\n", kind.preset_of);
  }
  return ok;
}

}  // namespace

void add_tasks(CLI::App& program, Command* chosen) {
  CLI::App* app = program.add_subcommand("tasks", "List the tasks");
  const auto json = std::make_shared<bool>(false);
  app->add_flag("--json", *json, "Print one JSON object per task, with all settings");
  app->callback([=] { *chosen = [=] { return list(*json); }; });
}

}  // namespace espalier::app
