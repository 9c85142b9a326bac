// Selects parts of sequences and maps.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include <espalier/block/sequence.h>

namespace espalier::block {
namespace detail {

template <Sequence C>
ElementOf<C> element_at(const C& items, int index, Where at) {
  return *std::ranges::next(std::ranges::begin(items),
                            static_cast<ptrdiff_t>(position_in(std::ranges::size(items), index, at)));
}
struct NthGiven : Part {
  template <Sequence C>
  ElementOf<C> operator()(const C& items, int index, Where at = {}) const {
    return element_at(items, index, at);
  }
};
struct Nth : Part {
  int index;
  explicit Nth(int i) : index(i) {}
  template <Sequence C>
  ElementOf<C> operator()(const C& items, Where at = {}) const {
    return element_at(items, index, at);
  }
  template <class C>
  Shapes shapes_after(const Shapes& given, Where) const {
    return element_shapes<C>(given);
  }
  std::string path() const { return step_to(index); }
};

template <class K>
struct GetItem : Part {
  K key;
  explicit GetItem(K k) : key(std::move(k)) {}
  template <class M>
    requires requires(const M& m, const K& k) { m.find(k)->second; }
  const typename M::mapped_type& operator()(const M& m, Where at = {}) const {
    const auto found = m.find(key);
    if (found == m.end()) {
      if constexpr (std::is_convertible_v<const K&, std::string>)
        throw DataError("no field " + std::string(key) + str(at));
      else
        throw DataError("no item " + std::to_string(key) + str(at));
    }
    return found->second;
  }
  std::string path() const {
    if constexpr (std::is_convertible_v<const K&, std::string>)
      return step_to(std::string_view(key));
    else
      return step_to(key);
  }
};

struct Slice : Part {
  int first, last;
  Slice(int f, int l) : first(f), last(l) {}
  template <Sequence C>
    requires std::copyable<Value<C>>
  std::vector<Value<C>> operator()(const C& items) const {
    const auto n = static_cast<ptrdiff_t>(std::ranges::size(items));
    const ptrdiff_t b = std::clamp<ptrdiff_t>(first < 0 ? first + n : first, 0, n);
    const ptrdiff_t e = std::clamp<ptrdiff_t>(last < 0 ? last + n : last, b, n);
    const auto begin = std::ranges::next(std::ranges::begin(items), b);
    return {begin, std::ranges::next(begin, e - b)};
  }
  template <class C>
  Shapes shapes_after(const Shapes& given, Where) const {
    return element_shapes<C>(given);
  }
};

struct Length : Part {
  template <Sequence C>
  int operator()(const C& items) const {
    return static_cast<int>(std::ranges::size(items));
  }
};

}  // namespace detail

// One element; a negative index counts from the end.
inline detail::Nth nth(int index) { return detail::Nth(index); }
inline detail::NthGiven nth() { return {}; }  // takes a sequence and an index
// The value of a key in a map. DataError if the key is missing.
template <class K>
detail::GetItem<K> get_item(K key) {
  return detail::GetItem<K>(std::move(key));
}
inline detail::GetItem<std::string> get_item(const char* key) { return detail::GetItem<std::string>(key); }
// The elements from `first` up to but excluding `last`, clamped to the sequence. Negative indices count from the end.
inline detail::Slice slice(int first, int last) { return {first, last}; }
inline detail::Length length() { return {}; }

}  // namespace espalier::block
