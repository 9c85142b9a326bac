#include "json/argument_reader.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "json/normalised.h"

namespace espalier::json {
namespace {

using espalier::detail::Tracing;
using Kind = Schema::Kind;

// Presence flag of an optional value: 1 if it exists, 0 if it is missing.
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

// Passes one number and the presence flag.
class NumberReader : public ArgumentReader {
 public:
  NumberReader(bool optional, Where at) : at_(at), flag_(optional) {}
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

class BooleanReader final : public NumberReader {
  using NumberReader::NumberReader;
  float number(const Json& x) const override { return boolean_in(x, at_) ? 1.f : -1.f; }
};

class RangeReader final : public NumberReader {
 public:
  RangeReader(const Schema& schema, bool optional, Where at) : NumberReader(optional, at), range_(schema) {}

 private:
  float number(const Json& x) const override { return range_(x, at_); }
  Normalised range_;
};

// Passes the length of an array whose item type is unknown, since all samples were empty.
class CountReader final : public NumberReader {
  using NumberReader::NumberReader;
  float number(const Json& x) const override { return std::log1p(static_cast<float>(array_in(x, at_).size())); }
};

// Embeds a category: one table row per value, one for unknown values, and one for a missing value if it is optional.
template <class T>
class CategoryReader final : public ArgumentReader {
 public:
  CategoryReader(Scope scope, const std::vector<T>& values, bool optional, const BuildContext& context)
      : at_(context.at) {
    for (const T& v : values) position_.emplace(v, static_cast<int>(position_.size()));
    const int rows = other() + (optional ? 2 : 1);
    table_ = scope.add_lookup("embedding", rows, {std::min(rows, context.options.hidden)}, init::normal(0, 0.5f));
    // The row of unknown values, which do not occur in training, stays zero.
    std::vector<float> start = table_.value().to_vector();
    const auto width = static_cast<ptrdiff_t>(table_.shape()[1]);
    std::fill_n(start.begin() + other() * width, width, 0.f);
    table_.assign({table_.shape(), std::move(start)});
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

// An integer may be a code or a quantity: passes it as both.
class CodeReader final : public ArgumentReader {
 public:
  CodeReader(Scope scope, const Schema& schema, bool optional, const BuildContext& context)
      : amount_(schema, false, context.at), code_(scope, schema.codes, optional, context) {}
  void trace(Tracing& tracing, std::vector<Expr>& parts) const override {
    amount_.trace(tracing, parts);
    code_.trace(tracing, parts);
  }
  void read(Graph& g, const Json* x, Arguments& to) const override {
    amount_.read(g, x, to);
    code_.read(g, x, to);
  }

 private:
  RangeReader amount_;
  CategoryReader<int64_t> code_;
};

class NothingReader final : public ArgumentReader {
 public:
  explicit NothingReader(Where at) : at_(at) {}
  void trace(Tracing&, std::vector<Expr>&) const override {}
  void read(Graph&, const Json* x, Arguments&) const override {
    if (x != nullptr && !x->is_null()) refuse_kind(*x, "null", at_);
  }

 private:
  Where at_;
};

class RowReader final : public ArgumentReader {
 public:
  RowReader(std::unique_ptr<const Encoder> encoder, bool optional, const BuildContext& context)
      : encoder_(std::move(encoder)), flag_(optional), hidden_(context.options.hidden), at_(context.at) {}
  bool is_row() const override { return true; }
  void trace(Tracing& tracing, std::vector<Expr>& parts) const override { flag_.trace(tracing, parts); }
  void read(Graph& g, const Json* x, Arguments& to) const override {
    // The presence flag has its own weights, so zeros are as expressive as a learned row.
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

std::unique_ptr<const ArgumentReader> make_leaf_reader(Scope scope, const Schema& s, bool optional,
                                                       const BuildContext& context) {
  const auto most = static_cast<size_t>(context.options.max_categories);
  switch (s.kind) {
    case Kind::null:
      return std::make_unique<NothingReader>(context.at);
    case Kind::boolean:
      return std::make_unique<BooleanReader>(optional, context.at);
    case Kind::integer:
      if (!s.codes.empty() && s.codes.size() <= most) return std::make_unique<CodeReader>(scope, s, optional, context);
      [[fallthrough]];
    case Kind::number:
      return std::make_unique<RangeReader>(s, optional, context.at);
    case Kind::string:
      if (s.names.empty() || s.names.size() > most) return nullptr;
      return std::make_unique<CategoryReader<std::string>>(scope, s.names, optional, context);
    case Kind::array:
      if (s.parts.empty()) return std::make_unique<CountReader>(optional, context.at);
      return nullptr;
    case Kind::object:
    case Kind::any_of:
      return nullptr;
  }
  return nullptr;
}

std::unique_ptr<const ArgumentReader> make_row_reader(std::unique_ptr<const Encoder> encoder, bool optional,
                                                      const BuildContext& context) {
  return std::make_unique<RowReader>(std::move(encoder), optional, context);
}

}  // namespace espalier::json
