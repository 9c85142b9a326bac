// JSON from outside, which may be nested without end.
#pragma once
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <espalier/base/error.h>

namespace espalier::app {

// A value of at most 100 levels. DataError: it is deeper, or no JSON; the message begins with the name.
inline nlohmann::ordered_json parse_json(std::string_view text, const std::string& name) {
  constexpr int most = 100;
  const auto check = [&](int depth, nlohmann::ordered_json::parse_event_t, nlohmann::ordered_json&) {
    if (depth > most) throw DataError(name + ": JSON of more than " + std::to_string(most) + " levels");
    return true;
  };
  try {
    return nlohmann::ordered_json::parse(text, check);
  } catch (const nlohmann::json::exception& e) {
    throw DataError(name + ": " + e.what());
  }
}

}  // namespace espalier::app
