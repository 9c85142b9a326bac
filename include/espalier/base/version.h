// The version of the library.
#pragma once

#include <string>

#include <espalier/base/export.h>

namespace espalier {

// The version of the linked library, such as "0.3.0", which may differ from that of the headers.
ESPALIER_API std::string version();

}  // namespace espalier
