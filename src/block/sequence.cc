#include <espalier/block/sequence.h>

#include <algorithm>

namespace espalier::block::detail {

void refuse_empty(std::string_view who, Where at) {
  throw DataError(std::string(who) + ": the sequence is empty; at least one element is needed" + espalier::str(at));
}
size_t position_in(size_t size, int index, Where at) {
  const auto n = static_cast<ptrdiff_t>(size);
  const ptrdiff_t i = index < 0 ? index + n : index;
  if (i < 0 || i >= n)
    throw DataError("nth: index " + std::to_string(index) + " is out of range for a sequence of " +
                    std::to_string(size) + espalier::str(at));
  return static_cast<size_t>(i);
}
void refuse_ngram(size_t n, size_t size, Where at) {
  throw DataError("ngrams: the sequence has " + std::to_string(size) + " elements; at least " + std::to_string(n) +
                  " are needed" + espalier::str(at));
}

size_t common_length(std::string_view who, std::span<const size_t> sizes, Where at) {
  constexpr size_t any = ~size_t{0};
  size_t length = any;
  for (const size_t s : sizes) {
    if (s == any || s == length) continue;
    if (length != any)
      throw DataError(std::string(who) + ": sequences of " + std::to_string(length) + " and " + std::to_string(s) +
                      " elements are given; all must have the same length" + espalier::str(at));
    length = s;
  }
  if (length == any)
    throw DataError(std::string(who) + ": all inputs are broadcast; at least one must be a sequence" +
                    espalier::str(at));
  return length;
}

}  // namespace espalier::block::detail
