// The only file that includes the generated header, so a new commit recompiles nothing else.
#include <espalier/base/version.h>

#include "base/build.h"
#include "espalier_build_info.h"

namespace espalier {

std::string version() { return ESPALIER_VERSION_STRING; }

std::string build_text() { return ESPALIER_VERSION_STRING " (commit " ESPALIER_COMMIT ", " ESPALIER_COMPILER ")"; }

}  // namespace espalier
