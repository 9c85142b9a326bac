// The order of class names.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

namespace espalier::app {

// Numbers by value, before other labels by name.
inline void sort_labels(std::vector<std::string>& labels) {
  const auto key = [](const std::string& label) {
    char* end = nullptr;
    const double value = std::strtod(label.c_str(), &end);
    const bool is_number = !label.empty() && *end == '\0' && std::isfinite(value);
    return std::tuple(!is_number, is_number ? value : 0.0, label);
  };
  std::ranges::sort(labels, {}, key);
}

}  // namespace espalier::app
