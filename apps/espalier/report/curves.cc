// Learning curves: the metric that selects the best epoch, the loss, the other metrics, and metrics with variants.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "report/chart.h"
#include "report/pictures.h"
#include "report/text.h"

namespace espalier::app::report {
namespace {

std::vector<Curve> losses(const std::vector<Run>& runs) {
  std::vector<Curve> curves;
  for (size_t r = 0; r < runs.size(); ++r) {
    Curve c{.mark = run_mark(r), .name = runs[r].name, .points = {}, .minibatches = {}};
    for (const auto& [number, epoch] : runs[r].epochs) c.points.push_back({static_cast<double>(number), epoch.loss});
    uint64_t minibatches = 1;  // per epoch: the largest number in the log plus 1
    for (const auto& [at, loss] : runs[r].minibatch_losses) minibatches = std::max(minibatches, at.second + 1);
    uint64_t epoch = 0;
    for (const auto& [at, loss] : runs[r].minibatch_losses) {
      if (at.first != epoch) c.minibatches.push_back({static_cast<double>(at.first), missing});  // a gap between epochs
      epoch = at.first;
      const double part = (static_cast<double>(at.second) + 0.5) / static_cast<double>(minibatches);
      c.minibatches.push_back({static_cast<double>(at.first) - 0.5 + part, loss});
    }
    if (!c.points.empty() || !c.minibatches.empty()) curves.push_back(std::move(c));
  }
  return curves;
}

Curve score_curve(const Run& run, const std::string& metric, const std::string& variant) {
  Curve c{.mark = {}, .name = variant, .points = {}, .minibatches = {}};
  if (const auto best = best_epoch(run)) c.best = static_cast<double>(*best);
  for (const auto& [number, epoch] : run.epochs)
    for (const Score& score : epoch.dev)
      if (score.metric == metric && score.variant == variant)
        c.points.push_back({static_cast<double>(number), score.value});
  return c;
}

// A curve per run.
std::vector<Curve> curves_of_runs(const std::vector<Run>& runs, const Metric& metric) {
  std::vector<Curve> curves;
  for (size_t r = 0; r < runs.size(); ++r) {
    Curve c = score_curve(runs[r], metric.name, "");
    c.mark = run_mark(r);
    c.name = runs[r].name;
    if (!c.points.empty()) curves.push_back(std::move(c));
  }
  return curves;
}

// A curve per variant.
std::vector<Curve> curves_of_variants(const Run& run, const Metric& metric) {
  std::vector<Curve> curves;
  const bool ordered = are_ordered(metric.variants);
  for (size_t v = 0; v < metric.variants.size(); ++v) {
    Curve c = score_curve(run, metric.name, metric.variants[v]);
    c.mark = ordered ? scale_mark(v, metric.variants.size()) : run_mark(v);
    if (!c.points.empty()) curves.push_back(std::move(c));
  }
  return curves;
}

// Accuracies and other shares are never on a logarithmic scale.
Axes score_axes(const std::vector<Curve>& curves) {
  const bool is_share = std::ranges::all_of(
      curves, [](const Curve& c) { return std::ranges::none_of(c.points, [](const Point& p) { return p.y > 1; }); });
  return axes_of(curves, !is_share);
}

std::string title_of(const Metric& metric) { return "Dev " + readable_name(metric.name); }

std::string ring_caption(const Axes& axes) {
  return std::string("a ring marks the best epoch") + (axes.y.logarithmic ? "; logarithmic scale" : "");
}

std::string loss_card(const std::vector<Run>& runs) {
  const auto curves = losses(runs);
  if (curves.empty()) return "";
  const Axes axes = axes_of(curves, /*may_be_logarithmic=*/true);
  return card("Training loss", chart(curves, axes, "training loss"),
              std::string("mean per epoch") + (axes.around ? "; thin line: mean of the epoch so far" : "") +
                  (axes.y.logarithmic ? "; logarithmic scale" : ""));
}

std::string score_card(const std::vector<Run>& runs, const Metric& metric) {
  const auto curves = curves_of_runs(runs, metric);
  if (curves.empty()) return "";
  const Axes axes = score_axes(curves);
  return card(title_of(metric), chart(curves, axes, title_of(metric)), ring_caption(axes));
}

// One chart per run, on equal axes: one chart for all runs and variants would have too many lines.
std::string variant_cards(const std::vector<Run>& runs, const Metric& metric) {
  std::vector<Curve> all;
  for (const Run& run : runs) std::ranges::move(curves_of_variants(run, metric), std::back_inserter(all));
  if (all.empty()) return "";
  const Axes axes = score_axes(all);
  std::string html;
  for (const Run& run : runs) {
    const auto curves = curves_of_variants(run, metric);
    if (curves.empty()) continue;
    std::string legend = "<div class=\"legend\">";
    for (const Curve& c : curves) legend += legend_entry(c.mark, c.name) + "\n";
    const std::string title = title_of(metric) + (runs.size() == 1 ? "" : ": " + run.name);
    html += card(title, legend + "</div>" + chart(curves, axes, title), ring_caption(axes));
  }
  return html;
}

std::string grid(const std::string& cards) {
  return cards.empty() ? "" : "<div class=\"cards\">\n" + cards + "</div>\n";
}

}  // namespace

std::string learning_curves(const std::vector<Run>& runs) {
  std::string choosing, others, variants;
  for (const Metric& metric : metrics(runs))
    if (!metric.variants.empty())
      variants += runs.size() == 1 ? variant_cards(runs, metric) : grid(variant_cards(runs, metric));
    else
      (metric.chooses ? choosing : others) += score_card(runs, metric);
  const std::string one_per_metric = choosing + loss_card(runs) + others;
  return runs.size() == 1 ? grid(one_per_metric + variants) : grid(one_per_metric) + variants;
}

}  // namespace espalier::app::report
