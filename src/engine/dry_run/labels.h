// Labels of the cells of a graph: the name, with shapes and then attributes if several cells share it.
#pragma once
#include <string>
#include <vector>

#include "graph/tape.h"

namespace espalier::detail {

// Per cell of the tape; empty for those without a call.
std::vector<std::string> labels_of(const GraphTape& tape);

// " [2,3] [4]": the shapes of its row inputs, or of its first output if it has none.
std::string shapes_text(const Program& program);
// "(axis=1)" for each op that has attributes.
std::string attributes_text(const Program& program);

}  // namespace espalier::detail
