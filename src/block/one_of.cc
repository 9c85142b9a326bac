#include <espalier/block/one_of.h>

namespace espalier::block::detail {

void refuse_null(Where at) {
  throw DataError("a null pointer is given; it must point to something, or be taken by optional()" + espalier::str(at));
}
void valueless(Where at) {
  throw DataError("one_of: the variant holds nothing; it must hold an alternative" + espalier::str(at));
}
void no_case(const std::string& key, const std::string& cases, Where at) {
  throw DataError("one_of: there is no case for " + key +
                  (cases.empty() ? "; there are none" : "; there are " + cases) + espalier::str(at));
}
Shapes common_shapes(std::span<const std::pair<std::string, Shapes>> cases, Where at) {
  const std::pair<std::string, Shapes>* first = nullptr;
  bool all_known = !cases.empty();
  for (const auto& c : cases) {
    if (!c.second) {
      all_known = false;
    } else if (first == nullptr) {
      first = &c;
    } else if (*c.second != *first->second) {
      throw ShapeError("one_of: case " + first->first + " gives " + str(first->second) + ", case " + c.first + " " +
                       str(c.second) + "; all must give the same" + espalier::str(at));
    }
  }
  return all_known ? first->second : std::nullopt;
}
ZerosOf zeros_like(const Shapes& known) {
  if (!known)
    throw ShapeError("optional: the shapes of what may be missing are known when recorded; say what stands for it");
  return {*known};
}

}  // namespace espalier::block::detail
