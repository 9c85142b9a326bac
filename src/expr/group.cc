// Records the items of a variadic argument (Many) on the tape.
#include "expr/record.h"

namespace espalier {
namespace {

// The required shapes of an item's fields. Without a program, any shape is accepted.
struct ItemShapes {
  const GraphTape& tape;
  const Program* program = nullptr;
  uint32_t space = 0;
  std::array<uint32_t, detail::CallArguments::max_fields> shapes{};

  ItemShapes(const GraphTape& t, uint32_t cell, uint32_t group) : tape(t), space(group + 1) {
    if (cell == no_cell) return;
    program = tape.cells[cell].get();
    const Signature& s = tape.signatures[cell];
    for (const Signature::Input& in : s.inputs)
      if (in.of_group && in.arg == s.rows + group) shapes[in.field] = in.shape;
  }
  void check(uint32_t value, uint32_t field, uint32_t item, Who who, Where at) const {
    if (program != nullptr && tape.value[value].shape != shapes[field]) [[unlikely]]
      refuse(value, field, item, who, at);
  }
  [[noreturn]] void refuse(uint32_t value, uint32_t field, uint32_t item, Who who, Where at) const {
    size_t j = 0;
    for (uint32_t seen = 0; program->rows[j].space != static_cast<int>(space) || seen++ != field;) ++j;
    const RowInput& in = program->rows[j];
    throw ShapeError(str(who) + ": row " + std::to_string(item) + (in.name == "row" ? "" : " of " + in.name) + " is " +
                     str(tape.shape(value)) + "; it must be " + str(in.shape) + str(at));
  }
};

// Returns a group recorded earlier. Many calls of a cell may read it (attention), so its items are checked only once.
uint32_t recorded_group(GraphTape& tape, const detail::GroupArgument& g, uint32_t cell, uint32_t which, Who who,
                        Where at) {
  if (g.entry != tape.entry() && g.entry->find(g.stamp) != nullptr)
    throw GraphError(str(who) + ": a group of another graph is given; all must be recorded in one graph" + str(at));
  if (g.entry != tape.entry() || !tape.current_group(g.id, g.stamp))
    throw GraphError(str(who) + ": the group is stale; its graph was cleared, reverted or destroyed" + str(at));
  GroupRange& range = tape.groups[g.id];
  if (range.fits_cell == cell && range.fits_group == which) return g.id;
  const ItemShapes shapes(tape, cell, which);
  for (uint32_t f = 0; f < static_cast<uint32_t>(g.fields); ++f)
    for (uint32_t i = 0; i < range.count; ++i)
      shapes.check(tape.items[range.first + f * range.count + i], f, i, who, at);
  range.fits_cell = cell;
  range.fits_group = which;
  return g.id;
}

}  // namespace

uint32_t append_group(GraphTape& tape, const detail::GroupArgument& g, uint32_t cell, uint32_t which, Who who,
                      Where at) {
  if (g.entry != nullptr) return recorded_group(tape, g, cell, which, who, at);
  const ItemShapes shapes(tape, cell, which);
  const auto first = static_cast<uint32_t>(tape.items.size());
  const auto count = static_cast<uint32_t>(g.count), fields = static_cast<uint32_t>(g.fields);
  tape.items.resize(first + count * fields);
  try {
    std::array<Expr, detail::CallArguments::max_fields> item;
    for (uint32_t i = 0; i < count; ++i) {
      g.read(g.items, i, item.data());
      for (uint32_t f = 0; f < fields; ++f) {
        const uint32_t v = recorded_value(tape, item[f], who, at);
        shapes.check(v, f, i, who, at);
        tape.items[first + f * count + i] = v;
      }
    }
  } catch (...) {
    tape.items.resize(first);
    throw;
  }
  tape.groups.push_back({first, count, cell, which});
  return static_cast<uint32_t>(tape.groups.size()) - 1;
}

namespace detail {

GroupArgument record_group(Graph& graph, const GroupArgument& items, Where at) {
  GraphTape& tape = graph.tape();
  GroupArgument g;
  g.id = append_group(tape, items, no_cell, 0, "group", at);
  g.entry = tape.entry();
  g.stamp = tape.stamp;
  g.fields = items.fields;
  g.count = tape.groups[g.id].count;
  return g;
}

}  // namespace detail
}  // namespace espalier
