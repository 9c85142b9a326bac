#include <espalier/block/one_of.h>

namespace espalier::block::detail {

void refuse_null(Where at) {
  throw DataError("the pointer is null; use optional() if it may be null" + espalier::str(at));
}
void valueless(Where at) {
  throw DataError("one_of: the variant has no value (valueless_by_exception); it must hold an alternative" +
                  espalier::str(at));
}
void no_case(const std::string& key, const std::string& cases, Where at) {
  throw DataError("one_of: no case for " + key + (cases.empty() ? "; there are no cases" : "; the cases are " + cases) +
                  espalier::str(at));
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
      throw ShapeError("one_of: case " + first->first + " has shape " + str(first->second) + ", case " + c.first +
                       " has " + str(c.second) + "; all cases must have the same" + espalier::str(at));
    }
  }
  return all_known ? first->second : std::nullopt;
}
ZerosOf zeros_like(const Shapes& known) {
  if (!known)
    throw ShapeError("optional: the shapes of the block are unknown before recording; give a shape or a function");
  return {*known};
}

}  // namespace espalier::block::detail
