#include <espalier/block/leaf.h>

namespace espalier::block::detail {

Expr record_numbers(Graph& g, std::span<const float> numbers, const Shape& shape, Where at) {
  if (numbers.size() != static_cast<size_t>(shape.size()))
    throw DataError(std::to_string(numbers.size()) + " numbers are given; " + std::to_string(shape.size()) +
                    " are needed for " + espalier::str(shape) + espalier::str(at));
  return input(g, numbers, shape, at);
}
void refuse_categories(std::string_view who, const std::string& why, Where at) {
  throw DataError(std::string(who) + ": " + why + "; at least one category is needed, without duplicates" +
                  espalier::str(at));
}
void refuse_category(const std::string& given, int categories, Where at) {
  throw DataError("one_hot: " + given + " is not one of the " + std::to_string(categories) + " values" +
                  espalier::str(at));
}

}  // namespace espalier::block::detail
