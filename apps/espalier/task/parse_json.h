// JSON from outside, which may be nested without end.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <espalier/base/error.h>

namespace espalier::app {

// A value of at most 100 levels. DataError: it is deeper, no JSON, or names a key of an object twice; the message
// begins with the name.
inline nlohmann::ordered_json parse_json(std::string_view text, const std::string& name) {
  using Event = nlohmann::ordered_json::parse_event_t;
  constexpr int most = 100;
  std::vector<std::set<std::string>> keys(most + 2);  // of the objects that are open, by level
  const auto check = [&](int depth, Event event, nlohmann::ordered_json& parsed) {
    if (depth > most) throw DataError(name + ": JSON of more than " + std::to_string(most) + " levels");
    const auto level = static_cast<size_t>(depth);
    if (event == Event::object_start) keys[level + 1].clear();
    if (event == Event::key && !keys[level].insert(parsed.get<std::string>()).second)
      throw DataError(name + ": the key '" + parsed.get<std::string>() + "' is given twice");
    return true;
  };
  try {
    return nlohmann::ordered_json::parse(text, check);
  } catch (const nlohmann::json::exception& e) {
    throw DataError(name + ": " + e.what());
  }
}

}  // namespace espalier::app
