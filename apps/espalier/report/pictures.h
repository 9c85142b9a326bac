// The parts of a report: HTML with inline SVG. The tooltip of a mark is its <title>, which browsers show without a
// script; the page's script only shows it sooner.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "report/chart.h"
#include "report/run.h"

namespace espalier::app::report {

// A picture with a heading and a caption.
std::string card(const std::string& heading, const std::string& picture, const std::string& caption);

// The colour of a run, or of a variant without an order. Indices beyond the number of colours are dashed.
Mark run_mark(size_t run);
// The colour of the i-th of `n` ordered variants, on a colour scale that runs do not use.
Mark scale_mark(size_t i, size_t n);

// Charts of the loss and of every dev score over epochs.
std::string learning_curves(const std::vector<Run>& runs);
// Scores, differing settings and results; collapsed: equal settings, scores by variant, program versions.
std::string table_of_runs(const std::vector<Run>& runs);
std::string confusion_card(const Confusion& confusion);
std::string scatter_card(const Scatter& scatter);
// A histogram of calls per step.
std::string batch_size_card(const Schedule& schedule);
std::string schedule_card(const Schedule& schedule);

}  // namespace espalier::app::report
