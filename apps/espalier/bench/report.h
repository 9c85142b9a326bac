// Formats the results of bench.
#pragma once
#include <string>

#include "bench/measure.h"

namespace espalier::app::bench {

struct Row {
  std::string task;
  Setup setup;
  Result result;
};

std::string json(const Row& row);  // one line
std::string table_head(Device::Kind device);
std::string table_line(const Row& row);

}  // namespace espalier::app::bench
