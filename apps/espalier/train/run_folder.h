// RunFolder: where a training leaves what it makes: checkpoints and a log of JSON lines (docs/log.md).
#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "task/training_task.h"

namespace espalier::app {

class RunFolder {
 public:
  enum class Begin { anew, over, resume };

  // Nothing is lost here: a run that is there stays until clear().
  // Makes the folder where there is none, and keeps other trainings out of it. Error: one is running there, there is a
  // run already (anew), there is none to go on with (resume), it cannot be written.
  RunFolder(std::string path, Begin begin);

  void clear();  // of the run that is there

  std::string last() const { return path_ + "/last.safetensors"; }  // all that goes on needs
  std::string best() const { return path_ + "/best.safetensors"; }  // the parameters that were best on dev
  const std::string& path() const { return path_; }

  // Keeps the last checkpoint under a name of its own, step-N.safetensors, and of those up to this step the latest
  // `most`.
  void keep_last(uint64_t step, int most);

  // Adds a line to the log; it is in the file when this returns. Error: it cannot be written, or the folder is gone.
  void log(const Json& event);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> log_;
};

}  // namespace espalier::app
