// The version of the library.
#pragma once

#include <string>

#include <espalier/base/export.h>

namespace espalier {

// The version of the library that runs, not of the headers: "0.2.0".
ESPALIER_API std::string version();

}  // namespace espalier
