// How two lists of numbers go together. Both are as long, and of at least two numbers. NaN where one of these is NaN.
#pragma once
#include <span>

namespace espalier::app {

double pearson(std::span<const float> x, std::span<const float> y);   // NaN where one of them is constant
double spearman(std::span<const float> x, std::span<const float> y);  // of the ranks; equals share the mean of theirs
double mean_squared_error(std::span<const float> x, std::span<const float> y);

}  // namespace espalier::app
