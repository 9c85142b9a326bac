// ROC AUC: the probability that a positive example scores higher than a negative one.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace espalier::app {

// `scored`: pairs of a score and whether the example is positive. Ties count half (Hanley & McNeil 1982). Returns
// nullopt if all examples are of one class, NaN if a score is NaN.
inline std::optional<double> roc_auc(std::vector<std::pair<float, bool>> scored) {
  if (std::ranges::any_of(scored, [](const auto& s) { return std::isnan(s.first); }))  // NaN cannot be sorted
    return std::numeric_limits<double>::quiet_NaN();
  std::sort(scored.begin(), scored.end());
  double right = 0, below = 0, positive = 0;  // pairs in the right order; negatives seen; positives seen
  for (size_t begin = 0, end; begin < scored.size(); begin = end) {
    double yes = 0, no = 0;  // among equal scores
    for (end = begin; end < scored.size() && scored[end].first == scored[begin].first; ++end)
      (scored[end].second ? yes : no) += 1;
    right += yes * (below + no / 2);
    below += no;
    positive += yes;
  }
  if (below == 0 || positive == 0) return {};
  return right / (below * positive);
}

}  // namespace espalier::app
