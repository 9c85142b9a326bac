#include "tasks/trees/label_names.h"

#include <algorithm>

#include <fmt/format.h>
#include <espalier/base/error.h>

#include "base/nearest_names.h"

namespace espalier::app {

LabelNames::LabelNames(const std::string& setting) {
  for (size_t begin = 0; begin < setting.size();) {
    const size_t end = std::min(setting.find(',', begin), setting.size());
    const std::string part = setting.substr(begin, end - begin);
    const size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(
          fmt::format("--labels: '{}' is not LABEL=CLASS; needed pairs such as 0=negative,1=positive,2=", part));
    const std::string label = part.substr(0, equals);
    if (!names_.emplace(label, part.substr(equals + 1)).second)
      throw Error(fmt::format("--labels: the label '{}' is given twice", label));
    begin = end + 1;
  }
}

const std::string& LabelNames::of(const std::string& label) const {
  const auto found = names_.find(label);
  return found == names_.end() ? label : found->second;
}

std::vector<std::string> LabelNames::classes(const std::vector<std::string>& labels) const {
  for (const auto& [label, name] : names_) {
    if (std::ranges::find(labels, label) != labels.end()) continue;
    throw Error(fmt::format("--labels: the training trees have no label '{}'; the nearest of {} labels: {}", label,
                            labels.size(), nearest_names(label, labels)));
  }
  std::vector<std::string> all;
  for (const std::string& label : labels)
    if (const std::string& name = of(label); !name.empty() && std::ranges::find(all, name) == all.end())
      all.push_back(name);
  return all;
}

}  // namespace espalier::app
