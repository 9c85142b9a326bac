// one_of: selects one of several blocks by the alternative of a std::variant, or by a key computed from the input.
// optional: a block for input that may be missing.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include <espalier/block/all_of.h>
#include <espalier/block/field.h>

namespace espalier::block {
namespace detail {

[[noreturn]] ESPALIER_API void valueless(Where at);
[[noreturn]] ESPALIER_API void no_case(const std::string& key, const std::string& cases, Where at);

template <class T, class... B>
struct FirstOf;
template <class T, class B, class... Rest>
struct FirstOf<T, B, Rest...> {
  using type = typename B::Out;
};

// The case for an alternative: the case at the same position if its type fits, else the first that fits; -1: none.
template <class Alternative, class... B>
consteval int case_for(size_t place) {
  using T = typename Followed<Alternative>::type;
  constexpr std::array<bool, sizeof...(B)> fits{std::is_same_v<typename B::In, T>...};
  if (place < fits.size() && fits[place]) return static_cast<int>(place);
  for (size_t i = 0; i < fits.size(); ++i)
    if (fits[i]) return static_cast<int>(i);
  return -1;
}
template <class V, class... B>
struct CasesOf;
template <class... Alternative, class... B>
struct CasesOf<std::variant<Alternative...>, B...> {
  static constexpr auto number = []<size_t... I>(std::index_sequence<I...>) {
    return std::array<int, sizeof...(I)>{case_for<Alternative, B...>(I)...};
  }(std::index_sequence_for<Alternative...>{});
  static constexpr bool complete = [] {
    for (const int n : number)
      if (n < 0) return false;
    return true;
  }();
};
template <class V, class... B>
inline constexpr bool every_alternative_has_a_case = CasesOf<V, B...>::complete;
template <class T, class... B>
inline constexpr bool all_cases_give_the_same = (std::is_same_v<typename B::Out, T> && ...);

// The shapes that all cases have; unknown if the shapes of one case are unknown. ShapeError if two cases differ.
ESPALIER_API Shapes common_shapes(std::span<const std::pair<std::string, Shapes>> cases, Where at);

template <class V, class Out, class... B>
struct OneOf final : Node<V, Out> {
  std::tuple<B...> cases;
  explicit OneOf(Where at_, const B&... b) : cases(b...) {
    this->at = at_;
    size_t n = 0;
    this->shapes = common_shapes(std::array{std::pair(std::to_string(++n), b.shapes())...}, at_);
  }
  Out run(Graph& g, const V& x) const override { return alternative<0>(g, x); }

 private:
  template <size_t I>
  Out alternative(Graph& g, const V& x) const {
    if constexpr (I == std::variant_size_v<V>) {
      valueless(this->at);
    } else {
      if (x.index() != I) return alternative<I + 1>(g, x);
      return std::get<static_cast<size_t>(CasesOf<V, B...>::number[I])>(cases)(g,
                                                                               follow(*std::get_if<I>(&x), this->at));
    }
  }
};

// Whether converting a number to Key preserves its value.
template <class Key, class K>
bool fits_into(const K& key) {
  if constexpr (std::is_enum_v<K>)
    return fits_into<Key>(static_cast<std::underlying_type_t<K>>(key));
  else if constexpr (std::is_arithmetic_v<K> && std::is_arithmetic_v<Key>)
    return static_cast<K>(static_cast<Key>(key)) == key && (key < K{}) == (static_cast<Key>(key) < Key{});
  else
    return true;
}

template <class K>
std::string print_key(const K& key) {
  if constexpr (std::is_same_v<K, char>)
    return in_quotes({&key, 1});
  else if constexpr (std::is_convertible_v<const K&, std::string>)
    return in_quotes(std::string(key));
  else if constexpr (std::is_enum_v<K>)
    return std::to_string(static_cast<std::underlying_type_t<K>>(key));
  else if constexpr (std::is_arithmetic_v<K>)
    return std::to_string(key);
  else
    return "?";
}

template <class F, class In, class Key>
concept GivesKey = Takes<F, const In&> && ConvertsTo<Settled<After<F, const In&>>, Key>;
template <class In, class Out, class Key, class F>
struct OneOfKeys final : Node<In, Out> {
  F key_of;
  std::map<Key, Block<In, Out>> cases;
  OneOfKeys(const F& f, std::map<Key, Block<In, Out>> cases_, Where at_) : key_of(f), cases(std::move(cases_)) {
    this->at = at_;
    std::vector<std::pair<std::string, Shapes>> known;
    for (const auto& [k, b] : cases) known.emplace_back(print_key(k), b.shapes());
    this->shapes = common_shapes(known, at_);
  }
  Out run(Graph& g, const In& x) const override {
    const auto given = apply<F, const In&>(key_of, g, this->at, x);
    if (fits_into<Key>(given))
      if (const auto found = cases.find(static_cast<Key>(given)); found != cases.end()) return found->second(g, x);
    std::string known;
    for (const auto& [k, b] : cases) known += (known.empty() ? "" : ", ") + print_key(k);
    no_case(print_key(given), known, this->at);
  }
};

template <class T>
struct Maybe {
  static constexpr bool value = Followed<T>::pointer;
  using type = typename Followed<T>::type;
};
template <class T>
struct Maybe<std::optional<T>> {
  static constexpr bool value = true;
  using type = T;
};

template <class F, class None>
struct Optional : Part {
  F some;
  None none;
  Optional(const F& f, const None& n) : some(f), none(n) {}
  template <class X>
  using Out = Settled<After<F, const typename Maybe<X>::type&>>;

  template <class X>
    requires(Maybe<X>::value && Takes<F, const typename Maybe<X>::type&> && Fills<None, Out<X>>)
  Out<X> operator()(Graph& g, const X& x, Where at = {}) const {
    if (x) return apply<F, const typename Maybe<X>::type&>(some, g, at, *x);
    return filled<Out<X>>(none, g, at);
  }
  template <class X>
  Shapes shapes_after(const Shapes&, Where at) const {
    using T = std::remove_cvref_t<X>;
    Shapes known = known_after<F, const typename Maybe<T>::type&>(some, std::nullopt, at);
    check_filled<Out<T>>(none, known, "optional", at);
    return known;
  }
};
ESPALIER_API ZerosOf zeros_like(const Shapes& known);  // ShapeError if they are unknown

}  // namespace detail

// By the alternative of a std::variant: one block per alternative, in any order. Pointers are dereferenced.
template <class V, detail::AnyBlock... B>
auto one_of(const B&... cases) {
  using Out = typename detail::FirstOf<V, B...>::type;
  constexpr bool complete = detail::every_alternative_has_a_case<V, B...>;
  constexpr bool same = detail::all_cases_give_the_same<Out, B...>;
  static_assert(complete, "one_of<Variant>(cases...): every alternative of the variant needs a block that takes it");
  static_assert(!complete || same, "one_of<Variant>(cases...): all cases must return the same type");
  if constexpr (complete && same)
    return Block<V, Out>(std::make_shared<detail::OneOf<V, Out, B...>>(detail::place_of(cases...), cases...));
  else
    return Block<V, Out>();
}
// By a key, computed by a block or function of the input. DataError for a key without a case.
template <class F, class Key, class In, class Out>
Block<In, Out> one_of(const F& key_of, std::map<Key, Block<In, Out>> cases, ESPALIER_AT) {
  detail::must_fit<const In&, F>();
  static_assert(detail::GivesKey<F, In, Key>,
                "one_of(key, cases): the type of the key does not convert to the key type of the cases");
  return Block<In, Out>(
      std::make_shared<detail::OneOfKeys<In, Out, Key, std::decay_t<F>>>(key_of, std::move(cases), at));
}

// For a std::optional or a pointer: `some` applied to its value if it has one, else none(graph).
template <class F, class None>
  requires std::is_invocable_v<const None&, Graph&>
detail::Optional<std::decay_t<F>, std::decay_t<None>> optional(const F& some, const None& none) {
  return {some, none};
}
// The same with zeros for a missing value: of the given shape, or of the shapes of `some`, which must be known.
template <class F>
detail::Optional<std::decay_t<F>, detail::ZerosOf> optional(const F& some, Shape shape) {
  return {some, {{shape}}};
}
template <class In, class Out>
detail::Optional<Block<In, Out>, detail::ZerosOf> optional(const Block<In, Out>& some) {
  return {some, detail::zeros_like(some.shapes())};
}

}  // namespace espalier::block
