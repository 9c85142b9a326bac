// The parameters as a table to read.
#include <algorithm>

#include <fmt/core.h>

#include "param/slot.h"

namespace espalier {
namespace {

std::string grouped(size_t number) {  // 1,234,567
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace

std::string Parameters::summary(std::string_view glob) const {
  const std::vector<Parameter> found = all(glob);
  size_t name = 5, shape = 5, total = 0;  // the widths of their headings and of "total"
  for (const Parameter& p : found) {
    name = std::max(name, p.name().size());
    shape = std::max(shape, str(p.shape()).size());
    total += p.slot()->size();
  }
  const size_t number = std::max<size_t>(grouped(total).size(), 7);
  std::string text = fmt::format("{:{}}  {:{}}  {:>{}}\n", "name", name, "shape", shape, "numbers", number);
  for (const Parameter& p : found)
    text += fmt::format("{:{}}  {:{}}  {:>{}}{}{}\n", p.name(), name, str(p.shape()), shape, grouped(p.slot()->size()),
                        number, p.slot()->table ? "  table" : "", p.frozen() ? "  frozen" : "");
  return text + fmt::format("{:{}}  {:{}}  {:>{}}\n", "total", name, "", shape, grouped(total), number);
}

}  // namespace espalier
