// A schema as from_schema reads it: checked, and with what the words of JSON Schema leave open filled in.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <espalier/json.h>

namespace espalier::json {

constexpr size_t deepest_schema = 100;  // levels of nesting: what is read and made level by level stays on the stack

struct Schema {
  enum class Kind { null, boolean, integer, number, string, array, object, any_of };
  struct Field;

  Kind kind = Kind::null;
  bool nullable = false;
  std::optional<double> minimum, maximum;
  std::vector<std::string> names;   // of a string: its values; none: any text
  std::vector<int64_t> codes;       // of an integer
  std::vector<Field> fields;        // of an object
  std::vector<Schema> parts;        // of an array: its items, if any were seen; of any_of: its alternatives
  std::optional<int> fewest, most;  // items of an array
};
struct Schema::Field {
  std::string name;
  Schema value;
  bool required = false;
  bool optional() const { return !required || value.nullable; }  // it may say nothing
};

// "string", "array" …
std::string_view name_of(Schema::Kind kind);

// DataError with the path in the schema where it is not understood.
Schema read_schema(const Json& schema, Where at);

}  // namespace espalier::json
