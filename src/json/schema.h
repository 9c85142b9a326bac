// Schema: a parsed and checked JSON schema with defaults filled in.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <espalier/json.h>

namespace espalier::json {

constexpr size_t deepest_schema = 100;  // levels of nesting; bounds the recursion of readers and encoders

struct Schema {
  enum class Kind { null, boolean, integer, number, string, array, object, any_of };
  struct Field;

  Kind kind = Kind::null;
  bool nullable = false;
  std::optional<double> minimum, maximum;
  std::vector<std::string> names;   // string: its enum; empty: any text
  std::vector<int64_t> codes;       // integer: its enum; empty: any integer
  std::vector<Field> fields;        // object
  std::vector<Schema> parts;        // array: its item schema, empty if unknown; any_of: the alternatives
  std::optional<int> fewest, most;  // array: minItems, maxItems
};
struct Schema::Field {
  std::string name;
  Schema value;
  bool required = false;
  bool optional() const { return !required || value.nullable; }  // may be missing or null
};

// "string", "array" …
std::string_view name_of(Schema::Kind kind);

// DataError with the path in the schema if it is unsupported.
Schema read_schema(const Json& schema, Where at);

}  // namespace espalier::json
