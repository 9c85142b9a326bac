// field<&Atom::charge>(): a member of a struct, or the result of a getter. Errors contain the path with its name.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include <espalier/block/block.h>

namespace espalier::block {
namespace detail {

// "charge" for &Atom::charge. In __PRETTY_FUNCTION__, a semicolon or the last bracket ends the template argument.
template <auto member>
consteval std::string_view member_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.find("member = ") + 9);
  text = text.substr(0, std::min(text.find(';'), text.rfind(']')));
  auto in_name = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  while (!text.empty() && !in_name(text.back())) text.remove_suffix(1);
  size_t begin = text.size();
  while (begin > 0 && in_name(text[begin - 1])) --begin;
  return text.substr(begin);
}

[[noreturn]] ESPALIER_API void refuse_null(Where at);

// The target type of a pointer; any other type itself.
template <class T>
struct Followed {
  using type = T;
  static constexpr bool pointer = false;
};
template <class T, class D>
struct Followed<std::unique_ptr<T, D>> {
  using type = T;
  static constexpr bool pointer = true;
};
template <class T>
struct Followed<std::shared_ptr<T>> {
  using type = T;
  static constexpr bool pointer = true;
};
template <class T>
  requires std::is_object_v<T>
struct Followed<T*> {
  using type = std::remove_const_t<T>;
  static constexpr bool pointer = true;
};
template <class T>
const typename Followed<T>::type& follow(const T& x, Where at) {
  if constexpr (Followed<T>::pointer) {
    if (x == nullptr) refuse_null(at);
    return *x;
  } else {
    return x;
  }
}

template <class P>
struct Member;
template <class S, class M>
  requires std::is_object_v<M>
struct Member<M S::*> {
  using Owner = S;
  using Raw = std::remove_cv_t<M>;
};
template <class S, class R>
struct Member<R (S::*)() const> {
  using Owner = S;
  using Raw = R;
};
template <class S, class R>
struct Member<R (S::*)() const noexcept> : Member<R (S::*)() const> {};
template <class S, class R>
struct Member<R (S::*)() const&> : Member<R (S::*)() const> {};
template <class S, class R>
struct Member<R (S::*)() const & noexcept> : Member<R (S::*)() const> {};

// Scalars and enums are passed by value, everything else by reference into the example.
template <class T>
using Given = std::conditional_t<std::is_scalar_v<std::remove_cvref_t<T>>, std::remove_cvref_t<T>,
                                 std::conditional_t<std::is_reference_v<T>, T, const T&>>;

template <auto member, bool follows>
struct Field {
  static constexpr bool getter = std::is_member_function_pointer_v<decltype(member)>;
  using Owner = typename Member<decltype(member)>::Owner;
  using Raw = typename Member<decltype(member)>::Raw;
  using To = typename Followed<std::remove_cvref_t<Raw>>::type;
  // A value returned by a getter is a temporary; so is the target of an owning pointer returned by value.
  static constexpr bool followed = follows && Followed<std::remove_cvref_t<Raw>>::pointer;
  static constexpr bool made =
      getter && !std::is_reference_v<Raw> && !(followed && std::is_pointer_v<std::remove_cv_t<Raw>>);
  using Kept = std::conditional_t<followed, To, std::remove_cvref_t<Raw>>;
  using Out = std::conditional_t<made, std::decay_t<Kept>, Given<Kept>>;

  Out operator()(const Owner& x, Where at) const {
    if constexpr (followed) {
      try {
        return follow(std::invoke(member, x), at);
      } catch (Error& e) {
        e.within(path());
        throw;
      }
    } else {
      return std::invoke(member, x);
    }
  }
  std::string path() const { return step_to(member_name<member>()); }
};

}  // namespace detail

// A member. Pointers (unique, shared or raw) are dereferenced; DataError if null.
template <auto member>
auto field(ESPALIER_AT) {
  using F = detail::Field<member, true>;
  return of<typename F::Owner>(F{}, at);
}
// A member without dereferencing: a pointer, for optional().
template <auto member>
auto member_of(ESPALIER_AT) {
  using F = detail::Field<member, false>;
  return of<typename F::Owner>(F{}, at);
}

}  // namespace espalier::block
