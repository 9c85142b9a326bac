// espalier predict: lines in, JSON lines out, as they come.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "command.h"
#include "interrupt.h"
#include "say.h"
#include "task/checkpoint.h"

namespace espalier::app {
namespace {

struct Options {
  std::string checkpoint, file;
  int batch = 64, threads = 0;
};

// Lines of a descriptor, as many as are there already: one who types is answered at once, a file comes in portions.
class Portions {
 public:
  Portions(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}

  // Up to `most` lines; waits for the first. None: the end, or an interrupt.
  std::vector<std::string> next(size_t most) {
    std::vector<std::string> lines;
    while (lines.size() < most) {
      if (const size_t end = buffer_.find('\n', begin_); end != std::string::npos) {
        lines.push_back(without_return(buffer_.substr(begin_, end - begin_)));
        begin_ = end + 1;
        continue;
      }
      buffer_.erase(0, std::exchange(begin_, 0));
      if (ended_ || (!lines.empty() && (!is_ready() || buffer_.size() > longest))) break;
      if (buffer_.size() > longest) throw DataError(name_ + ": a line of more than 64 MiB; is it text?");
      if (!fill()) break;
    }
    if (ended_ && lines.size() < most && begin_ < buffer_.size()) {
      lines.push_back(without_return(buffer_.substr(begin_)));
      buffer_.clear();
      begin_ = 0;
    }
    return lines;
  }

 private:
  static constexpr size_t longest = 64 << 20;  // of a line: a binary file has none

  static std::string without_return(std::string line) {
    if (line.ends_with('\r')) line.pop_back();
    return line;
  }
  bool is_ready() const {
    pollfd p{descriptor_, POLLIN, 0};
    return poll(&p, 1, 0) > 0;
  }
  bool fill() {  // false: interrupted
    char part[1 << 16];
    // poll is interrupted by a signal, read might be restarted.
    pollfd p{descriptor_, POLLIN, 0};
    if (poll(&p, 1, -1) < 0 && interrupt_asked()) return false;
    const ssize_t n = ::read(descriptor_, part, sizeof part);
    if (n < 0 && errno == EINTR) return !interrupt_asked();
    if (n < 0) throw DataError(fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
    ended_ = n == 0;
    buffer_.append(part, static_cast<size_t>(n));
    return true;
  }

  int descriptor_;
  std::string name_;
  std::string buffer_;
  size_t begin_ = 0;
  bool ended_ = false;
};

int predict(const Options& o) {
  catch_interrupt();
  Loaded loaded = load_task(o.checkpoint);
  const TrainSettings& s = loaded.task->training;
  Engine engine({.threads = o.threads > 0 ? o.threads : s.threads, .seed = s.seed});
  const bool from_stdin = o.file.empty() || o.file == "-";
  const int input = from_stdin ? STDIN_FILENO : open(o.file.c_str(), O_RDONLY | O_CLOEXEC);
  if (input < 0) throw DataError(fmt::format("{}: cannot be read: {}", o.file, std::strerror(errno)));
  Portions portions(input, from_stdin ? "stdin" : o.file);
  size_t number = 0, wrong = 0;
  while (!interrupt_asked()) {
    const std::vector<std::string> lines = portions.next(static_cast<size_t>(o.batch));
    if (lines.empty()) break;
    for (Json& answer : loaded.task->predict(engine, lines)) {
      ++number;
      if (answer.contains("error")) {
        ++wrong;
        // A task sees one line at a time, and calls each the first.
        std::string what = answer["error"];
        if (what.starts_with("line:1:")) what = fmt::format("line:{}:{}", number, what.substr(7));
        answer = {{"error", what}, {"line", number}};
      }
      fmt::print("{}\n", answer.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    if (std::fflush(stdout) != 0) return failed;  // said by main
  }
  if (wrong > 0) say("espalier predict: {} of {} lines were not sound", wrong, number);
  return interrupt_asked() ? interrupted : wrong > 0 ? failed : ok;
}

}  // namespace

void add_predict(CLI::App& program, Command* chosen) {
  CLI::App* app = program.add_subcommand("predict", "Answer lines by a checkpoint");
  app->footer(
      "Reads one example a line, from FILE or stdin, and writes one JSON object a line to stdout, as soon as it can. "
      "A\n"
      "line that is not sound gets {\"error\": …, \"line\": N}, and the exit status is 1 at the end. What a line "
      "holds:\n"
      "espalier tasks.");
  const auto o = std::make_shared<Options>();
  app->add_option("CHECKPOINT", o->checkpoint, "A best.safetensors or last.safetensors of espalier train")->required();
  app->add_option("FILE", o->file, "Lines [stdin]");
  add_number(*app, "--batch", o->batch, 1, "N", "Lines answered at once, at most [64]");
  add_number(*app, "--threads", o->threads, 1, "N", "Threads [as many as trained]");
  app->callback([=] { *chosen = [=] { return predict(*o); }; });
}

}  // namespace espalier::app
