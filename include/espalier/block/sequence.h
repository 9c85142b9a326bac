// Blocks over the elements of a sequence: any container of the example, or a std::vector of results.
#pragma once
#include <array>
#include <ranges>
#include <string>
#include <vector>

#include <espalier/block/block.h>

namespace espalier::block {
namespace detail {

template <class C>
inline constexpr bool sequence_like = true;  // false: a range type that must not be treated as a sequence
template <class C>
concept Sequence = sequence_like<C> && std::ranges::forward_range<const C> && std::ranges::sized_range<const C>;
// The type of an element: a reference into the container, or a value if the container generates its elements.
template <class C>
using ElementOf = std::conditional_t<std::is_reference_v<std::ranges::range_reference_t<const C>>,
                                     std::ranges::range_reference_t<const C>,
                                     std::remove_cv_t<std::ranges::range_reference_t<const C>>>;
template <class C>
using Value = std::ranges::range_value_t<const C>;

// The shapes of an element, given the shapes of the sequence. Known only for a std::vector.
template <class C>
Shapes element_shapes(const Shapes& given) {
  using T = std::remove_cvref_t<C>;
  return only_rows<T> || row_count<T> != row_count<Value<T>> ? std::nullopt : given;
}

[[noreturn]] ESPALIER_API void refuse_empty(std::string_view who, Where at);
// The position of an index, which counts from the end if negative. DataError if out of range.
ESPALIER_API size_t position_in(size_t size, int index, Where at);
[[noreturn]] ESPALIER_API void refuse_ngram(size_t n, size_t size, Where at);
ESPALIER_API size_t common_length(std::string_view who, std::span<const size_t> sizes, Where at);

template <class F>
struct Map : Part {
  F element;
  explicit Map(const F& f) : element(f) {}

  template <Sequence C>
    requires Takes<F, ElementOf<C>>
  std::vector<Settled<After<F, ElementOf<C>>>> operator()(Graph& g, const C& items, Where at = {}) const {
    using E = ElementOf<C>;
    std::vector<Settled<After<F, E>>> results;
    results.reserve(std::ranges::size(items));
    try {
      for (auto&& item : items) results.push_back(apply<F, E>(element, g, at, static_cast<Passed<E>>(item)));
    } catch (Error& e) {
      e.within(step_to(results.size()));
      throw;
    }
    return results;
  }
  template <class C>
  Shapes shapes_after(const Shapes& given, Where at) const {
    return known_after<F, ElementOf<std::remove_cvref_t<C>>>(element, element_shapes<C>(given), at);
  }
};

// Applies block k to element k of a sequence.
template <class In, class Out>
struct RecordOfBlocks : Part {
  std::vector<Block<In, Out>> blocks;
  explicit RecordOfBlocks(std::vector<Block<In, Out>> b) : blocks(std::move(b)) {}
  template <Sequence C>
    requires Takes<Block<In, Out>, ElementOf<C>>
  std::vector<Settled<Out>> operator()(Graph& g, const C& items, Where at = {}) const {
    const std::array sizes{blocks.size(), static_cast<size_t>(std::ranges::size(items))};
    std::vector<Settled<Out>> results;
    results.reserve(common_length("record", sizes, at));
    try {
      for (auto&& item : items) results.push_back(blocks[results.size()](g, item));
    } catch (Error& e) {
      e.within(step_to(results.size()));
      throw;
    }
    return results;
  }
};

}  // namespace detail

// Applies f to every element. Returns a std::vector.
template <class F>
detail::Map<std::decay_t<F>> map(const F& f) {
  return detail::Map<std::decay_t<F>>(f);
}
// Applies block k to element k. Returns a std::vector. DataError if the numbers of blocks and elements differ.
template <class In, class Out>
detail::RecordOfBlocks<In, Out> record(std::vector<Block<In, Out>> blocks) {
  return detail::RecordOfBlocks<In, Out>(std::move(blocks));
}

}  // namespace espalier::block
