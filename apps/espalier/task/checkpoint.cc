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
    throw DataError(fmt::format("{}: {}; the training run that wrote it diverged", path, found));
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
    say("note: {} has no checksums; corruption of its tensors cannot be detected", printable(path));
  const auto name = meta.find("task"), settings = meta.find("settings");
  if (name == meta.end() || settings == meta.end())
    throw DataError(fmt::format("{}: holds no task; must be a checkpoint written by espalier train", path));
  try {
    const TaskKind& kind = task_kind(name->second);
    Loaded loaded{&kind, kind.make(), Parameters()};
    set_settings(*loaded.task, parse_json(settings->second, "settings"));
    loaded.task->restore(meta);
    return loaded;
  } catch (const std::out_of_range&) {
    throw DataError(fmt::format("{}: metadata of task '{}' is missing", path, name->second));
  } catch (Error& e) {
    throw DataError(fmt::format("{}: {}", path, e.what()));
  }
}

Loaded load_task(const std::string& given) {
  std::error_code unreadable;
  const bool is_run = std::filesystem::is_directory(given, unreadable);
  const std::string path = is_run ? (std::filesystem::path(given) / "best.safetensors").string() : given;
  if (is_run && !std::filesystem::exists(path) && std::filesystem::exists(std::filesystem::path(given) / "fold-1"))
    throw DataError(
        fmt::format("{} holds the runs of a cross-validation; choose one, such as {}/fold-1", given, given));
  if (is_run && !std::filesystem::exists(path, unreadable)) {
    const std::string last = (std::filesystem::path(given) / "last.safetensors").string();
    if (std::filesystem::exists(last, unreadable))
      throw DataError(
          fmt::format("{} has no best checkpoint, because no epoch has ended; continue it with --resume, or "
                      "give its last checkpoint {}",
                      given, last));
  }
  Loaded loaded = open_task(path);
  loaded.task->build(loaded.params);
  io::load(path, {.params = &loaded.params});
  refuse_non_finite(loaded.params, path);
  // last.safetensors may hold moving averages in addition to the parameters; the averages are what was evaluated.
  optim::MovingAverage average(loaded.params);
  io::load(path, {.average = &average}, false);
  average.swap_in();
  refuse_non_finite(loaded.params, path);
  return loaded;
}

}  // namespace espalier::app
