// The names of devices, policies and precisions, as Python gives them.
#pragma once
#include <string>

#include <espalier/engine/engine.h>

namespace espalier::python {

// `who` starts the message of the error.
Device to_device(const std::string& text, const std::string& who);
Policy to_policy(const std::string& text);
Precision to_precision(const std::string& text);

}  // namespace espalier::python
