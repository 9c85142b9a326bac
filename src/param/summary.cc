// Parameters::summary: a table of the parameters.
#include <algorithm>

#include <fmt/core.h>

#include "param/parameter_storage.h"

namespace espalier {
namespace {

std::string grouped(size_t number) {  // "1,234,567"
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace

std::string Parameters::summary(std::string_view glob) const {
  const std::vector<Parameter> found = all(glob);
  size_t name = 5, shape = 5, total = 0;  // at least as wide as the headings and "total"
  for (const Parameter& p : found) {
    name = std::max(name, p.name().size());
    shape = std::max(shape, str(p.shape()).size());
    total += p.storage()->size();
  }
  const size_t number = std::max<size_t>(grouped(total).size(), 7);
  std::string text = fmt::format("{:{}}  {:{}}  {:>{}}\n", "name", name, "shape", shape, "values", number);
  for (const Parameter& p : found)
    text += fmt::format("{:{}}  {:{}}  {:>{}}{}{}{}\n", p.name(), name, str(p.shape()), shape,
                        grouped(p.storage()->size()), number, p.storage()->table ? "  table" : "",
                        p.frozen() ? "  frozen" : "", p.drawn() ? "" : "  not drawn");
  return text + fmt::format("{:{}}  {:{}}  {:>{}}\n", "total", name, "", shape, grouped(total), number);
}

}  // namespace espalier
