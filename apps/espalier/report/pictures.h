// The parts of a report: each is HTML with its picture as inline SVG. What the mouse should tell of a mark stands in
// its <title>, which browsers show by themselves; the page's script only shows it sooner.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "report/run.h"

namespace espalier::app::report {

// A picture with its heading and a line below it.
std::string card(const std::string& heading, const std::string& picture, const std::string& caption);

// The class that colours the marks of a run, and its lines' dashes where there are more runs than colours.
std::string run_class(size_t run);
// A short line in the colour of the run, and its name.
std::string run_label(size_t run, const std::string& name);

// The loss and every dev score over epochs, all runs in each, as cards.
std::string learning_curves(const std::vector<Run>& runs);
std::string table_of_runs(const std::vector<Run>& runs);
std::string confusion_card(const Confusion& confusion);
std::string scatter_card(const Scatter& scatter);
// How many steps hold how many calls.
std::string batch_size_card(const Schedule& schedule);
std::string schedule_card(const Schedule& schedule);

}  // namespace espalier::app::report
