// Expr: a row that will exist. A value of 16 bytes that owns nothing. One of a graph that is gone, cleared or reverted
// is found out by its stamp: a GraphError, never a crash.
#pragma once
#include <cstdint>
#include <type_traits>

#include <espalier/base/error.h>
#include <espalier/param/parameter.h>

namespace espalier {

namespace detail {
struct Tape;
}

class ESPALIER_API Expr {
 public:
  Expr() = default;  // empty: using it is a GraphError
  Shape shape() const;
  explicit operator bool() const { return tape_ != nullptr; }

  // For the library: where the value is recorded.
  Expr(detail::Tape* tape, uint32_t id, uint32_t stamp) : tape_(tape), id_(id), stamp_(stamp) {}
  detail::Tape* tape() const { return tape_; }
  uint32_t id() const { return id_; }
  uint32_t stamp() const { return stamp_; }

 private:
  detail::Tape* tape_ = nullptr;
  uint32_t id_ = 0, stamp_ = 0;
};

// An integer that differs per call (a word, a label, a position): data, never part of what batches with what.
class Index {
 public:
  Index(int value = 0) : value_(value) {}
  explicit Index(Expr traced) : traced_(traced) {}
  int value() const { return value_; }
  Expr traced() const { return traced_; }

 private:
  int value_ = 0;
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

// An Expr, a Parameter, a Number or a constant; and the user's line, which an operator has no other way to learn.
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
