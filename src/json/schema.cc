#include "json/schema.h"

#include <algorithm>
#include <array>
#include <utility>

#include "json/value.h"

namespace espalier::json {
namespace {

using Kind = Schema::Kind;
constexpr std::array<std::string_view, 7> kind_names{"null",   "boolean", "integer", "number",
                                                     "string", "array",   "object"};

// Reads a schema recursively.
class Reader {
 public:
  explicit Reader(Where at) : at_(at) {}

  Schema read(const Json& x, size_t level, bool alternative = false) {
    const Json::object_t& object = object_in(x, at_);
    if (level > deepest_schema) refuse("the schema is more than " + std::to_string(deepest_schema) + " levels deep");
    if (find_field(object, "$ref") != nullptr) refuse("$ref is not supported; write the schema inline");
    Schema s;
    if (const Json* alternatives = find_field(object, "anyOf")) {
      if (alternative) refuse("nested anyOf; an alternative must have one type");
      within(".anyOf", [&] { read_alternatives(*alternatives, s, level); });
      return s;
    }
    const Json* type = find_field(object, "type");
    if (type == nullptr) refuse_missing(object, "type or anyOf", at_);
    within(".type", [&] { read_type(*type, s); });
    if (s.kind == Kind::integer || s.kind == Kind::number) read_range(object, s);
    if (s.kind == Kind::integer || s.kind == Kind::string)
      read_part(object, "enum", [&](const Json& values) { read_values(values, s); });
    if (s.kind == Kind::object) read_fields(object, s, level);
    if (s.kind == Kind::array) {
      read_part(object, "items", [&](const Json& items) { s.parts.push_back(read(items, level + 1)); });
      read_part(object, "minItems", [&](const Json& n) { s.fewest = count_in(n); });
      read_part(object, "maxItems", [&](const Json& n) { s.most = count_in(n); });
      if (s.fewest && s.most && *s.fewest > *s.most) refuse("minItems is larger than maxItems");
    }
    return s;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw DataError(what + str(at_)); }

  template <class F>
  static void within(const std::string& step, F f) {
    try {
      f();
    } catch (Error& e) {
      e.within(step);
      throw;
    }
  }
  template <class F>
  static void read_part(const Json::object_t& object, std::string_view name, F f) {
    if (const Json* part = find_field(object, name)) within(step_to(name), [&] { f(*part); });
  }
  template <class F>
  void each(const Json& x, F f) const {
    size_t i = 0;
    for (const Json& element : array_in(x, at_)) within(step_to(i++), [&] { f(element); });
  }

  Kind kind_in(const Json& x) const {
    const std::string& name = text_in(x, at_);
    const auto found = std::ranges::find(kind_names, name);
    if (found == kind_names.end())
      refuse(in_quotes(name) + " is given; one of null, boolean, integer, number, string, array, object is needed");
    return static_cast<Kind>(found - kind_names.begin());
  }
  // A name, or a name and "null".
  void read_type(const Json& x, Schema& s) const {
    if (x.is_string()) {
      s.kind = kind_in(x);
      return;
    }
    if (array_in(x, at_).empty()) refuse("the list of types is empty; at least one is needed");
    each(x, [&](const Json& name) {
      const Kind kind = kind_in(name);
      if (kind == Kind::null)
        s.nullable = true;
      else if (s.kind == Kind::null)
        s.kind = kind;
      else
        refuse("a second type is given; a type list holds one type and null; use anyOf for more");
    });
  }
  int count_in(const Json& x) const {
    const auto n = whole_in(x, at_);
    if (!n || *n < 0 || !std::in_range<int>(*n))
      refuse(printed(x) + " is given; a non-negative integer that fits an int is needed");
    return static_cast<int>(*n);
  }
  void read_range(const Json::object_t& object, Schema& s) const {
    read_part(object, "minimum", [&](const Json& x) { s.minimum = number_in(x, at_); });
    read_part(object, "maximum", [&](const Json& x) { s.maximum = number_in(x, at_); });
    if (s.minimum && s.maximum && *s.minimum > *s.maximum) refuse("the minimum is larger than the maximum");
  }
  void read_values(const Json& values, Schema& s) const {
    each(values, [&](const Json& value) {
      if (s.kind == Kind::string)
        add_once(s.names, text_in(value, at_), value);
      else if (const auto code = whole_in(value, at_))
        add_once(s.codes, *code, value);
      else
        refuse(printed(value) + " is given; an integer that fits 64 bits is needed");
    });
    if (s.names.empty() && s.codes.empty()) refuse("no values are given; at least one is needed");
  }
  template <class T>
  void add_once(std::vector<T>& values, const T& value, const Json& given) const {
    if (std::ranges::find(values, value) != values.end()) refuse(printed(given) + " is given twice");
    values.push_back(value);
  }
  void read_fields(const Json::object_t& object, Schema& s, size_t level) {
    read_part(object, "properties", [&](const Json& properties) {
      for (const auto& [name, value] : object_in(properties, at_))
        within(step_to(name), [&, &n = name, &v = value] { s.fields.push_back({n, read(v, level + 1), false}); });
    });
    read_part(object, "required", [&](const Json& required) {
      each(required, [&](const Json& name) {  // names without a property are ignored
        const std::string& needed = text_in(name, at_);
        for (Schema::Field& f : s.fields) f.required |= f.name == needed;
      });
    });
  }
  void read_alternatives(const Json& alternatives, Schema& s, size_t level) {
    s.kind = Kind::any_of;
    each(alternatives, [&](const Json& x) {
      Schema part = read(x, level, true);
      s.nullable |= part.nullable || part.kind == Kind::null;
      if (part.kind == Kind::null) return;
      const bool number = part.kind == Kind::integer || part.kind == Kind::number;
      for (const Schema& other : s.parts)
        if (part.kind == other.kind || (number && (other.kind == Kind::integer || other.kind == Kind::number)))
          refuse("a second alternative is " + a_kind(name_of(part.kind)) + "; alternatives must have different types");
      s.parts.push_back(std::move(part));
    });
    if (s.parts.empty()) refuse("anyOf has no alternative; at least one that is not null is needed");
  }

  Where at_;
};

}  // namespace

std::string_view name_of(Kind kind) { return kind == Kind::any_of ? "anyOf" : kind_names[static_cast<size_t>(kind)]; }

Schema read_schema(const Json& schema, Where at) {
  try {
    return Reader(at).read(schema, 0);
  } catch (const DataError& e) {
    throw DataError("from_schema: " + std::string(e.what()));
  }
}

}  // namespace espalier::json
