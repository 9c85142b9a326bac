// The runs side by side: what they were, how they differ, what they reached.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "report/pictures.h"
#include "report/text.h"

namespace espalier::app::report {
namespace {

constexpr size_t longest_setting = 40;

// Names of settings, and whether all runs have the same value.
std::map<std::string, bool> settings_are_equal(const std::vector<Run>& runs) {
  std::map<std::string, bool> equal;
  for (const Run& run : runs)
    for (const auto& [name, value] : run.settings)
      equal[name] = std::ranges::all_of(runs, [&](const Run& other) {
        const auto found = other.settings.find(name);
        return found != other.settings.end() && found->second == value;
      });
  return equal;
}

std::string cell(const std::string& text, bool number = false) {
  return fmt::format("<td{}>{}</td>", number ? " class=\"number\"" : "", escaped(text));
}

std::string setting(const Run& run, const std::string& name) {
  const auto found = run.settings.find(name);
  return found == run.settings.end() ? "–" : shortened(found->second, longest_setting);
}

// Folded away: what all runs have in common, and which program made each.
std::string details(const std::vector<Run>& runs, const std::map<std::string, bool>& equal) {
  std::string html;
  for (const auto& [name, same] : equal)
    if (same) html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(runs.front().settings.at(name)));
  if (!html.empty())
    html = fmt::format("<details><summary>Settings{}</summary><dl>\n{}</dl></details>\n",
                       runs.size() == 1 ? "" : " that all runs share", html);
  html += "<details><summary>Programs and data</summary><dl>\n";
  for (const Run& run : runs)
    html += fmt::format("<dt>{}</dt><dd>espalier {}, {} threads; {} examples to train, {} dev</dd>\n",
                        escaped(run.name), escaped(run.espalier), run.threads, readable(run.train), readable(run.dev));
  return html + "</dl></details>\n";
}

}  // namespace

std::string table_of_runs(const std::vector<Run>& runs) {
  const auto equal = settings_are_equal(runs);
  std::set<std::string> metrics;
  for (const Run& run : runs)
    for (const auto& [name, score] : best_scores(run)) metrics.insert(name);
  const bool has_model = std::ranges::any_of(runs, [](const Run& run) { return !run.model.empty(); });
  std::string head = std::string("<th>run</th><th>task</th>") + (has_model ? "<th>model</th>" : "");
  for (const auto& [name, same] : equal)
    if (!same) head += fmt::format("<th>{}</th>", escaped(name));
  for (const std::string& name : metrics) head += fmt::format("<th class=\"number\">dev {}</th>", escaped(name));
  for (const char* name : {"best epoch", "epochs", "time", "examples/s", "parameters"})
    head += fmt::format("<th class=\"number\">{}</th>", name);
  std::string rows;
  for (size_t r = 0; r < runs.size(); ++r) {
    const Run& run = runs[r];
    rows += "<tr><td>" + run_label(r, run.name) + "</td>" + cell(run.task) + (has_model ? cell(run.model) : "");
    for (const auto& [name, same] : equal)
      if (!same) rows += cell(setting(run, name));
    const auto scores = best_scores(run);
    for (const std::string& name : metrics) {
      const auto found = scores.find(name);
      rows += cell(found == scores.end() ? "–" : readable(found->second), true);
    }
    const auto best = best_epoch(run);
    rows += cell(best ? readable(*best) : "–", true) + cell(readable(uint64_t{run.epochs.size()}), true) +
            cell(duration(seconds(run)), true) +
            cell(run.epochs.empty() ? "–" : readable(std::round(run.epochs.rbegin()->second.examples_per_s)), true) +
            cell(readable(run.parameters), true) + cell(run.end ? run.end->reason : "no end was logged") + "</tr>\n";
  }
  return fmt::format(
             "<div "
             "class=\"scroll\"><table>\n<thead><tr>{}<th>ended</th></tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
             head, rows) +
         details(runs, equal);
}

}  // namespace espalier::app::report
