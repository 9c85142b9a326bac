// A block from a schema: an encoder for each place of the records whose values are rows.
#include <algorithm>
#include <array>
#include <cmath>

#include <espalier/nn/characters.h>
#include "json/layer.h"
#include "json/normalised.h"

namespace espalier::json {
namespace {

using Kind = Schema::Kind;
using EncoderPtr = std::unique_ptr<const Encoder>;

// A name as one word of a parameter's path: what has a meaning there is written as %2E.
std::string word(const std::string& name) {
  if (name.empty()) return "%";
  std::string text;
  for (const char c : name) text += c == '.' ? "%2E" : c == '%' ? "%25" : std::string(1, c);
  return text;
}

EncoderPtr make_row(Scope scope, const Schema& schema, const Making& making);
EncoderPtr make_encoder(Scope scope, const Schema& schema, const Making& making);
std::unique_ptr<const Slot> make_slot(Scope scope, const Schema& schema, bool optional, const Making& making) {
  if (auto leaf = make_leaf_slot(scope, schema, optional, making)) return leaf;
  return make_row_slot(make_row(scope, schema, making), optional, making);
}

class ObjectEncoder final : public Encoder {
 public:
  ObjectEncoder(Scope scope, const Schema& schema, const Making& making)
      : fields_(fields_of(schema)), layer_(scope, "object", slots_of(scope, schema, making), making), at_(making.at) {}

  Expr encode(Graph& g, const Json& x, Arguments& stack) const override {
    const Json::object_t& object = object_in(x, at_);
    const Arguments::Mark mark = stack.mark();
    for (size_t i = 0; i < fields_.size(); ++i) {
      const Field& f = fields_[i];
      const Json* value = find_field(object, f.name);
      if (value == nullptr && f.required) refuse_missing(object, name_in_text(f.name), at_);
      if (value != nullptr && value->is_null() && f.optional) value = nullptr;
      try {
        layer_.slot(i).read(g, value, stack);
      } catch (Error& e) {
        e.within(step_to(f.name));
        throw;
      }
    }
    return layer_(g, stack, mark);
  }

 private:
  struct Field {
    std::string name;
    bool required, optional;
  };
  static std::vector<Field> fields_of(const Schema& schema) {
    std::vector<Field> fields;
    for (const Schema::Field& f : schema.fields) fields.push_back({f.name, f.required, f.optional()});
    return fields;
  }
  static Layer::Slots slots_of(Scope scope, const Schema& schema, const Making& making) {
    Layer::Slots slots;
    for (const Schema::Field& f : schema.fields)
      slots.push_back(make_slot(scope / word(f.name), f.value, f.optional(), making));
    return slots;
  }
  std::vector<Field> fields_;
  Layer layer_;
  Where at_;
};

// A value that is no object as a layer of one slot.
class SingleEncoder final : public Encoder {
 public:
  SingleEncoder(Scope scope, std::string_view name, std::unique_ptr<const Slot> slot, bool nullable,
                const Making& making)
      : layer_(scope, name, one(std::move(slot)), making), nullable_(nullable) {}
  Expr encode(Graph& g, const Json& x, Arguments& stack) const override {
    const Arguments::Mark mark = stack.mark();
    layer_.slot(0).read(g, nullable_ && x.is_null() ? nullptr : &x, stack);
    return layer_(g, stack, mark);
  }

 private:
  static Layer::Slots one(std::unique_ptr<const Slot> slot) {
    Layer::Slots slots;
    slots.push_back(std::move(slot));
    return slots;
  }
  Layer layer_;
  bool nullable_;
};

// tanh(W [mean; what is attended to; log(1 + n)] + b) over the rows of n items; of none, the first two are 0.
class ListEncoder final : public Encoder {
 public:
  ListEncoder(Scope scope, const Schema& schema, const Making& making)
      : item_(make_encoder(scope / "items", schema.parts[0], making)), at_(making.at) {
    const int hidden = making.options.hidden;
    const Parameter attend = scope.add("attend", {hidden}, init::uniform(-0.1f, 0.1f));
    const Parameter weight = scope.add("weight", {hidden, 2 * hidden + 1});
    const Parameter bias = scope.add("bias", {hidden}, init::constant(0));
    pool_ = scope.cell("list", {{hidden}, {}}, [&](Many<Expr> items, Number log_count) {
      const Expr rows = items;
      const Expr attended = sum_rows(softmax_rows(dot(rows, attend)) * rows);
      return tanh(linear(concat(mean_rows(rows), attended, log_count), weight, bias));
    });
  }
  Expr encode(Graph& g, const Json& x, Arguments& stack) const override {
    const Arguments::Mark mark = stack.mark();
    size_t i = 0;
    const Json::array_t& array = array_in(x, at_);
    try {
      for (; i < array.size(); ++i) stack.rows.push_back(item_->encode(g, array[i], stack));
    } catch (Error& e) {
      e.within(step_to(i));
      throw;
    }
    const auto rows = std::span<const Expr>(stack.rows).subspan(mark.rows);
    const Expr out = pool_(g, rows, std::log1p(static_cast<float>(rows.size())), at_);
    stack.back_to(mark);
    return out;
  }

 private:
  EncoderPtr item_;
  Cell<Expr(Many<Expr>, Number)> pool_;
  Where at_;
};

// An array that always has the same number of numbers.
class VectorEncoder final : public Encoder {
 public:
  VectorEncoder(Scope scope, const Schema& schema, const Making& making)
      : range_(schema.parts[0]), n_(*schema.most), at_(making.at) {
    const Parameter weight = scope.add("weight", {making.options.hidden, n_});
    const Parameter bias = scope.add("bias", {making.options.hidden}, init::constant(0));
    layer_ = scope.cell("vector", {{n_}}, [&](Expr v) { return tanh(linear(v, weight, bias)); });
  }
  Expr encode(Graph& g, const Json& x, Arguments&) const override {
    const Json::array_t& array = array_in(x, at_);
    std::vector<float> numbers;
    numbers.reserve(array.size());
    try {
      for (const Json& element : array) numbers.push_back(range_(element, at_));
    } catch (Error& e) {
      e.within(step_to(numbers.size()));
      throw;
    }
    return layer_(block::detail::record_numbers(g, numbers, {n_}, at_), at_);
  }

 private:
  Normalised range_;
  int n_;
  Cell<Expr(Expr)> layer_;
  Where at_;
};

// A string letter by letter: the maximum over its windows of three bytes.
class TextEncoder final : public Encoder {
 public:
  TextEncoder(Scope scope, const Making& making)
      : windows_(scope, 256, std::min(16, making.options.hidden), making.options.hidden),
        most_(static_cast<size_t>(making.options.max_letters)),
        at_(making.at) {}
  Expr encode(Graph& g, const Json& x, Arguments&) const override {
    const std::string& text = text_in(x, at_);
    std::vector<int> bytes;
    bytes.reserve(std::min(most_, text.size()));
    for (size_t i = 0; i < text.size() && i < most_; ++i) bytes.push_back(static_cast<unsigned char>(text[i]));
    return windows_(g, bytes, at_);
  }

 private:
  nn::CharCNN<3> windows_;
  size_t most_;
  Where at_;
};

// By the kind of the value.
class VariantEncoder final : public Encoder {
 public:
  VariantEncoder(Scope scope, const Schema& schema, const Making& making) : at_(making.at) {
    for (const Schema& part : schema.parts) {
      const std::string name(part.kind == Kind::integer ? "number" : name_of(part.kind));
      kinds_.push_back({name, make_row(scope / name, part, making)});
    }
  }
  Expr encode(Graph& g, const Json& x, Arguments& stack) const override {
    const auto found = std::ranges::find(kinds_, kind_of(x), &Alternative::kind);
    if (found == kinds_.end()) {
      std::string needed;
      for (const Alternative& k : kinds_) needed += (needed.empty() ? "" : " or ") + a_kind(k.kind);
      throw DataError(a_kind(kind_of(x)) + " is given; " + needed + " is needed" + str(at_));
    }
    return found->encoder->encode(g, x, stack);
  }

 private:
  struct Alternative {
    std::string kind;
    EncoderPtr encoder;
  };
  std::vector<Alternative> kinds_;
  Where at_;
};

bool is_vector(const Schema& s) {
  if (!s.fewest || s.fewest != s.most || *s.most < 2) return false;
  const Schema& item = s.parts[0];
  return !item.nullable && (item.kind == Kind::number || (item.kind == Kind::integer && item.codes.empty()));
}

// Of values that are not null.
EncoderPtr make_row(Scope scope, const Schema& s, const Making& making) {
  if (auto leaf = make_leaf_slot(scope, s, false, making))
    return std::make_unique<SingleEncoder>(scope, name_of(s.kind), std::move(leaf), false, making);
  if (s.kind == Kind::object) return std::make_unique<ObjectEncoder>(scope, s, making);
  if (s.kind == Kind::any_of) return std::make_unique<VariantEncoder>(scope, s, making);
  if (s.kind == Kind::string) return std::make_unique<TextEncoder>(scope, making);
  if (is_vector(s)) return std::make_unique<VectorEncoder>(scope, s, making);
  return std::make_unique<ListEncoder>(scope, s, making);
}

EncoderPtr make_encoder(Scope scope, const Schema& s, const Making& making) {
  if (!s.nullable) return make_row(scope, s, making);
  // The layer that sees the flag needs names of its own; no field is called so (see word).
  return std::make_unique<SingleEncoder>(scope / "%null", "nullable", make_slot(scope, s, true, making), true, making);
}

struct Derived final : block::detail::Node<Json, Expr> {
  EncoderPtr root;
  Derived(EncoderPtr r, const Making& making) : root(std::move(r)) {
    this->at = making.at;
    this->shapes.emplace(1, Shape{making.options.hidden});
  }
  Expr run(Graph& g, const Json& x) const override {
    thread_local Arguments stack;  // nothing that is called in between records JSON
    stack.back_to({});             // an error may have left something
    return root->encode(g, x, stack);
  }
};

}  // namespace

JsonBlock from_schema(Scope scope, const Json& schema, SchemaOptions options, Where at) {
  auto at_least = [&](const char* name, int value, int least) {
    if (value < least)
      throw DataError("from_schema: " + std::string(name) + " is " + std::to_string(value) + "; it must be at least " +
                      std::to_string(least) + str(at));
  };
  at_least("hidden", options.hidden, 1);
  at_least("max_categories", options.max_categories, 0);
  at_least("max_letters", options.max_letters, 1);
  const Making making{options, at};
  return JsonBlock(std::make_shared<Derived>(make_encoder(scope, read_schema(schema, at), making), making));
}

}  // namespace espalier::json
