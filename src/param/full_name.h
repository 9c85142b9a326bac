// FullName: the name of a parameter or a cell, with the prefix of its Parameters. The text is composed when it is
// printed, because both parts may change: Parameters::set_prefix, Parameter::rename.
#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace espalier::detail {

// Prefix and seed, shared by a Parameters with its parameters and cells, which may outlive it.
struct Origin {
  std::string prefix;  // read and written by FullName only, because errors in other threads may print names
  uint64_t seed = 0;
};

// Reading and changing names is thread-safe.
class FullName {
 public:
  FullName() = default;
  FullName(std::string local, std::shared_ptr<const Origin> origin = nullptr)
      : local_(std::move(local)), origin_(std::move(origin)) {}
  FullName(const char* local) : local_(local) {}

  std::string text() const;   // "encoder.lstm.U"; empty if unnamed
  std::string local() const;  // "U": without the prefix
  void set_local(std::string local);
  const std::shared_ptr<const Origin>& origin() const { return origin_; }  // null: no prefix, seed 0

  static std::string prefix_of(const Origin& origin);
  static void set_prefix(Origin& origin, std::string prefix);

  friend bool operator==(const FullName& a, const FullName& b) { return a.text() == b.text(); }
  template <std::convertible_to<std::string_view> T>
  friend bool operator==(const FullName& a, const T& b) {
    return a.text() == std::string_view(b);
  }

 private:
  std::string local_;
  std::shared_ptr<const Origin> origin_;
};

std::string joined(std::string_view prefix, std::string_view name);  // "a.b", or `name` if the prefix is empty
std::string str(const FullName& name);                               // for messages: "unnamed" if it is empty

}  // namespace espalier::detail
