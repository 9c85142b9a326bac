// Parses untrusted JSON, with a limit on its depth.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <espalier/base/error.h>

namespace espalier::app {

// DataError, beginning with `name`: the text is not JSON, has more than 100 levels, or has an object with a duplicate
// key.
inline nlohmann::ordered_json parse_json(std::string_view text, const std::string& name) {
  using Event = nlohmann::ordered_json::parse_event_t;
  constexpr int most = 100;
  std::vector<std::set<std::string>> keys(most + 2);  // of the open objects, by level
  const auto check = [&](int depth, Event event, nlohmann::ordered_json& parsed) {
    if (depth > most) throw DataError(name + ": JSON has more than " + std::to_string(most) + " levels");
    const auto level = static_cast<size_t>(depth);
    if (event == Event::object_start) keys[level + 1].clear();
    if (event == Event::key && !keys[level].insert(parsed.get<std::string>()).second)
      throw DataError(name + ": duplicate key '" + parsed.get<std::string>() + "'");
    return true;
  };
  try {
    return nlohmann::ordered_json::parse(text, check);
  } catch (const nlohmann::json::exception& e) {
    throw DataError(name + ": " + e.what());
  }
}

}  // namespace espalier::app
