// espalier report: draws a page from the logs of runs.
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
        throw Error(fmt::format("{} is the log of a run; the page needs another name", settings.output));
  io::write_text(settings.output, report::page(runs));
  fmt::print("{}\n", settings.output);
  return ok;
}

}  // namespace

void add_report(CLI::App& program, Command* chosen) {
  CLI::App* app = program.add_subcommand("report", "Draw a page from the logs of runs");
  app->footer(
      "Learning curves of all runs, a table of how they differ, confusion matrices or scatter plots, how many calls a\n"
      "step holds and the schedule of a minibatch, in one HTML file that needs no network. It is drawn from the logs\n"
      "alone; docs/log.md says what they hold. The path of the page goes to stdout.");
  const auto s = std::make_shared<Settings>();
  app->add_option("RUN", s->runs, "Folders that hold log.jsonl, or such files")->required()->type_name("");
  app->add_option("-o,--output", s->output, "Where the page goes [report.html]")->type_name("FILE");
  app->callback([=] { *chosen = [=] { return draw(*s); }; });
}

}  // namespace espalier::app
