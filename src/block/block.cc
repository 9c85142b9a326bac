#include <espalier/block/block.h>

#include <algorithm>
#include <cctype>

#include "cell/program.h"
#include "graph/tape.h"

namespace espalier::block {
namespace {

constexpr size_t max_quoted = 40;

bool is_word(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  for (const char c : name)
    if (c != '_' && !std::isalnum(static_cast<unsigned char>(c))) return false;
  return true;
}

// Escapes a character, so that a quoted text stays on one line and ends at its quote.
std::string escaped(char c) {
  if (c == '"' || c == '\\') return {'\\', c};
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\r') return "\\r";
  const auto code = static_cast<unsigned char>(c);
  if (code >= 0x20 && code != 0x7f) return {c};
  constexpr std::string_view digits = "0123456789abcdef";
  return {'\\', 'u', '0', '0', digits[code / 16], digits[code % 16]};
}

}  // namespace

std::string str(const Shapes& shapes) {
  if (!shapes) return "unknown until recorded";
  std::string text;
  for (const Shape& s : *shapes) text += (text.empty() ? "" : ", ") + espalier::str(s);
  return text.empty() ? "no rows" : text;
}

namespace detail {

std::string in_quotes(std::string_view text) {
  size_t end = std::min(text.size(), max_quoted);
  if (end < text.size())
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a UTF-8 character
  std::string quoted = "\"";
  for (const char c : text.substr(0, end)) quoted += escaped(c);
  return quoted + (end < text.size() ? "…\"" : "\"");
}
std::string name_in_text(std::string_view name) { return is_word(name) ? std::string(name) : in_quotes(name); }
std::string step_to(std::string_view field) {
  return is_word(field) ? "." + std::string(field) : "[" + in_quotes(field) + "]";
}
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
      throw ShapeError(espalier::detail::str(program.name) + ": " + in.name + " is " + espalier::str(given[i]) +
                       "; it must be " + espalier::str(in.shape) + espalier::str(at));
}

void refuse_shape(std::string_view who, const Shape& given, const Shape& declared, Where at) {
  throw ShapeError(std::string(who) + ": a result is " + espalier::str(given) + "; it must be " +
                   espalier::str(declared) + espalier::str(at));
}

}  // namespace detail
}  // namespace espalier::block
