// espalier predict: reads examples and writes an answer for each without delay.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "command.h"
#include "interrupt.h"
#include "predict/answer_writer.h"
#include "predict/record_source.h"
#include "printable.h"
#include "say.h"
#include "task/checkpoint.h"

namespace espalier::app {
namespace {

struct PredictOptions {
  std::string checkpoint, file, id;
  int batch = 64, threads = 0;
  bool deterministic = false, csv = false;
};

// One answer per record.
std::vector<Json> answers_to(const std::vector<Record>& records, TrainingTask& task, Engine& engine) {
  std::vector<std::string> texts;
  for (const Record& record : records)
    if (record.error.empty()) texts.push_back(record.text);
  std::vector<Json> of_texts;
  if (!texts.empty()) of_texts = task.predict(engine, texts);
  std::vector<Json> answers;
  for (size_t i = 0, text = 0; i < records.size(); ++i)
    answers.push_back(records[i].error.empty() ? std::move(of_texts.at(text++)) : Json{{"error", records[i].error}});
  return answers;
}

// A task parses each text separately and numbers its lines from 1. Converts them to lines of the input.
std::string in_input(const std::string& what, size_t first_line) {
  if (!what.starts_with("line:")) return what;
  size_t end = 5, line = 0;
  while (end < what.size() && end < 15 && '0' <= what[end] && what[end] <= '9')
    line = line * 10 + static_cast<size_t>(what[end++] - '0');
  if (line == 0 || end == what.size() || what[end] != ':') return what;
  std::string rest = what.substr(end);
  constexpr std::string_view own_line = "begins in line 1";  // the end of an error about an unfinished record
  if (rest.ends_with(own_line)) rest.replace(rest.size() - 1, 1, std::to_string(first_line));
  return fmt::format("line:{}{}", first_line + line - 1, rest);
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
  RecordSource source(LineSource(input, from_stdin ? "stdin" : o.file), loaded.task->predict_input(), o.id);
  AnswerWriter writer(o.csv);
  size_t number = 0, wrong = 0;
  while (!interrupt_asked()) {
    const std::vector<Record> records = source.next(batch);
    if (records.empty()) break;
    // More records than lines are possible, in a JSON array on one line.
    for (size_t begin = 0; begin < records.size(); begin += batch) {
      const std::vector<Record> part(
          records.begin() + static_cast<std::ptrdiff_t>(begin),
          records.begin() + static_cast<std::ptrdiff_t>(std::min(begin + batch, records.size())));
      std::vector<Json> answers = answers_to(part, *loaded.task, engine);
      for (size_t i = 0; i < answers.size(); ++i) {
        ++number;
        Json answer = Json::object();
        if (o.csv && !part[i].id.is_null()) answer["id"] = part[i].id;
        if (answers[i].contains("error")) {
          ++wrong;
          answer["error"] = printable(in_input(answers[i]["error"], part[i].line));
          answer["line"] = part[i].line;
        } else {
          answer.update(answers[i]);
        }
        if (!part[i].id.is_null()) answer["id"] = part[i].id;
        writer.write(answer);
      }
      if (std::fflush(stdout) != 0) return failed;  // run_program() prints the message
    }
  }
  writer.finish();
  if (wrong > 0) say("espalier predict: {} of {} examples were invalid", wrong, number);
  return interrupt_asked() ? interrupted : wrong > 0 ? failed : ok;
}

}  // namespace

void add_predict(CLI::App& program, Command* chosen) {
  CLI::App* app = program.add_subcommand("predict", "Predict with a checkpoint");
  app->footer(
      "Reads examples from FILE or stdin, and writes one JSON object per line to stdout without delay, in the same "
      "order.\n"
      "Formats: one example per line ('espalier tasks' describes the lines), and the formats that the task was "
      "trained\n"
      "on: CSV with a header, CoNLL, JSON records or a JSON array. An invalid example gives {\"error\": …, \"line\": "
      "N}\n"
      "and, at the end, exit status 1.");
  const auto o = std::make_shared<PredictOptions>();
  app->add_option("CHECKPOINT", o->checkpoint,
                  "A checkpoint of espalier train, or the folder of a run (uses its best checkpoint)")
      ->required();
  app->add_option("FILE", o->file, "Input file [stdin]");
  add_number(*app, "--batch", o->batch, 1, "N", "Maximum number of lines per minibatch [64]");
  add_number(*app, "--threads", o->threads, 1, "N", "Number of threads [as in training]");
  app->add_option("--id", o->id, "CSV column or JSON field that identifies an example [id, if there is one]")
      ->type_name("NAME");
  app->add_flag("--csv", o->csv, "Write CSV instead of JSON lines");
  app->add_flag("--deterministic", o->deterministic,
                "Bit-identical output for identical lines: one line at a time, in one thread");
  app->callback([=] { *chosen = [=] { return predict(*o); }; });
}

}  // namespace espalier::app
