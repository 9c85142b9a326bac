// espalier report: creates an HTML page from the logs of runs.
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <espalier/base/error.h>

#include "command.h"
#include "io/writer.h"
#include "report/page.h"
#include "say.h"

namespace espalier::app {
namespace {

namespace fs = std::filesystem;

struct Settings {
  std::vector<std::string> runs;
  std::string output = "report.html";
};

int draw(const Settings& settings) {
  std::vector<std::string> notes;
  const std::vector<report::Run> runs = report::read_runs(settings.runs, notes);
  for (const std::string& note : notes) say("espalier: {}", note);
  for (const std::string& run : settings.runs)
    for (const fs::path& log : {fs::path(run), fs::path(run) / "log.jsonl"})
      if (std::error_code none; fs::equivalent(log, settings.output, none))
        throw Error(fmt::format("{} is the log of a run; choose another output file", settings.output));
  io::write_text(settings.output, report::page(runs));
  fmt::print("{}\n", settings.output);
  return ok;
}

}  // namespace

void add_report(CLI::App& program, Command* chosen) {
  CLI::App* app = program.add_subcommand("report", "Create an HTML report from the logs of runs");
  app->footer(
      "Writes one self-contained HTML file: a table of results and differing settings, learning curves, confusion\n"
      "matrices or scatter plots, a histogram of calls per step, and the schedule of a minibatch. It needs only the\n"
      "logs, whose format is in docs/log.md. Prints the path of the page to stdout.");
  const auto s = std::make_shared<Settings>();
  app->add_option("RUN", s->runs, "Folders of runs, or paths of log.jsonl files")->required()->type_name("");
  app->add_option("-o,--output", s->output, "Output file [report.html]")->type_name("FILE");
  app->callback([=] { *chosen = [=] { return draw(*s); }; });
}

}  // namespace espalier::app
