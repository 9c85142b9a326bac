// Ops that were registered from outside, by name. They live as long as the process.
#pragma once
#include <espalier/op/custom.h>
#include "op/op.h"

namespace espalier {

const OpInfo* find_registered(std::string_view name);  // null where there is none

constexpr size_t most_custom_inputs = 8;

}  // namespace espalier
