#include "base/memory_left.h"

#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>

namespace espalier {
namespace {

std::optional<uint64_t> parse_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  uint64_t n = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), n).ec != std::errc()) return {};
  return n;
}

// The number after `name` at the start of a line; with an empty name, the number at the start of the first line.
std::optional<uint64_t> read_number(const std::string& file, std::string_view name = {}) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(name)) return parse_number(std::string_view(line).substr(name.size()));
  return {};
}

uint64_t difference(uint64_t limit, uint64_t used) { return limit > used ? limit - used : 0; }

class Search {
 public:
  explicit Search(const std::string& root) : root_(root) {}

  MemoryLeft run() {
    constexpr uint64_t kib = 1024;
    if (const auto available = read_number(root_ + "/proc/meminfo", "MemAvailable:"))
      note(kib * (*available + read_number(root_ + "/proc/meminfo", "SwapFree:").value_or(0)), "the machine");
    control_groups();
    if (rlimit r{}; getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY)
      note(difference(r.rlim_cur, kib * read_number(root_ + "/proc/self/status", "VmSize:").value_or(0)), "ulimit -v");
    if (rlimit r{}; getrlimit(RLIMIT_DATA, &r) == 0 && r.rlim_cur != RLIM_INFINITY)
      note(difference(r.rlim_cur, kib * read_number(root_ + "/proc/self/status", "VmData:").value_or(0)), "ulimit -d");
    return found_;
  }

 private:
  void note(uint64_t bytes, const char* limit) {
    if (bytes < found_.bytes) found_ = {bytes, limit};
  }

  // Lines of /proc/self/cgroup: "0::/path" in version 2, "7:memory:/path" in version 1.
  void control_groups() {
    std::ifstream in(root_ + "/proc/self/cgroup");
    for (std::string line; std::getline(in, line);) {
      const size_t controllers = line.find(':'), path = line.find(':', controllers + 1);
      if (controllers == std::string::npos || path == std::string::npos) continue;
      const std::string which = "," + line.substr(controllers + 1, path - controllers - 1) + ",";
      if (which == ",,")
        upwards("/sys/fs/cgroup", line.substr(path + 1), "/memory.max", "anon ");
      else if (which.find(",memory,") != std::string::npos)
        upwards("/sys/fs/cgroup/memory", line.substr(path + 1), "/memory.limit_in_bytes", "total_rss ");
    }
  }

  // Checks a group and all its ancestors. In a container the path may be the host's and not exist here; the root is
  // then the container's own group.
  void upwards(const std::string& mount, std::string path, const char* limit_file, const char* used_name) {
    for (;;) {
      while (path.ends_with('/')) path.pop_back();
      const std::string group = root_ + mount + path;
      if (const auto limit = read_number(group + limit_file))  // "max" is not a number: no limit
        note(difference(*limit, read_number(group + "/memory.stat", used_name).value_or(0)), "the control group");
      if (path.empty()) return;
      path.resize(std::min(path.rfind('/'), path.size()));
    }
  }

  const std::string& root_;
  MemoryLeft found_;
};

}  // namespace

MemoryLeft memory_left(const std::string& root) { return Search(root).run(); }

}  // namespace espalier
