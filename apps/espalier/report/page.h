// The HTML page of a report.
#pragma once
#include <string>
#include <vector>

#include "report/run.h"

namespace espalier::app::report {

// A self-contained HTML file, readable without network and scripts. Requires at least one run.
std::string page(const std::vector<Run>& runs);

}  // namespace espalier::app::report
