#include "train/run_folder.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace espalier::app {
namespace fs = std::filesystem;
namespace {

// Removes a partial last line, left by a killed process; the next line would be appended to it.
void cut_unfinished_line(std::FILE* log) {
  long end = 0, at = 0;
  std::fseek(log, 0, SEEK_SET);
  for (int c = std::fgetc(log); c != EOF; c = std::fgetc(log)) {
    ++at;
    if (c == '\n') end = at;
  }
  if (end < at && ftruncate(fileno(log), end) != 0)
    throw Error("log.jsonl cannot be truncated to its last complete line");
}

}  // namespace

RunFolder::RunFolder(std::string path, Begin begin) : path_(std::move(path)) {
  const std::string log = path_ + "/log.jsonl";
  std::error_code error;
  if (begin == Begin::resume && !fs::exists(last(), error) && fs::exists(fs::path(path_) / "fold-1", error))
    throw Error(fmt::format(
        "{} holds the runs of a cross-validation; continue it with the --folds of its training and --resume", path_));
  if (begin == Begin::resume && !fs::exists(last(), error))
    throw Error(fmt::format("{} holds no run to resume: last.safetensors is missing", path_));
  for (fs::path missing = path_; !missing.empty() && !fs::exists(missing, error); missing = missing.parent_path())
    created_.push_back(missing);
  fs::create_directories(path_, error);
  if (error) throw Error(fmt::format("{} cannot be created: {}", path_, error.message()));
  log_.reset(std::fopen(log.c_str(), "a+"));
  if (!log_) throw Error(fmt::format("{} cannot be written: {}", log, std::strerror(errno)));
  if (flock(fileno(log_.get()), LOCK_EX | LOCK_NB) != 0)
    throw Error(fmt::format("another training is running in {}; choose another folder with --out", path_));
  const bool used = fs::exists(last(), error) || fs::file_size(log) > 0;
  if (begin == Begin::anew && used)
    throw Error(fmt::format(
        "{} already holds a run; use --resume to continue it, --force to overwrite it, or --out for another folder",
        path_));
  if (begin == Begin::resume) cut_unfinished_line(log_.get());
}

// Without an event there was no run. A folder that has other files stays.
RunFolder::~RunFolder() {
  std::error_code error;
  const fs::path log = fs::path(path_) / "log.jsonl";
  if (fs::exists(last(), error) || fs::file_size(log, error) > 0 || error) return;
  fs::remove(log, error);
  for (const fs::path& folder : created_) fs::remove(folder, error);
}

void RunFolder::clear() {
  // Includes temporary files of checkpoints that a killed process has not finished.
  for (const fs::directory_entry& file : fs::directory_iterator(path_))
    if (file.path().filename().string().find(".safetensors") != std::string::npos) fs::remove(file.path());
  if (ftruncate(fileno(log_.get()), 0) != 0)
    throw Error(fmt::format("{}/log.jsonl cannot be written: {}", path_, std::strerror(errno)));
}

void RunFolder::keep_last(uint64_t step, int most) {
  const std::string begin = "step-", end = ".safetensors";
  const fs::path kept = fs::path(path_) / fmt::format("{}{:09}{}", begin, step, end);
  std::error_code error;
  fs::remove(kept, error);
  fs::create_hard_link(last(), kept, error);  // uses no disk space until the last checkpoint is replaced
  if (error) fs::copy_file(last(), kept, fs::copy_options::overwrite_existing, error);
  if (error) throw Error(fmt::format("{} cannot be written: {}", kept.string(), error.message()));
  std::map<uint64_t, fs::path> all;
  for (const fs::directory_entry& file : fs::directory_iterator(path_)) {
    const std::string name = file.path().filename().string();
    if (!name.starts_with(begin) || !name.ends_with(end)) continue;
    const char *digits = name.data() + begin.size(), *digits_end = name.data() + name.size() - end.size();
    uint64_t number = 0;
    if (const auto [stop, wrong] = std::from_chars(digits, digits_end, number);
        wrong == std::errc{} && stop == digits_end)
      if (number <= step) all.emplace(number, file.path());
  }
  while (all.size() > static_cast<size_t>(most)) {
    fs::remove(all.begin()->second, error);
    all.erase(all.begin());
  }
}

void RunFolder::log(const Json& event) {
  struct stat open{}, there{};
  if (fstat(fileno(log_.get()), &open) != 0 || stat((path_ + "/log.jsonl").c_str(), &there) != 0 ||
      open.st_ino != there.st_ino || open.st_dev != there.st_dev)
    throw Error(fmt::format("{}/log.jsonl has been moved or deleted during training", path_));
  // Invalid UTF-8 is replaced: a label may hold any bytes, and the log must stay valid JSON.
  const std::string line = event.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), log_.get()) != line.size() || std::fflush(log_.get()) != 0)
    throw Error(fmt::format("{}/log.jsonl cannot be written: {}", path_, std::strerror(errno)));
}

}  // namespace espalier::app
