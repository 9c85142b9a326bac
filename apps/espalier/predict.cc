// espalier predict: reads lines and writes a JSON line for each without delay.
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
#include "printable.h"
#include "say.h"
#include "task/checkpoint.h"

namespace espalier::app {
namespace {

struct PredictOptions {
  std::string checkpoint, file;
  int batch = 64, threads = 0;
  bool deterministic = false;
};

struct Line {
  std::string text;
  bool too_long = false;  // `text` is empty
};

// Reads the lines of a file descriptor in chunks, as many as are available: a typed line is answered at once, a file is
// read in full chunks.
class Portions {
 public:
  Portions(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}

  // Returns up to `most` lines, about 64 MiB in total at most; blocks until the first line is available. Empty: end of
  // the input, or interrupted.
  std::vector<Line> next(size_t most) {
    std::vector<Line> lines;
    size_t bytes = 0;
    while (lines.size() < most && bytes <= longest) {
      if (const size_t end = buffer_.find('\n', looked_at_); end != std::string::npos) {
        lines.push_back(take(end));
        begin_ = looked_at_ = end + 1;
        bytes += lines.back().text.size();
        continue;
      }
      buffer_.erase(0, std::exchange(begin_, 0));
      if (too_long_ || buffer_.size() > longest + 1) {  // 1: a carriage return
        too_long_ = true;
        buffer_.clear();
      }
      looked_at_ = buffer_.size();
      if (ended_ && (looked_at_ > 0 || too_long_)) {
        lines.push_back(take(looked_at_));
        begin_ = looked_at_;
      }
      if (ended_ || (!lines.empty() && !is_ready()) || !fill()) break;
    }
    return lines;
  }

 private:
  static constexpr size_t longest = 64 << 20;  // bytes per line; a binary file may have no line breaks

  // The line that ends before `end`.
  Line take(size_t end) {
    size_t length = end - begin_;
    if (length > 0 && buffer_[end - 1] == '\r') --length;
    if (std::exchange(too_long_, false) || length > longest) return {.text = {}, .too_long = true};
    return {buffer_.substr(begin_, length)};
  }
  bool is_ready() const {
    pollfd p{descriptor_, POLLIN, 0};
    return poll(&p, 1, 0) > 0;
  }
  bool fill() {  // false: interrupted
    char part[1 << 16];
    // A signal interrupts poll; read might be restarted (SA_RESTART).
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
  size_t begin_ = 0, looked_at_ = 0;  // start of the next line; end of the bytes searched for a line break
  bool too_long_ = false;             // the beginning of the next line was discarded
  bool ended_ = false;
};

// One answer per line.
std::vector<Json> answers_to(const std::vector<Line>& lines, TrainingTask& task, Engine& engine) {
  std::vector<std::string> texts;
  for (const Line& line : lines)
    if (!line.too_long) texts.push_back(line.text);
  std::vector<Json> of_texts;
  if (!texts.empty()) of_texts = task.predict(engine, texts);
  std::vector<Json> answers;
  for (size_t i = 0, text = 0; i < lines.size(); ++i)
    answers.push_back(lines[i].too_long ? Json{{"error", "the line has more than 64 MiB"}}
                                        : std::move(of_texts.at(text++)));
  return answers;
}

// Copies the "id" of a JSON record, if any, to its answer.
void repeat_id(const std::string& line, Json& answer) {
  if (!line.starts_with('{')) return;
  const Json record = Json::parse(line, nullptr, false);  // is_discarded() if invalid
  if (const auto id = record.find("id"); record.is_object() && id != record.end()) answer["id"] = *id;
}

int predict(const PredictOptions& o) {
  catch_interrupt();
  Loaded loaded = load_task(o.checkpoint);
  const TrainSettings& s = loaded.task->training;
  // The order of floating-point sums depends on the batch and on the number of threads.
  const size_t batch = o.deterministic ? 1 : static_cast<size_t>(o.batch);
  const int threads = o.deterministic ? 1 : o.threads > 0 ? o.threads : s.threads;
  Engine engine({.threads = threads, .seed = s.seed});
  const bool from_stdin = o.file.empty() || o.file == "-";
  const int input = from_stdin ? STDIN_FILENO : open(o.file.c_str(), O_RDONLY | O_CLOEXEC);
  if (input < 0) throw DataError(fmt::format("{}: cannot be read: {}", o.file, std::strerror(errno)));
  Portions portions(input, from_stdin ? "stdin" : o.file);
  size_t number = 0, wrong = 0;
  while (!interrupt_asked()) {
    const std::vector<Line> lines = portions.next(batch);
    if (lines.empty()) break;
    std::vector<Json> answers = answers_to(lines, *loaded.task, engine);
    for (size_t i = 0; i < answers.size(); ++i) {
      Json& answer = answers[i];
      ++number;
      if (answer.contains("error")) {
        ++wrong;
        // A task parses each line separately and reports it as line 1.
        std::string what = answer["error"];
        if (what.starts_with("line:1:")) what = fmt::format("line:{}:{}", number, what.substr(7));
        answer = {{"error", printable(what)}, {"line", number}};
      }
      repeat_id(lines[i].text, answer);
      fmt::print("{}\n", answer.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    if (std::fflush(stdout) != 0) return failed;  // run_program() prints the message
  }
  if (wrong > 0) say("espalier predict: {} of {} lines were invalid", wrong, number);
  return interrupt_asked() ? interrupted : wrong > 0 ? failed : ok;
}

}  // namespace

void add_predict(CLI::App& program, Command* chosen) {
  CLI::App* app = program.add_subcommand("predict", "Predict with a checkpoint");
  app->footer(
      "Reads one example per line from FILE or stdin, and writes one JSON object per line to stdout without delay.\n"
      "An invalid line gives {\"error\": …, \"line\": N} and, at the end, exit status 1. 'espalier tasks' describes\n"
      "the lines.");
  const auto o = std::make_shared<PredictOptions>();
  app->add_option("CHECKPOINT", o->checkpoint,
                  "A checkpoint of espalier train, or the folder of a run (uses its best checkpoint)")
      ->required();
  app->add_option("FILE", o->file, "Input file [stdin]");
  add_number(*app, "--batch", o->batch, 1, "N", "Maximum number of lines per minibatch [64]");
  add_number(*app, "--threads", o->threads, 1, "N", "Number of threads [as in training]");
  app->add_flag("--deterministic", o->deterministic,
                "Bit-identical output for identical lines: one line at a time, in one thread");
  app->callback([=] { *chosen = [=] { return predict(*o); }; });
}

}  // namespace espalier::app
