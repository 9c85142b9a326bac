// Infers a schema from samples: a Seen collects the values at one path of the records, then writes their schema.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "json/schema.h"
#include "json/value.h"

namespace espalier::json {
namespace {

constexpr size_t max_names = 1000;                                 // distinct strings counted per path; more: no enum
constexpr uint64_t largest = std::numeric_limits<int64_t>::max();  // larger integers count as numbers with a fraction
constexpr size_t max_codes = 64, min_of_a_code = 8;  // an enum: at most 64 integers, each 8 times on average

// Counts distinct values; becomes empty for good if there are more than `most`.
template <class T, size_t most>
class Distinct {
 public:
  void add(const T& value) {
    if (!counts_) return;
    ++(*counts_)[value];
    if (counts_->size() > most) counts_.reset();
  }
  size_t size() const { return counts_ ? counts_->size() : 0; }
  void write(Json& schema) const {
    if (size() == 0) return;
    for (const auto& [value, count] : *counts_) {
      schema["enum"].push_back(value);
      schema["counts"].push_back(count);
    }
  }

 private:
  std::optional<std::map<T, uint64_t>> counts_{std::in_place};
};

template <class T>
struct Range {
  T least = std::numeric_limits<T>::max(), most = std::numeric_limits<T>::lowest();
  void add(T x) {
    least = std::min(least, x);
    most = std::max(most, x);
  }
};

struct Seen {
  uint64_t nulls = 0, booleans = 0, integers = 0, fractions = 0, texts = 0, arrays = 0, objects = 0;
  Range<double> range;
  Range<int64_t> whole;  // values of integers
  Range<size_t> length;  // lengths of arrays
  Distinct<std::string, max_names> names;
  Distinct<int64_t, max_codes> codes;
  struct Field;
  std::map<std::string, Field> fields;
  std::unique_ptr<Seen> items;

  void add(const Json& x, size_t level, size_t sample);
  Json schema() const;

 private:
  void add_number(const Json& x, size_t sample);
  void add_array(const Json& x, size_t level, size_t sample);
  void add_object(const Json& x, size_t level, size_t sample);
  Json number_schema() const;
  Json array_schema() const;
  Json object_schema() const;
};
struct Seen::Field {
  uint64_t seen = 0;
  Seen value;
};

void Seen::add(const Json& x, size_t level, size_t sample) {
  if (level > deepest_schema)
    throw DataError("infer_schema: sample " + std::to_string(sample) + " is nested more than " +
                    std::to_string(deepest_schema) + " levels deep; describe it by hand");
  switch (x.type()) {
    case Json::value_t::null:
    case Json::value_t::discarded:
      ++nulls;
      break;
    case Json::value_t::boolean:
      ++booleans;
      break;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
      add_number(x, sample);
      break;
    case Json::value_t::string:
      ++texts;
      names.add(x.get_ref<const std::string&>());
      break;
    case Json::value_t::array:
      add_array(x, level, sample);
      break;
    case Json::value_t::object:
      add_object(x, level, sample);
      break;
    case Json::value_t::binary:
      throw DataError("infer_schema: sample " + std::to_string(sample) + " contains binary data; text is needed");
  }
}

void Seen::add_number(const Json& x, size_t sample) {
  if (!std::isfinite(x.get<double>()))
    throw DataError("infer_schema: sample " + std::to_string(sample) + " contains " + std::to_string(x.get<double>()) +
                    "; a finite number is needed");
  range.add(x.get<double>());
  if (x.is_number_float() || (x.is_number_unsigned() && x.get<uint64_t>() > largest)) {
    ++fractions;
    return;
  }
  ++integers;
  whole.add(x.get<int64_t>());
  codes.add(x.get<int64_t>());
}

void Seen::add_array(const Json& x, size_t level, size_t sample) {
  ++arrays;
  length.add(x.size());
  if (!x.empty() && !items) items = std::make_unique<Seen>();
  for (size_t i = 0; i < x.size(); ++i) try {
      items->add(x[i], level + 1, sample);
    } catch (Error& e) {
      e.within(step_to(i));
      throw;
    }
}

void Seen::add_object(const Json& x, size_t level, size_t sample) {
  ++objects;
  for (const auto& [name, value] : x.get_ref<const Json::object_t&>()) try {
      Field& f = fields[name];
      ++f.seen;
      f.value.add(value, level + 1, sample);
    } catch (Error& e) {
      e.within(step_to(name));
      throw;
    }
}

Json Seen::number_schema() const {
  if (fractions > 0) return {{"type", "number"}, {"minimum", range.least}, {"maximum", range.most}};
  Json schema{{"type", "integer"}, {"minimum", whole.least}, {"maximum", whole.most}};
  if (integers >= min_of_a_code * codes.size()) codes.write(schema);
  return schema;
}
Json Seen::array_schema() const {
  Json schema{{"type", "array"}, {"minItems", length.least}, {"maxItems", length.most}};
  if (items) schema["items"] = items->schema();
  return schema;
}
Json Seen::object_schema() const {
  Json schema{{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}};
  for (const auto& [name, f] : fields) {
    schema["properties"][name] = f.value.schema();
    if (f.seen == objects) schema["required"].push_back(name);
  }
  return schema;
}

Json Seen::schema() const {
  Json kinds = Json::array();
  if (booleans > 0) kinds.push_back({{"type", "boolean"}});
  if (integers + fractions > 0) kinds.push_back(number_schema());
  if (texts > 0) {
    kinds.push_back({{"type", "string"}});
    names.write(kinds.back());
  }
  if (arrays > 0) kinds.push_back(array_schema());
  if (objects > 0) kinds.push_back(object_schema());
  if (kinds.empty()) return {{"type", "null"}};
  if (kinds.size() == 1) {
    if (nulls > 0) kinds[0]["type"] = {kinds[0]["type"], "null"};
    return kinds[0];
  }
  if (nulls > 0) kinds.push_back({{"type", "null"}});
  return {{"anyOf", kinds}};
}

}  // namespace

Json infer_schema(std::span<const Json> samples) {
  if (samples.empty()) throw DataError("infer_schema: no samples are given; at least one is needed");
  Seen seen;
  for (size_t i = 0; i < samples.size(); ++i) seen.add(samples[i], 0, i);
  return seen.schema();
}

}  // namespace espalier::json
