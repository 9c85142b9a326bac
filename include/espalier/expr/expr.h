// Expr: a handle to a row that will be computed. 16 bytes, owns nothing. Using an Expr after its graph was cleared,
// reverted or destroyed (also together with its engine) throws a GraphError and never crashes.
#pragma once
#include <cstdint>
#include <type_traits>

#include <espalier/base/error.h>
#include <espalier/param/parameter.h>

namespace espalier {

namespace detail {
struct TapeEntry;
}

class ESPALIER_API Expr {
 public:
  Expr() = default;  // empty: using it is a GraphError
  Shape shape() const;
  explicit operator bool() const { return entry_ != nullptr; }

  // Internal: the tape and the value.
  Expr(detail::TapeEntry* entry, uint32_t id, uint32_t stamp) : entry_(entry), id_(id), stamp_(stamp) {}
  detail::TapeEntry* entry() const { return entry_; }
  uint32_t id() const { return id_; }
  uint32_t stamp() const { return stamp_; }

 private:
  detail::TapeEntry* entry_ = nullptr;  // never freed
  uint32_t id_ = 0, stamp_ = 0;
};
static_assert(sizeof(Expr) == 16 && std::is_trivially_copyable_v<Expr>);

namespace detail {

// An integer, or an unscoped enumerator. Not a float, which would lose its fraction.
template <class T>
concept IntegerValue = std::is_integral_v<T> || (std::is_enum_v<T> && std::is_convertible_v<T, int>);

// Converts an integer of any width to 64 bits; larger values saturate.
template <IntegerValue T>
constexpr int64_t as_int64(T value) {
  if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T> && sizeof(T) >= sizeof(int64_t))
    return value > static_cast<T>(INT64_MAX) ? INT64_MAX : static_cast<int64_t>(value);
  else
    return static_cast<int64_t>(value);
}

}  // namespace detail

// An integer that differs per call (a word, a label, a position). It is data: calls with different values batch
// together. Any width; the call checks its range.
class Index {
 public:
  Index() = default;
  template <detail::IntegerValue T>
  Index(T value) : value_(detail::as_int64(value)) {}
  explicit Index(Expr traced) : traced_(traced) {}
  int64_t value() const { return value_; }
  Expr traced() const { return traced_; }

 private:
  int64_t value_ = 0;
  Expr traced_;
};

// A float that differs per call (a target, a weight).
class Number {
 public:
  Number(float value = 0) : value_(value) {}
  explicit Number(Expr traced) : traced_(traced) {}
  float value() const { return value_; }
  Expr traced() const { return traced_; }

 private:
  float value_ = 0;
  Expr traced_;
};

// An operand of a function: an Expr, a Parameter, a Number or a constant. Carries the user's line, because an operator
// has no parameter for it.
struct Operand {
  enum class Kind : uint8_t { expr, parameter, number };
  Kind kind = Kind::expr;
  Expr expr;
  const Parameter* parameter = nullptr;
  float value = 0;
  Where at;

  Operand(Expr x, Where w = Where::here()) : expr(x), at(w) {}
  Operand(const Parameter& p, Where w = Where::here()) : kind(Kind::parameter), parameter(&p), at(w) {}
  Operand(const Number& n, Where w = Where::here())
      : kind(n.traced() ? Kind::expr : Kind::number), expr(n.traced()), value(n.value()), at(w) {}
  template <class N>
    requires std::is_arithmetic_v<N>
  Operand(N n, Where w = Where::here()) : kind(Kind::number), value(static_cast<float>(n)), at(w) {}
};

}  // namespace espalier
