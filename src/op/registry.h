// Custom ops by name. They live as long as the process.
#pragma once
#include <espalier/op/custom.h>
#include "op/op.h"

namespace espalier {

const OpInfo* find_registered(std::string_view name);  // null if not found

constexpr size_t max_custom_inputs = 8;

}  // namespace espalier
