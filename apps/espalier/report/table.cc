// The table of runs: results and differing settings. Below it, collapsed: equal settings and details.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include "report/pictures.h"
#include "report/settings.h"
#include "report/text.h"

namespace espalier::app::report {
namespace {

constexpr size_t longest_setting = 40;

struct Column {
  std::string title;
  bool is_number;
  std::function<std::string(const Run&)> text;
};

bool any_run(const Run&) { return true; }

std::string table(const std::vector<Run>& runs, const std::vector<Column>& columns,
                  const std::function<bool(const Run&)>& is_shown = any_run) {
  std::string head = "<th>run</th>", rows;
  for (const Column& c : columns)
    head += fmt::format("<th{}>{}</th>", c.is_number ? " class=\"number\"" : "", escaped(c.title));
  for (size_t r = 0; r < runs.size(); ++r) {
    if (!is_shown(runs[r])) continue;
    rows += "<tr><td>" + legend_entry(run_mark(r), runs[r].name) + "</td>";
    for (const Column& c : columns)
      rows += fmt::format("<td{}>{}</td>", c.is_number ? " class=\"number\"" : "", escaped(c.text(runs[r])));
    rows += "</tr>\n";
  }
  return fmt::format("<div class=\"scroll\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
                     head, rows);
}

Column score_column(const std::string& title, const std::string& metric, const std::string& variant = "") {
  return {title, true, [=](const Run& run) { return readable(value_of(best_scores(run), metric, variant)); }};
}

std::string shown(const std::string& value) { return value.empty() ? "(empty)" : value; }

Column setting_column(const std::string& name) {
  return {name, false, [=](const Run& run) {
            const auto found = run.settings.find(name);
            return found == run.settings.end() ? "–" : shortened(shown(found->second), longest_setting);
          }};
}

// "3 of 10" if training ended early.
std::string epochs_text(const Run& run) {
  const std::string done = std::to_string(run.epochs.size());
  const auto asked = run.settings.find("epochs");
  return asked == run.settings.end() || asked->second == done ? done : done + " of " + asked->second;
}

std::vector<Column> result_columns() {
  return {{"best epoch", true,
           [](const Run& run) {
             const auto best = best_epoch(run);
             return best ? readable(*best) : "–";
           }},
          {"epochs", true, epochs_text},
          {"time", true, [](const Run& run) { return duration(seconds(run)); }},
          {"examples/s", true,
           [](const Run& run) {
             return run.epochs.empty() ? "–" : readable(std::round(run.epochs.rbegin()->second.examples_per_s));
           }},
          {"parameters", true, [](const Run& run) { return readable(run.parameters); }},
          {"ended", false, [](const Run& run) { return run.end ? run.end->reason : "not finished"; }}};
}

std::vector<Column> columns_of(const std::vector<Run>& runs, const Settings& settings) {
  std::vector<Column> columns;
  for (const Metric& metric : metrics(runs))
    if (metric.variants.empty()) columns.push_back(score_column("dev " + readable_name(metric.name), metric.name));
  if (!all_equal(runs, &Run::task)) columns.push_back({"task", false, [](const Run& run) { return run.task; }});
  if (!all_equal(runs, &Run::model)) columns.push_back({"model", false, [](const Run& run) { return run.model; }});
  for (const std::string& name : settings.different)
    if (name != "epochs") columns.push_back(setting_column(name));  // the result column of the same name shows it
  std::ranges::move(result_columns(), std::back_inserter(columns));
  return columns;
}

std::string folded(const std::string& summary, const std::string& html) {
  return fmt::format("<details><summary>{}</summary>{}</details>\n", escaped(summary), html);
}

std::string folded_list(const std::string& summary, const std::vector<std::pair<std::string, std::string>>& entries) {
  if (entries.empty()) return "";
  std::string list;
  for (const auto& [name, value] : entries)
    list += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(shown(value)));
  return folded(summary, "<dl>\n" + list + "</dl>");
}

std::string scores_by_variant(const std::vector<Run>& runs) {
  std::string html;
  for (const Metric& metric : metrics(runs)) {
    std::vector<Column> columns;
    for (const std::string& variant : metric.variants) columns.push_back(score_column(variant, metric.name, variant));
    const auto has_it = [&](const Run& run) {
      return std::ranges::any_of(best_scores(run), [&](const Score& s) { return s.metric == metric.name; });
    };
    if (!columns.empty()) html += folded("Dev " + readable_name(metric.name), table(runs, columns, has_it));
  }
  return html;
}

// Empty if the number of threads is one of the settings.
std::string threads_text(const Run& run) {
  if (run.threads == 0 || run.settings.contains("threads")) return "";
  return fmt::format(", {} thread{}", run.threads, run.threads == 1 ? "" : "s");
}

std::string programs(const std::vector<Run>& runs) {
  std::string list;
  for (const Run& run : runs)
    list += fmt::format("<dt>{}</dt><dd>espalier {}{}; {} train examples, {} dev examples</dd>\n", escaped(run.name),
                        escaped(run.espalier), threads_text(run), readable(run.train), readable(run.dev));
  return folded("Programs and data", "<dl class=\"lines\">\n" + list + "</dl>");
}

}  // namespace

std::string table_of_runs(const std::vector<Run>& runs) {
  const Settings settings = compare_settings(runs);
  std::string html = table(runs, columns_of(runs, settings)) + scores_by_variant(runs);
  html += folded_list(runs.size() == 1 ? "Settings" : "Settings shared by all runs", settings.shared);
  for (const auto& [task, entries] : settings.of_task) html += folded_list("Settings of " + task + " only", entries);
  return html + programs(runs);
}

}  // namespace espalier::app::report
