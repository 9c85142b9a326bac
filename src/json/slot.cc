#include "json/slot.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "json/normalised.h"

namespace espalier::json {
namespace {

using espalier::detail::Tracing;
using Kind = Schema::Kind;

// 1 where an optional value is there, 0 where it is missing.
class Flag {
 public:
  explicit Flag(bool optional) : optional_(optional) {}
  void trace(Tracing& tracing, std::vector<Expr>& parts) const {
    if (optional_) parts.push_back(tracing.number().traced());
  }
  void read(const Json* x, Arguments& to) const {
    if (optional_) to.numbers.emplace_back(x == nullptr ? 0.f : 1.f);
  }

 private:
  bool optional_;
};

// One number, and the flag.
class NumberSlot : public Slot {
 public:
  NumberSlot(bool optional, Where at) : at_(at), flag_(optional) {}
  void trace(Tracing& tracing, std::vector<Expr>& parts) const override {
    parts.push_back(tracing.number().traced());
    flag_.trace(tracing, parts);
  }
  void read(Graph&, const Json* x, Arguments& to) const override {
    to.numbers.emplace_back(x == nullptr ? 0.f : number(*x));
    flag_.read(x, to);
  }

 protected:
  virtual float number(const Json& x) const = 0;
  Where at_;

 private:
  Flag flag_;
};

class BooleanSlot final : public NumberSlot {
  using NumberSlot::NumberSlot;
  float number(const Json& x) const override { return boolean_in(x, at_) ? 1.f : -1.f; }
};

class RangeSlot final : public NumberSlot {
 public:
  RangeSlot(const Schema& schema, bool optional, Where at) : NumberSlot(optional, at), range_(schema) {}

 private:
  float number(const Json& x) const override { return range_(x, at_); }
  Normalised range_;
};

// How many items there are in an array whose items were never seen.
class CountSlot final : public NumberSlot {
  using NumberSlot::NumberSlot;
  float number(const Json& x) const override { return std::log1p(static_cast<float>(array_in(x, at_).size())); }
};

// A row of a table for each value, one for others, and one for none if it may be missing.
template <class T>
class CategorySlot final : public Slot {
 public:
  CategorySlot(Scope scope, const std::vector<T>& values, bool optional, const Making& making) : at_(making.at) {
    for (const T& v : values) position_.emplace(v, static_cast<int>(position_.size()));
    const int rows = other() + (optional ? 2 : 1);
    table_ = scope.add_lookup("embedding", rows, {std::min(rows, making.options.hidden)}, init::normal(0, 0.5f));
    Tensor start = table_.value();  // training never meets others: they shall say nothing
    const auto width = static_cast<ptrdiff_t>(table_.shape()[1]);
    std::fill_n(start.data.begin() + other() * width, width, 0.f);
    table_.assign(start);
  }
  void trace(Tracing& tracing, std::vector<Expr>& parts) const override {
    parts.push_back(lookup(table_, tracing.index(), at_));
  }
  void read(Graph&, const Json* x, Arguments& to) const override {
    to.indices.emplace_back(x == nullptr ? other() + 1 : position(*x));
  }

 private:
  int other() const { return static_cast<int>(position_.size()); }
  int find(const T& value) const {
    const auto found = position_.find(value);
    return found == position_.end() ? other() : found->second;
  }
  int position(const Json& x) const {
    if constexpr (std::is_same_v<T, std::string>) {
      return find(text_in(x, at_));
    } else {
      const auto n = whole_in(x, at_);
      return n ? find(*n) : other();
    }
  }
  std::map<T, int> position_;
  Lookup table_;
  Where at_;
};

// An integer that may be a code or an amount: both.
class CodeSlot final : public Slot {
 public:
  CodeSlot(Scope scope, const Schema& schema, bool optional, const Making& making)
      : amount_(schema, false, making.at), code_(scope, schema.codes, optional, making) {}
  void trace(Tracing& tracing, std::vector<Expr>& parts) const override {
    amount_.trace(tracing, parts);
    code_.trace(tracing, parts);
  }
  void read(Graph& g, const Json* x, Arguments& to) const override {
    amount_.read(g, x, to);
    code_.read(g, x, to);
  }

 private:
  RangeSlot amount_;
  CategorySlot<int64_t> code_;
};

class NothingSlot final : public Slot {
 public:
  explicit NothingSlot(Where at) : at_(at) {}
  void trace(Tracing&, std::vector<Expr>&) const override {}
  void read(Graph&, const Json* x, Arguments&) const override {
    if (x != nullptr && !x->is_null()) refuse_kind(*x, "null", at_);
  }

 private:
  Where at_;
};

class RowSlot final : public Slot {
 public:
  RowSlot(std::unique_ptr<const Encoder> encoder, bool optional, const Making& making)
      : encoder_(std::move(encoder)), flag_(optional), hidden_(making.options.hidden), at_(making.at) {}
  bool is_row() const override { return true; }
  void trace(Tracing& tracing, std::vector<Expr>& parts) const override { flag_.trace(tracing, parts); }
  void read(Graph& g, const Json* x, Arguments& to) const override {
    // Zeros, and a flag with weights of its own, are as good as a learned row.
    to.rows.push_back(x == nullptr ? zeros(g, {hidden_}, at_) : encoder_->encode(g, *x, to));
    flag_.read(x, to);
  }

 private:
  std::unique_ptr<const Encoder> encoder_;
  Flag flag_;
  int hidden_;
  Where at_;
};

}  // namespace

std::unique_ptr<const Slot> make_leaf_slot(Scope scope, const Schema& s, bool optional, const Making& making) {
  const auto most = static_cast<size_t>(making.options.max_categories);
  switch (s.kind) {
    case Kind::null:
      return std::make_unique<NothingSlot>(making.at);
    case Kind::boolean:
      return std::make_unique<BooleanSlot>(optional, making.at);
    case Kind::integer:
      if (!s.codes.empty() && s.codes.size() <= most) return std::make_unique<CodeSlot>(scope, s, optional, making);
      [[fallthrough]];
    case Kind::number:
      return std::make_unique<RangeSlot>(s, optional, making.at);
    case Kind::string:
      if (s.names.empty() || s.names.size() > most) return nullptr;
      return std::make_unique<CategorySlot<std::string>>(scope, s.names, optional, making);
    case Kind::array:
      if (s.parts.empty()) return std::make_unique<CountSlot>(optional, making.at);
      return nullptr;
    case Kind::object:
    case Kind::any_of:
      return nullptr;
  }
  return nullptr;
}

std::unique_ptr<const Slot> make_row_slot(std::unique_ptr<const Encoder> encoder, bool optional, const Making& making) {
  return std::make_unique<RowSlot>(std::move(encoder), optional, making);
}

}  // namespace espalier::json
