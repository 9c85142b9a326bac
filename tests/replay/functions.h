// The functions that a replayed program may call, by their names in Python.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "replay/arguments.h"

namespace espalier::replay {

using Function = std::function<Rows(Arguments&)>;

const std::map<std::string, Function>& functions();

}  // namespace espalier::replay
