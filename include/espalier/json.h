// Blocks over JSON (nlohmann): blocks that access and convert the parts of a record, and a block derived from sample
// records. Not included by espalier.h, so other programs do not need nlohmann. See docs/json.md.
#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <espalier/block.h>
#include <espalier/param/parameters.h>
#include <espalier/text/lines.h>

namespace espalier::block::detail {
template <>
inline constexpr bool sequence_like<nlohmann::json> = false;
template <>
inline constexpr bool converts<nlohmann::json> = false;
}  // namespace espalier::block::detail

namespace espalier::json {

using Json = nlohmann::json;
using JsonBlock = block::Block<Json, Expr>;

// ---- access to parts of a record. A value of the wrong kind is a DataError with its path: $.atoms[3].charge

// A field of an object; a missing field is a DataError.
ESPALIER_API block::Block<Json, const Json&> field(std::string name, ESPALIER_AT);
// Like field(), but returns JSON null for a missing field: for nullable() and present().
ESPALIER_API block::Block<Json, const Json&> optional_field(std::string name, ESPALIER_AT);
// An element of an array; a negative index counts from the end.
ESPALIER_API block::Block<Json, const Json&> nth(int index, ESPALIER_AT);
// An array, object or string as its C++ type: for map, fold, slice, get_item and other blocks over containers.
ESPALIER_API block::Block<Json, const Json::array_t&> array(ESPALIER_AT);
ESPALIER_API block::Block<Json, const Json::object_t&> object(ESPALIER_AT);
ESPALIER_API block::Block<Json, const std::string&> text(ESPALIER_AT);
// "null", "boolean", "number", "string", "array" or "object": the key for a one_of over values of several kinds.
ESPALIER_API block::Block<Json, std::string> kind(ESPALIER_AT);
// A number without a fraction, for a label or a lookup; a value outside the range of int is a DataError.
ESPALIER_API block::Block<Json, int> integer(ESPALIER_AT);
// The bytes of a string, 0…255: the input of nn::CharCNN and nn::CharLSTM with 256 letters.
ESPALIER_API block::Block<Json, std::vector<int>> letters(ESPALIER_AT);

// ---- rows

// A row of shape []. NaN or a value outside the range of float is a DataError.
ESPALIER_API JsonBlock number(ESPALIER_AT);
// 1 for true, 0 for false, of shape [].
ESPALIER_API JsonBlock boolean(ESPALIER_AT);
// 0 for null, 1 for any other value, of shape [].
ESPALIER_API JsonBlock present(ESPALIER_AT);
// An array of n numbers as a row of shape [n].
ESPALIER_API JsonBlock numbers(int n, ESPALIER_AT);

// The strings or integers that a field may contain: {"c", "h"}, {1, 2}.
struct Categories {
  std::vector<std::string> names;
  std::vector<int> numbers;
  Categories(std::initializer_list<std::string> values) : names(values) {}
  Categories(std::initializer_list<int> values) : numbers(values) {}
  Categories(std::vector<std::string> values) : names(std::move(values)) {}
  Categories(std::vector<int> values) : numbers(std::move(values)) {}
};
// The treatment of a value outside the categories. error: a DataError; other: one more category after the given ones.
enum class Unknown { error, other };
// The position of a value among the categories, for a lookup.
ESPALIER_API block::Block<Json, int> category(Categories, Unknown = Unknown::error, ESPALIER_AT);
// The same as a one-hot row with one element per category.
ESPALIER_API JsonBlock one_hot(Categories, Unknown = Unknown::error, ESPALIER_AT);

// ---- combinators

// Applies a block, part, cell, module or function to every element of an array; returns a std::vector of the results.
template <class F>
auto each(const F& element, ESPALIER_AT) {
  return array(at) >> block::map(element);
}

namespace detail {
ESPALIER_API block::Block<Json, const Json*> unless_null(ESPALIER_AT);
}
// Applies `some` to a value that is not null. The result for null: zeros with the shapes of `some`, zeros of the shape
// `zeros`, or none(graph).
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

// Reads the records of a plain or gzip file one by one, holding one record in memory. A file that begins with [ is one
// array of records; any other file is a sequence of values, for example one per line.
class ESPALIER_API Records {
 public:
  static constexpr size_t longest = size_t{1} << 26;  // longest record in bytes
  static constexpr int deepest = 1000;                // deepest nesting of a record

  explicit Records(text::Lines lines) : lines_(std::move(lines)) {}
  // Reads the next record; false at the end. DataError with file:line:column: invalid JSON or an unclosed array.
  bool next(Json& record);
  // "records.json:3:17: ", the position of the last record: the prefix for errors in it.
  std::string place() const { return place_; }

 private:
  bool skip_blanks();  // advances to the next non-blank byte; false at the end of the input
  bool begin();        // advances to the first byte of the next record; false at the end
  void scan();         // collects the bytes of one record
  char here() const { return lines_.line()[at_]; }
  [[noreturn]] void fail(const std::string& what) const { lines_.fail(at_ + 1, what); }
  [[noreturn]] void fail_at_end(const std::string& what) const;  // after the last line

  text::Lines lines_;
  size_t at_ = 0;  // byte offset in the line
  bool started_ = false, in_array_ = false, ended_ = false;
  size_t count_ = 0;
  std::string bytes_, place_;  // bytes and position of the current record
};
ESPALIER_API std::vector<Json> read_records(text::Lines lines);

// ---- a block from samples

// Infers a schema that all samples satisfy, in a subset of JSON Schema: type, properties, required, items, minItems,
// maxItems, minimum, maximum, enum, anyOf, plus `counts` next to an enum. Independent of the order of the samples.
// DataError: no samples, or samples nested too deeply.
ESPALIER_API Json infer_schema(std::span<const Json> samples);

struct SchemaOptions {
  int hidden = 32;           // row size of every object, list and text
  int max_categories = 100;  // a string field with more distinct values is read letter by letter
  int max_letters = 256;     // letters read per string; the rest is ignored
};
// A block that maps a record of this schema to a row of `hidden` elements. Fields outside the schema are ignored;
// strings outside an enum count as one more category; a value of the wrong kind is a DataError with its path in the
// record. Parameters are named after the path in the schema: atoms.items.weight. DataError: an unsupported schema.
ESPALIER_API JsonBlock from_schema(Scope scope, const Json& schema, SchemaOptions options = {}, ESPALIER_AT);

}  // namespace espalier::json
