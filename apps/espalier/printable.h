// Makes untrusted text safe to print.
#pragma once
#include <string>
#include <string_view>

namespace espalier::app {

// At most about 1,000 bytes of UTF-8, on one line: control characters and bytes that are not UTF-8 become \xNN.
// Messages may quote any file, and a terminal executes control characters.
std::string printable(std::string_view text);

}  // namespace espalier::app
