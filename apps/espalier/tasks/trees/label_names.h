// LabelNames: the setting --labels, which renames, merges and drops labels.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace espalier::app {

class LabelNames {
 public:
  // "0=negative,1=negative,2=,3=positive": a label, =, and its class; no class drops the label. Labels that are not
  // mentioned stay. Error: a part without =, or a repeated label.
  explicit LabelNames(const std::string& setting);

  // The class of a label; empty: the label is dropped.
  const std::string& of(const std::string& label) const;

  // The classes of the labels, each once, in order of their first label. Error: the setting names another label.
  std::vector<std::string> classes(const std::vector<std::string>& labels) const;

 private:
  std::map<std::string, std::string> names_;
};

}  // namespace espalier::app
