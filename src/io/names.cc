#include "io/names.h"

#include <algorithm>
#include <string_view>

namespace espalier::io {
namespace {

// Removes the last component from `path` and returns it.
std::string_view cut_last(std::string_view& path) {
  const size_t dot = path.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? path : path.substr(dot + 1);
  path = dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
  return last;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::vector<std::vector<std::string>> names_in_files(const std::string& parameter) {
  std::vector<std::vector<std::string>> names{{parameter}};
  std::string_view module = parameter;
  const std::string_view leaf = cut_last(module);
  std::vector<std::string> kinds;
  if (leaf == "bias")
    kinds = {"bias_ih", "bias_hh"};
  else if (leaf == "weight_ih" || leaf == "weight_hh" || leaf == "bias_ih" || leaf == "bias_hh")
    kinds = {std::string(leaf)};
  else
    return names;

  const auto add = [&](std::string_view path, const std::string& suffix) {
    std::vector<std::string>& all = names.emplace_back();
    for (const std::string& kind : kinds) all.push_back(std::string(path) + (path.empty() ? "" : ".") + kind + suffix);
  };
  if (kinds.size() > 1) add(module, "");
  add(module, "_l0");
  std::string_view outer = module;
  std::string_view last = cut_last(outer);
  std::string reverse;
  if (last == "forward" || last == "backward") {
    if (last == "backward") reverse = "_reverse";
    add(outer, "_l0" + reverse);
    last = cut_last(outer);
  }
  if (is_number(last)) add(outer, "_l" + std::string(last) + reverse);
  return names;
}

}  // namespace espalier::io
