// Evaluation: the scores of a model on the dev set.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <espalier/base/error.h>

namespace espalier::app {

using NamedScores = std::vector<std::pair<std::string, double>>;

// A metric broken down by groups of examples, or by targets: "accuracy by length in tokens", with the variants "up to
// 20", "21 to 100".
struct Breakdown {
  std::string name;
  NamedScores scores;  // one per variant, in display order
};

struct Evaluation {
  NamedScores scores;  // the first selects the best epoch

  // Classification only: the confusion matrix. Row: gold label; column: predicted label.
  std::vector<std::string> labels{};
  std::vector<std::vector<uint64_t>> confusion{};

  // Regression only: gold and predicted values, in `unit`.
  std::vector<float> gold{}, predicted{};
  std::string unit{};

  std::vector<Breakdown> breakdowns{};
};

// A confusion matrix.
class Confusion {
 public:
  explicit Confusion(size_t labels) : counts_(labels, std::vector<uint64_t>(labels)) {}
  void add(int gold, int predicted) {
    const auto g = static_cast<size_t>(gold), p = static_cast<size_t>(predicted);  // negative values become huge
    if (g >= counts_.size() || p >= counts_.size())
      throw InternalError("Confusion: class " + std::to_string(g < counts_.size() ? predicted : gold) + " of " +
                          std::to_string(counts_.size()));
    ++counts_[g][p];
  }
  double accuracy() const {  // NaN if empty
    uint64_t right = 0, all = 0;
    for (size_t i = 0; i < counts_.size(); ++i) {
      right += counts_[i][i];
      for (const uint64_t n : counts_[i]) all += n;
    }
    return all == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(right) / static_cast<double>(all);
  }
  const std::vector<std::vector<uint64_t>>& counts() const { return counts_; }

 private:
  std::vector<std::vector<uint64_t>> counts_;
};

inline int argmax(std::span<const float> scores) {
  return static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

}  // namespace espalier::app
