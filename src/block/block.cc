#include <espalier/block/block.h>

#include "cell/program.h"
#include "graph/tape.h"

namespace espalier::block {

std::string str(const Shapes& shapes) {
  if (!shapes) return "known when recorded";
  std::string text;
  for (const Shape& s : *shapes) text += (text.empty() ? "" : ", ") + espalier::str(s);
  return text.empty() ? "no rows" : text;
}

namespace detail {

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }
std::string step_to(std::string_view field) { return "." + std::string(field); }
std::string step_to(long long element) { return "[" + std::to_string(element) + "]"; }

void empty_block() { throw GraphError("block: it is empty; assign a block to it first"); }

Graph scratch_graph() { return Graph(std::make_shared<GraphTape>()); }

std::vector<Shape> output_shapes(const Program& program) {
  std::vector<Shape> shapes;
  for (size_t k = 0; k < program.outputs.size(); ++k) shapes.push_back(program.output_shape(static_cast<int>(k)));
  return shapes;
}

void check_rows(const Program& program, std::span<const Shape> given, Where at) {
  if (program.groups() > 0 || given.size() != program.rows.size()) return;
  for (size_t i = 0; i < given.size(); ++i)
    if (const RowInput& in = program.rows[i]; given[i] != in.shape)
      throw ShapeError(program.name + ": " + in.name + " is " + espalier::str(given[i]) + "; it must be " +
                       espalier::str(in.shape) + espalier::str(at));
}

void refuse_shape(std::string_view who, const Shape& given, const Shape& declared, Where at) {
  throw ShapeError(std::string(who) + ": a result is " + espalier::str(given) + "; " + espalier::str(declared) +
                   " was declared" + espalier::str(at));
}

}  // namespace detail
}  // namespace espalier::block
