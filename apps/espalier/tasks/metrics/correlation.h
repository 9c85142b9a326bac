// Correlation of two lists of equal length, at least 2. The result is NaN if any element is NaN.
#pragma once
#include <span>

namespace espalier::app {

double pearson(std::span<const float> x, std::span<const float> y);   // NaN if either list is constant
double spearman(std::span<const float> x, std::span<const float> y);  // Pearson of the ranks; ties get their mean rank
double mean_squared_error(std::span<const float> x, std::span<const float> y);

}  // namespace espalier::app
