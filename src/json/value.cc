#include "json/value.h"

#include <cmath>
#include <limits>
#include <utility>

namespace espalier::json {
namespace {

constexpr size_t max_listed = 8;

}  // namespace

std::string_view kind_of(const Json& x) {
  switch (x.type()) {
    case Json::value_t::null:
    case Json::value_t::discarded:
      return "null";
    case Json::value_t::boolean:
      return "boolean";
    case Json::value_t::string:
      return "string";
    case Json::value_t::array:
      return "array";
    case Json::value_t::object:
      return "object";
    case Json::value_t::binary:
      return "binary";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
      return "number";
  }
  return "null";
}

std::string a_kind(std::string_view kind) {
  if (kind == "null") return "null";
  const bool vowel = kind == "array" || kind == "object" || kind == "integer";
  return (vowel ? "an " : "a ") + std::string(kind);
}

std::string printed(const Json& x) {
  if (x.is_string()) return in_quotes(x.get_ref<const std::string&>());
  return x.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < max_listed; ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > max_listed) text += ", … (" + std::to_string(names.size()) + ")";
  return text;
}

void refuse_kind(const Json& given, std::string_view needed, Where at) {
  throw DataError(a_kind(kind_of(given)) + " is given; " + a_kind(needed) + " is needed" + str(at));
}

const Json::object_t& object_in(const Json& x, Where at) {
  const auto* object = x.get_ptr<const Json::object_t*>();
  if (object == nullptr) refuse_kind(x, "object", at);
  return *object;
}
const Json::array_t& array_in(const Json& x, Where at) {
  const auto* array = x.get_ptr<const Json::array_t*>();
  if (array == nullptr) refuse_kind(x, "array", at);
  return *array;
}
const std::string& text_in(const Json& x, Where at) {
  const auto* text = x.get_ptr<const std::string*>();
  if (text == nullptr) refuse_kind(x, "string", at);
  return *text;
}
bool boolean_in(const Json& x, Where at) {
  const auto* flag = x.get_ptr<const bool*>();
  if (flag == nullptr) refuse_kind(x, "boolean", at);
  return *flag;
}
double number_in(const Json& x, Where at) {
  if (!x.is_number()) refuse_kind(x, "number", at);
  const auto number = x.get<double>();
  if (!std::isfinite(number))
    throw DataError(std::to_string(number) + " is given; a finite number is needed" + str(at));
  return number;
}
std::optional<int64_t> whole_in(const Json& x, Where at) {
  const double n = number_in(x, at);
  if (x.is_number_float() && (n != std::floor(n) || n < -0x1p63 || n >= 0x1p63)) return std::nullopt;
  if (x.is_number_unsigned() && !std::in_range<int64_t>(x.get<uint64_t>())) return std::nullopt;
  return x.get<int64_t>();
}
float float_of(double x, const Json& given, Where at) {
  if (std::abs(x) > std::numeric_limits<float>::max())
    throw DataError(printed(given) + " is given; a number that fits a float is needed, at most 3.4e38" + str(at));
  return static_cast<float>(x);
}

const Json* find_field(const Json::object_t& object, std::string_view name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &found->second;
}
void refuse_missing(const Json::object_t& object, std::string_view needed, Where at) {
  std::vector<std::string> names;
  for (const auto& entry : object) names.push_back(name_in_text(entry.first));
  throw DataError("no field " + std::string(needed) + "; " +
                  (names.empty() ? "the object is empty" : "it has " + listed(names)) + str(at));
}

}  // namespace espalier::json
