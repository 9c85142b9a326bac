// Targets as users write them: numbers or words.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::app {

// Without blanks at both ends.
std::string_view trimmed(std::string_view text);

// The value of a finite number, in any locale; nullopt: the text is something else.
std::optional<double> number_in(std::string_view text);

// NA, nan, …, or nothing.
bool is_missing_number(std::string_view word);

// The class that a text names: trimmed, and 1.0 is 1, because spreadsheets write the class 1 as 1.0 if other cells of
// the column are empty. 007 and 1e2 stay.
std::string label_in(std::string_view text);

// Numbers by value, before other labels by name.
void sort_labels(std::vector<std::string>& labels);

}  // namespace espalier::app
