// Converts a JSON value to the type that a block needs; a value of another type is a DataError.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include <espalier/json.h>

namespace espalier::json {

// "null", "boolean", "number", "string", "array" or "object"; a_kind adds the article.
std::string_view kind_of(const Json& x);
std::string a_kind(std::string_view kind);
std::string printed(const Json& x);
using block::detail::in_quotes;
using block::detail::name_in_text;
using block::detail::step_to;
// The first few names as "a, b, c"; a longer list ends in its size: "a, b, … (9)".
std::string listed(const std::vector<std::string>& names);

// "a string is given; a number is needed (model.cc:41)"
[[noreturn]] void refuse_kind(const Json& given, std::string_view needed, Where at);

const Json::object_t& object_in(const Json& x, Where at);
const Json::array_t& array_in(const Json& x, Where at);
const std::string& text_in(const Json& x, Where at);
bool boolean_in(const Json& x, Where at);
double number_in(const Json& x, Where at);                 // finite
std::optional<int64_t> whole_in(const Json& x, Where at);  // nullopt: has a fraction or does not fit 64 bits
float float_of(double x, const Json& given, Where at);     // DataError: outside the range of float
// Returns null if the field is missing.
const Json* find_field(const Json::object_t& object, std::string_view name);
[[noreturn]] void refuse_missing(const Json::object_t& object, std::string_view needed, Where at);

}  // namespace espalier::json
