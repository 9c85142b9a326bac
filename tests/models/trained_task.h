// Trains a task like `espalier train`, and loads the result like `espalier predict`.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "task/checkpoint.h"
#include "task/settings.h"
#include "train/trainer.h"

namespace espalier::test {

class TrainedTask {
 public:
  TrainedTask(const std::string& name, const app::Json& settings)
      : kind_(app::task_kind(name)),
        removed_{folder_of_its_own(name)},
        folder_(removed_.path, app::RunFolder::Begin::over) {
    const auto task = kind_.make();
    app::set_settings(*task, settings);
    task->read();
    app::Trainer trainer(kind_, *task, folder_, true);
    trainer.begin();
    trainer.run();
    scores = trainer.standing().best_scores;
    loaded_ = std::make_unique<app::Loaded>(app::load_task(folder_.best()));
  }
  TrainedTask(const TrainedTask&) = delete;
  TrainedTask& operator=(const TrainedTask&) = delete;

  app::Json scores;  // metrics of the best epoch, on dev

  std::vector<app::Json> predict(const std::vector<std::string>& lines) {
    return loaded_->task->predict(engine_, lines);
  }
  // Metrics of the loaded model on the dev examples; equal to `scores` if everything relevant was saved.
  app::Json scores_again() {
    loaded_->task->read_dev();
    return app::scores_json(loaded_->task->evaluate(engine_));
  }
  // Metrics of the loaded model on a part of its data.
  app::Json scores_on(app::Part part) {
    loaded_->task->read_part(part);
    return app::scores_json(loaded_->task->evaluate(engine_));
  }
  size_t examples() const { return loaded_->task->dev_size(); }  // evaluated last

  // The value of a parameter of the loaded model.
  std::vector<float> values(const std::string& parameter) const {
    return loaded_->params[parameter].value().to_vector();
  }

 private:
  static std::string folder_of_its_own(const std::string& name) {  // tests run in parallel
    static int made = 0;
    return "trained_" + name + "_" + std::to_string(getpid()) + "_" + std::to_string(made++);
  }

  struct Removed {  // also if the constructor throws
    std::string path;
    ~Removed() { std::filesystem::remove_all(path); }
  };

  const app::TaskKind& kind_;
  Removed removed_;
  app::RunFolder folder_;
  std::unique_ptr<app::Loaded> loaded_;
  Engine engine_{{.threads = 2}};
};

}  // namespace espalier::test
