// What a user may call each cell of a graph: its name; where several cells share it, with shapes and then attributes as
// well.
#pragma once
#include <string>
#include <vector>

#include "graph/tape.h"

namespace espalier::detail {

// Per cell of the tape; empty for those without a call.
std::vector<std::string> labels_of(const GraphTape& tape);

// " [2,3] [4]": of its rows, or of what it gives.
std::string shapes_text(const Program& program);
// "(axis=1)" for each op that has attributes.
std::string attributes_text(const Program& program);

}  // namespace espalier::detail
