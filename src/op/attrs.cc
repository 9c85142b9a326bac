#include "op/attrs.h"

namespace espalier {

std::string attrs_text(const Attrs& values, std::span<const std::string_view> names, std::span<const AttrKind> kinds) {
  std::string text;
  size_t at = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::string(names[i]) + "=";
    if (kinds[i] == AttrKind::shape) {
      Shape shape;
      detail::take(values, at, shape);
      text += str(shape);
      continue;
    }
    const double value = values.at(at++);
    if (kinds[i] == AttrKind::integer) text += std::to_string(static_cast<int64_t>(value));
    if (kinds[i] == AttrKind::real) text += number_text(static_cast<float>(value), 9);
    if (kinds[i] == AttrKind::number) text += number_text(value, 17);
  }
  return text;
}

}  // namespace espalier
