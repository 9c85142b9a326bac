#include "param/full_name.h"

#include <mutex>
#include <utility>

namespace espalier::detail {
namespace {

// Of all names: they are read only to be printed, and for the initial values.
std::mutex naming;

}  // namespace

std::string joined(std::string_view prefix, std::string_view name) {
  if (prefix.empty()) return std::string(name);
  std::string full(prefix);
  return (full += '.') += name;
}

std::string FullName::text() const {
  const std::lock_guard lock(naming);
  if (origin_ == nullptr) return local_;
  return local_.empty() ? origin_->prefix : joined(origin_->prefix, local_);
}
std::string FullName::local() const {
  const std::lock_guard lock(naming);
  return local_;
}
void FullName::set_local(std::string local) {
  const std::lock_guard lock(naming);
  std::swap(local_, local);
}
std::string FullName::prefix_of(const Origin& origin) {
  const std::lock_guard lock(naming);
  return origin.prefix;
}
void FullName::set_prefix(Origin& origin, std::string prefix) {
  const std::lock_guard lock(naming);
  std::swap(origin.prefix, prefix);
}

std::string str(const FullName& name) {
  std::string text = name.text();
  return text.empty() ? "unnamed" : text;
}

}  // namespace espalier::detail
