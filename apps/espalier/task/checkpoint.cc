#include "task/checkpoint.h"

#include <filesystem>

#include <fmt/format.h>
#include <espalier/optim/moving_average.h>

#include "printable.h"
#include "say.h"
#include "task/non_finite.h"
#include "task/parse_json.h"
#include "task/settings.h"

namespace espalier::app {
namespace {

void refuse_non_finite(Parameters& params, const std::string& path) {
  if (const std::string found = non_finite(params); !found.empty())
    throw DataError(fmt::format("{}: {}; the training that wrote it has diverged", path, found));
}

}  // namespace

io::Meta checkpoint_meta(const TaskKind& kind, TrainingTask& task) {
  io::Meta meta;
  task.save(meta);
  meta["task"] = kind.name;
  meta["settings"] = settings_of(task).dump();
  return meta;
}

Loaded open_task(const std::string& path) {
  const io::Meta meta = io::load(path, {}, false);
  if (!io::has_checksums(path))
    say("note: {} has no checksums; damage to its numbers would not be noticed", printable(path));
  const auto name = meta.find("task"), settings = meta.find("settings");
  if (name == meta.end() || settings == meta.end())
    throw DataError(fmt::format("{}: it holds no task; a checkpoint that espalier train wrote is needed", path));
  try {
    const TaskKind& kind = task_kind(name->second);
    Loaded loaded{&kind, kind.make(), Parameters()};
    set_settings(*loaded.task, parse_json(settings->second, "settings"));
    loaded.task->restore(meta);
    return loaded;
  } catch (const std::out_of_range&) {
    throw DataError(fmt::format("{}: something of the task '{}' is missing", path, name->second));
  } catch (Error& e) {
    throw DataError(fmt::format("{}: {}", path, e.what()));
  }
}

Loaded load_task(const std::string& given) {
  std::error_code unreadable;
  const bool is_run = std::filesystem::is_directory(given, unreadable);
  const std::string path = is_run ? (std::filesystem::path(given) / "best.safetensors").string() : given;
  Loaded loaded = open_task(path);
  loaded.task->build(loaded.params);
  io::load(path, {.params = &loaded.params});
  refuse_non_finite(loaded.params, path);
  // A last.safetensors may hold averages beside the parameters: they are what was judged.
  optim::MovingAverage average(loaded.params);
  io::load(path, {.average = &average}, false);
  average.swap_in();
  refuse_non_finite(loaded.params, path);
  return loaded;
}

}  // namespace espalier::app
