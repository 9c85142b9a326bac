#include "train/run_folder.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace espalier::app {
namespace fs = std::filesystem;
namespace {

// A line that a kill cut short would run into the next one.
void cut_unfinished_line(std::FILE* log) {
  long end = 0, at = 0;
  std::rewind(log);
  for (int c = std::fgetc(log); c != EOF; c = std::fgetc(log)) {
    ++at;
    if (c == '\n') end = at;
  }
  if (end < at && ftruncate(fileno(log), end) != 0) throw Error("log.jsonl cannot be cut to its last whole line");
}

}  // namespace

RunFolder::RunFolder(std::string path, Begin begin) : path_(std::move(path)) {
  const std::string log = path_ + "/log.jsonl";
  std::error_code error;
  if (begin == Begin::resume && !fs::exists(last(), error))
    throw Error(fmt::format("{} holds no training to go on with: there is no last.safetensors", path_));
  fs::create_directories(path_, error);
  if (error) throw Error(fmt::format("{} cannot be made: {}", path_, error.message()));
  log_.reset(std::fopen(log.c_str(), "a+"));
  if (!log_) throw Error(fmt::format("{} cannot be written: {}", log, std::strerror(errno)));
  if (flock(fileno(log_.get()), LOCK_EX | LOCK_NB) != 0)
    throw Error(fmt::format("another training is running in {}; --out names another folder", path_));
  const bool used = fs::exists(last(), error) || fs::file_size(log) > 0;
  if (begin == Begin::anew && used)
    throw Error(fmt::format(
        "{} holds a training; --resume goes on with it, --force begins anew there, --out names another folder", path_));
  if (begin == Begin::resume) cut_unfinished_line(log_.get());
}

void RunFolder::clear() {
  // A killed process may have left a checkpoint half written, under a name of its own.
  for (const fs::directory_entry& file : fs::directory_iterator(path_))
    if (file.path().filename().string().find(".safetensors") != std::string::npos) fs::remove(file.path());
  if (ftruncate(fileno(log_.get()), 0) != 0)
    throw Error(fmt::format("{}/log.jsonl cannot be written: {}", path_, std::strerror(errno)));
}

void RunFolder::log(const Json& event) {
  // What is not UTF-8 is replaced: a label may hold any bytes, and a log must stay readable.
  const std::string line = event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), log_.get()) != line.size() || std::fflush(log_.get()) != 0)
    throw Error(fmt::format("{}/log.jsonl cannot be written: {}", path_, std::strerror(errno)));
}

}  // namespace espalier::app
