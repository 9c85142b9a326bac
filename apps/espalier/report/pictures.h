// The parts of a report: each is HTML with its picture as inline SVG. What the mouse should tell of a mark stands in
// its <title>, which browsers show by themselves; the page's script only shows it sooner.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "report/chart.h"
#include "report/run.h"

namespace espalier::app::report {

// A picture with its heading and a line below it.
std::string card(const std::string& heading, const std::string& picture, const std::string& caption);

// The colour of a run, or of a variant, and its dashes where there are more runs than colours.
Mark run_mark(size_t run);
// The colour of the i-th of `n` ordered variants, on a scale of its own that no run has.
Mark scale_mark(size_t i, size_t n);

// The loss and every dev score over epochs, in grids of cards.
std::string learning_curves(const std::vector<Run>& runs);
// Scores, settings that differ and results; folded: settings that are equal, scores by variant, programs.
std::string table_of_runs(const std::vector<Run>& runs);
std::string confusion_card(const Confusion& confusion);
std::string scatter_card(const Scatter& scatter);
// How many steps hold how many calls.
std::string batch_size_card(const Schedule& schedule);
std::string schedule_card(const Schedule& schedule);

}  // namespace espalier::app::report
