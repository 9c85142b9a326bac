// Text from outside, safe to print.
#pragma once
#include <string>
#include <string_view>

namespace espalier::app {

// At most about 1,000 bytes, in UTF-8, on one line: control characters and bytes that are not UTF-8 become \xNN. A
// terminal obeys control characters, and a message may quote any file.
std::string printable(std::string_view text);

}  // namespace espalier::app
