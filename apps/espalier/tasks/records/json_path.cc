#include "tasks/records/json_path.h"

#include <string_view>
#include <utility>

namespace espalier::app {
namespace {

// "a.b.c" is {"a", "b.c"}.
std::pair<std::string, std::string> first_name(const std::string& path) {
  const size_t dot = path.find('.');
  return dot == std::string::npos ? std::pair(path, std::string())
                                  : std::pair(path.substr(0, dot), path.substr(dot + 1));
}

void add_paths(const json::Json& schema, const std::string& before, std::vector<std::string>& paths) {
  const auto fields = schema.find("properties");
  if (fields == schema.end()) return;
  for (const auto& [name, field] : fields->items()) {
    paths.push_back(before + name);
    add_paths(field, before + name + ".", paths);
  }
}

}  // namespace

// A field whose own name contains dots is found, too.
const json::Json* at_path(const json::Json& record, const std::string& path) {
  if (!record.is_object()) return nullptr;
  if (const auto whole = record.find(path); whole != record.end()) return &*whole;
  const auto [name, rest] = first_name(path);
  const auto found = rest.empty() ? record.end() : record.find(name);
  return found == record.end() ? nullptr : at_path(*found, rest);
}

void erase_path(json::Json& schema, const std::string& path) {
  const auto fields = schema.find("properties");
  if (fields == schema.end() || fields->erase(path) > 0) return;
  const auto [name, rest] = first_name(path);
  const auto found = rest.empty() ? fields->end() : fields->find(name);
  if (found == fields->end()) return;
  erase_path(*found, rest);
  if (const auto left = found->find("properties"); left != found->end() && left->empty()) fields->erase(found);
}

std::vector<std::string> paths_of(const json::Json& schema) {
  std::vector<std::string> paths;
  add_paths(schema, "", paths);
  return paths;
}

}  // namespace espalier::app
