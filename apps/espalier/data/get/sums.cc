#include "data/get/sums.h"

#include <algorithm>
#include <filesystem>

#include <espalier/text/lines.h>

#include "data/draft.h"

namespace espalier::app {

Sums::Sums(std::string folder) : path_(std::move(folder) + "/SHA256SUMS") {
  if (std::error_code unreadable; !std::filesystem::exists(path_, unreadable)) return;
  constexpr size_t digits = 64;
  text::Lines lines(path_);
  while (lines.next()) {
    const std::string_view line = lines.line();
    if (line.empty()) continue;
    const bool is_valid = line.size() > digits + 2 && line[digits] == ' ' &&
                          (line[digits + 1] == ' ' || line[digits + 1] == '*') &&
                          line.find_first_not_of("0123456789abcdef") == digits;
    if (!is_valid) lines.fail(1, "expected a SHA-256 checksum, two spaces and a file name");
    sums_.emplace_back(line.substr(digits + 2), line.substr(0, digits));
  }
}

std::string Sums::find(const std::string& file) const {
  const auto found = std::ranges::find(sums_, file, &std::pair<std::string, std::string>::first);
  return found == sums_.end() ? "" : found->second;
}

void Sums::set(const std::string& file, const std::string& sum) {
  const auto found = std::ranges::find(sums_, file, &std::pair<std::string, std::string>::first);
  if (found == sums_.end())
    sums_.emplace_back(file, sum);
  else
    found->second = sum;
}

void Sums::write() const {
  Draft draft(path_);
  for (const auto& [file, sum] : sums_) draft.write(sum + "  " + file + "\n");
  draft.install();
}

}  // namespace espalier::app
