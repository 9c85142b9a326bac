// The page around the pictures.
#pragma once
#include <string>
#include <vector>

#include "report/run.h"

namespace espalier::app::report {

// One file that needs no other, no network and no script. At least one run.
std::string page(const std::vector<Run>& runs);

}  // namespace espalier::app::report
