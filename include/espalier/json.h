// Blocks over JSON (nlohmann): leaves and steps for describing a record by hand, and a block derived from samples of
// records. Not part of espalier.h, so that only those who read JSON need nlohmann. docs/json.md is the tour.
#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <espalier/block.h>
#include <espalier/data/lines.h>
#include <espalier/param/parameters.h>

namespace espalier::block::detail {
template <>
inline constexpr bool sequence_like<nlohmann::json> = false;
template <>
inline constexpr bool converts<nlohmann::json> = false;
}  // namespace espalier::block::detail

namespace espalier::json {

using Json = nlohmann::json;
using JsonBlock = block::Block<Json, Expr>;

// ---- steps into a record. A value of another kind is a DataError that names the path: $.atoms[3].charge

// A field of an object; a missing one is a DataError.
ESPALIER_API block::Block<Json, const Json&> field(std::string name, ESPALIER_AT);
// The same, but null where the field is missing: for nullable() and present().
ESPALIER_API block::Block<Json, const Json&> optional_field(std::string name, ESPALIER_AT);
// An element of an array; a negative index counts from the end.
ESPALIER_API block::Block<Json, const Json&> nth(int index, ESPALIER_AT);
// An array, an object, a string as what they are in C++: for map, fold, slice, get_item and all else over containers.
ESPALIER_API block::Block<Json, const Json::array_t&> array(ESPALIER_AT);
ESPALIER_API block::Block<Json, const Json::object_t&> object(ESPALIER_AT);
ESPALIER_API block::Block<Json, const std::string&> text(ESPALIER_AT);
// "null", "boolean", "number", "string", "array" or "object": the key of a one_of over values of several kinds.
ESPALIER_API block::Block<Json, std::string> kind(ESPALIER_AT);
// A number without a fraction, for a label or a lookup; one beyond an int is a DataError.
ESPALIER_API block::Block<Json, int> integer(ESPALIER_AT);
// The bytes of a string, 0…255: what nn::CharCNN and nn::CharLSTM take, for 256 letters.
ESPALIER_API block::Block<Json, std::vector<int>> letters(ESPALIER_AT);

// ---- rows

// A row of shape []. A number beyond a float, or none at all (NaN), is a DataError.
ESPALIER_API JsonBlock number(ESPALIER_AT);
// 1 for true, 0 for false, of shape [].
ESPALIER_API JsonBlock boolean(ESPALIER_AT);
// 0 for null, 1 for all else, of shape [].
ESPALIER_API JsonBlock present(ESPALIER_AT);
// An array of n numbers as a row of shape [n].
ESPALIER_API JsonBlock numbers(int n, ESPALIER_AT);

// Strings or integers that a field may hold: {"c", "h"}, {1, 2}.
struct Categories {
  std::vector<std::string> names;
  std::vector<int> numbers;
  Categories(std::initializer_list<std::string> values) : names(values) {}
  Categories(std::initializer_list<int> values) : numbers(values) {}
  Categories(std::vector<std::string> values) : names(std::move(values)) {}
  Categories(std::vector<int> values) : numbers(std::move(values)) {}
};
// What is made of a value that is none of the categories: a DataError, or one more category after the others.
enum class Unknown { error, other };
// The position of a value among the categories, for a lookup.
ESPALIER_API block::Block<Json, int> category(Categories, Unknown = Unknown::error, ESPALIER_AT);
// The same as a row with an element for each category.
ESPALIER_API JsonBlock one_hot(Categories, Unknown = Unknown::error, ESPALIER_AT);

// ---- around other blocks

// A block, part, cell, module or function of every element of an array: a std::vector of what it gives.
template <class F>
auto each(const F& element, ESPALIER_AT) {
  return array(at) >> block::map(element);
}

namespace detail {
ESPALIER_API block::Block<Json, const Json*> unless_null(ESPALIER_AT);
}
// `some` of what is there; for null, zeros of the shapes of `some`, or of this shape, or none(graph).
template <class Out>
auto nullable(const block::Block<Json, Out>& some, ESPALIER_AT) {
  return detail::unless_null(at) >> block::optional(some);
}
template <class F>
auto nullable(const F& some, Shape zeros, ESPALIER_AT) {
  return detail::unless_null(at) >> block::optional(some, zeros);
}
template <class F, class None>
  requires std::is_invocable_v<const None&, Graph&>
auto nullable(const F& some, const None& none, ESPALIER_AT) {
  return detail::unless_null(at) >> block::optional(some, none);
}

// ---- files

// The records of a file, plain or gzip, one after the other: the elements of one array, or values one after the other,
// such as one a line. A file that begins with [ is one array. What it takes is one record.
class ESPALIER_API Records {
 public:
  static constexpr size_t longest = size_t{1} << 26;  // of a record, in bytes
  static constexpr int deepest = 1000;                // levels of a record

  explicit Records(data::Lines lines) : lines_(std::move(lines)) {}
  // The next record, if there is one. DataError with file:line:column: no JSON, an array that does not end.
  bool next(Json& record);
  // "records.json:3:17: ", where the last record began: for what others find wrong with it.
  std::string place() const { return place_; }

 private:
  bool skip_blanks();  // to what is none; false: there is nothing
  bool begin();        // to the first byte of the next record, if there is one
  void scan();         // takes the bytes of one record
  char here() const { return lines_.line()[at_]; }
  [[noreturn]] void fail(const std::string& what) const { lines_.fail(at_ + 1, what); }
  [[noreturn]] void fail_at_end(const std::string& what) const;  // after the last line

  data::Lines lines_;
  size_t at_ = 0;  // in the line
  bool started_ = false, in_array_ = false, ended_ = false;
  size_t count_ = 0;
  std::string bytes_, place_;  // of the record
};
ESPALIER_API std::vector<Json> read_records(data::Lines lines);

// ---- a block from samples

// A schema that all samples fit, in a few words of JSON Schema: type, properties, required, items, minItems, maxItems,
// minimum, maximum, enum, anyOf, and `counts` beside an enum. It does not depend on the order of the samples.
// DataError: there are none, or they are nested too deep.
ESPALIER_API Json infer_schema(std::span<const Json> samples);

struct SchemaOptions {
  int hidden = 32;           // elements of the row that each object, list and text becomes
  int max_categories = 100;  // strings with more different values are read letter by letter
  int max_letters = 256;     // and no further than this
};
// A row of `hidden` for a record that fits the schema. Fields that it does not name are ignored, strings that it does
// not name are one more category; another kind of value is a DataError that names the path in the record. Parameters
// are named after the path in the schema: atoms.items.weight. DataError: the schema is not understood.
ESPALIER_API JsonBlock from_schema(Scope scope, const Json& schema, SchemaOptions options = {}, ESPALIER_AT);

}  // namespace espalier::json
