// RunFolder: the output folder of a training run: checkpoints and a log of JSON lines (docs/log.md).
#pragma once
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "task/training_task.h"

namespace espalier::app {

class RunFolder {
 public:
  enum class Begin { anew, over, resume };

  // Creates the folder if needed and locks it against other training runs. Keeps the files of an existing run until
  // clear(). Error: another training is running there, the folder holds a run (anew), it holds no run to continue
  // (resume), or it cannot be written.
  RunFolder(std::string path, Begin begin);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();  // removes what the constructor created, if no event was logged

  void clear();  // deletes the files of the existing run

  std::string last() const { return path_ + "/last.safetensors"; }  // the complete state, for --resume
  std::string best() const { return path_ + "/best.safetensors"; }  // the parameters with the best dev score
  const std::string& path() const { return path_; }

  // Keeps a copy of the last checkpoint as step-N.safetensors, and deletes all but the latest `most` copies up to this
  // step.
  void keep_last(uint64_t step, int most);

  // Appends a line to the log and flushes it. Error: it cannot be written, or the folder has been moved or deleted.
  void log(const Json& event);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::vector<std::filesystem::path> created_{};  // folders, the innermost first
  std::unique_ptr<std::FILE, Close> log_;
};

}  // namespace espalier::app
