// Labels of the cells of a graph: the name; if several cells share it, also shapes, then attributes, then a number.
#pragma once
#include <string>
#include <vector>

#include "graph/tape.h"

namespace espalier::detail {

// One label per cell of the tape; empty for a cell without a call.
std::vector<std::string> labels_of(const GraphTape& tape);

// " [2,3] [4]": the shapes of its row inputs, or the shape of its first output if it has no row inputs.
std::string shapes_text(const Program& program);
// "(axis=1)" for each op that has attributes.
std::string attributes_text(const Program& program);

}  // namespace espalier::detail
