#include <fmt/format.h>

#include "data/get.h"

namespace espalier::app {

std::string get_libraries() {
  const auto listed = [](bool is_there, const char* name) { return fmt::format("{}{}", is_there ? "" : "no ", name); };
  return fmt::format("{}; {}; {}", listed(ESPALIER_HAS_CURL != 0, "curl"), listed(ESPALIER_HAS_OPENSSL != 0, "OpenSSL"),
                     listed(ESPALIER_HAS_LIBARCHIVE != 0, "libarchive"));
}

}  // namespace espalier::app
