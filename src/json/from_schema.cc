// Builds a block from a schema: one encoder for each part of the schema whose values become rows.
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

// Escapes a field name for use in a parameter's path: '.' becomes %2E, '%' becomes %25, and an empty name becomes %.
std::string word(const std::string& name) {
  if (name.empty()) return "%";
  std::string text;
  for (const char c : name) text += c == '.' ? "%2E" : c == '%' ? "%25" : std::string(1, c);
  return text;
}

EncoderPtr make_row(Scope scope, const Schema& schema, const BuildContext& context);
EncoderPtr make_encoder(Scope scope, const Schema& schema, const BuildContext& context);
std::unique_ptr<const ArgumentReader> make_reader(Scope scope, const Schema& schema, bool optional,
                                                  const BuildContext& context) {
  if (auto leaf = make_leaf_reader(scope, schema, optional, context)) return leaf;
  return make_row_reader(make_row(scope, schema, context), optional, context);
}

class ObjectEncoder final : public Encoder {
 public:
  ObjectEncoder(Scope scope, const Schema& schema, const BuildContext& context)
      : fields_(fields_of(schema)),
        layer_(scope, "object", readers_of(scope, schema, context), context),
        at_(context.at) {}

  Expr encode(Graph& g, const Json& x, Arguments& stack) const override {
    const Json::object_t& object = object_in(x, at_);
    const Arguments::Mark mark = stack.mark();
    for (size_t i = 0; i < fields_.size(); ++i) {
      const Field& f = fields_[i];
      const Json* value = find_field(object, f.name);
      if (value == nullptr && f.required) refuse_missing(object, name_in_text(f.name), at_);
      if (value != nullptr && value->is_null() && f.optional) value = nullptr;
      try {
        layer_.reader(i).read(g, value, stack);
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
  static Layer::Readers readers_of(Scope scope, const Schema& schema, const BuildContext& context) {
    Layer::Readers readers;
    for (const Schema::Field& f : schema.fields)
      readers.push_back(make_reader(scope / word(f.name), f.value, f.optional(), context));
    return readers;
  }
  std::vector<Field> fields_;
  Layer layer_;
  Where at_;
};

// Encodes a value that is not an object: a layer with one reader.
class SingleEncoder final : public Encoder {
 public:
  SingleEncoder(Scope scope, std::string_view name, std::unique_ptr<const ArgumentReader> reader, bool nullable,
                const BuildContext& context)
      : layer_(scope, name, one(std::move(reader)), context), nullable_(nullable) {}
  Expr encode(Graph& g, const Json& x, Arguments& stack) const override {
    const Arguments::Mark mark = stack.mark();
    layer_.reader(0).read(g, nullable_ && x.is_null() ? nullptr : &x, stack);
    return layer_(g, stack, mark);
  }

 private:
  static Layer::Readers one(std::unique_ptr<const ArgumentReader> reader) {
    Layer::Readers readers;
    readers.push_back(std::move(reader));
    return readers;
  }
  Layer layer_;
  bool nullable_;
};

// tanh(W [mean; attention; log(1 + n)] + b) over the rows of n items; for n = 0, mean and attention are 0.
class ListEncoder final : public Encoder {
 public:
  ListEncoder(Scope scope, const Schema& schema, const BuildContext& context)
      : item_(make_encoder(scope / "items", schema.parts[0], context)), at_(context.at) {
    const int hidden = context.options.hidden;
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

// Encodes an array of numbers with a fixed length.
class VectorEncoder final : public Encoder {
 public:
  VectorEncoder(Scope scope, const Schema& schema, const BuildContext& context)
      : range_(schema.parts[0]), n_(*schema.most), at_(context.at) {
    const Parameter weight = scope.add("weight", {context.options.hidden, n_});
    const Parameter bias = scope.add("bias", {context.options.hidden}, init::constant(0));
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

// Encodes a string letter by letter: max pooling over windows of three bytes.
class TextEncoder final : public Encoder {
 public:
  TextEncoder(Scope scope, const BuildContext& context)
      : windows_(scope, 256, std::min(16, context.options.hidden), context.options.hidden),
        most_(static_cast<size_t>(context.options.max_letters)),
        at_(context.at) {}
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

// Selects an encoder by the kind of the value.
class VariantEncoder final : public Encoder {
 public:
  VariantEncoder(Scope scope, const Schema& schema, const BuildContext& context) : at_(context.at) {
    for (const Schema& part : schema.parts) {
      const std::string name(part.kind == Kind::integer ? "number" : name_of(part.kind));
      kinds_.push_back({name, make_row(scope / name, part, context)});
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

// An encoder for non-null values of the schema.
EncoderPtr make_row(Scope scope, const Schema& s, const BuildContext& context) {
  if (auto leaf = make_leaf_reader(scope, s, false, context))
    return std::make_unique<SingleEncoder>(scope, name_of(s.kind), std::move(leaf), false, context);
  if (s.kind == Kind::object) return std::make_unique<ObjectEncoder>(scope, s, context);
  if (s.kind == Kind::any_of) return std::make_unique<VariantEncoder>(scope, s, context);
  if (s.kind == Kind::string) return std::make_unique<TextEncoder>(scope, context);
  if (is_vector(s)) return std::make_unique<VectorEncoder>(scope, s, context);
  return std::make_unique<ListEncoder>(scope, s, context);
}

EncoderPtr make_encoder(Scope scope, const Schema& s, const BuildContext& context) {
  if (!s.nullable) return make_row(scope, s, context);
  // The layer with the presence flag needs its own scope; "%null" cannot be the name of a field, see word().
  return std::make_unique<SingleEncoder>(scope / "%null", "nullable", make_reader(scope, s, true, context), true,
                                         context);
}

struct Derived final : block::detail::Node<Json, Expr> {
  EncoderPtr root;
  Derived(EncoderPtr r, const BuildContext& context) : root(std::move(r)) {
    this->at = context.at;
    this->shapes.emplace(1, Shape{context.options.hidden});
  }
  Expr run(Graph& g, const Json& x) const override {
    thread_local Arguments stack;  // encoders never re-enter run()
    stack.back_to({});             // an exception may have left arguments on it
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
  const BuildContext context{options, at};
  return JsonBlock(std::make_shared<Derived>(make_encoder(scope, read_schema(schema, at), context), context));
}

}  // namespace espalier::json
