// Build information of the library.
#pragma once

#include <string>

namespace espalier {

// Version, commit and compiler: "0.3.0 (commit 1a2b3c4d5e6f, GNU 12.2.0)".
std::string build_text();

}  // namespace espalier
