#include "graph/append.h"

#include <climits>
#include <utility>

namespace espalier {

// Every call gets its own values, memoised or not, so all value ids, and the arguments that name them, shift by the
// same amount (a call that may be memoised has no arguments). Calls and their integers do not shift uniformly: a call
// that was new on its own tape may equal an earlier call here and be dropped.
struct Appender::Work {
  Appender& own;
  GraphTape& into;
  GraphTape& from;
  const uint32_t values = into.values();
  const uint32_t args = static_cast<uint32_t>(into.args.size());
  const uint32_t groups = static_cast<uint32_t>(into.groups.size());
  const uint32_t items = static_cast<uint32_t>(into.items.size());
  const int32_t data = static_cast<int32_t>(into.data.size());
  size_t ints_taken = 0, values_taken = 0;

  // A cell is identified by its address. The cell of an op outside a cell belongs to one tape and is identified by key.
  const Cell& cell(uint32_t number) {
    Cell& found = own.cell_[number];
    if (found.number != no_cell) [[likely]]
      return found;
    if (const std::string* key = from.op_keys[number]; key == nullptr) {
      found.number = into.cell_number(from.cells[number]);
    } else {
      const auto it = into.op_cells.find(*key);
      found.number = it != into.op_cells.end() ? it->second : into.add_op_cell(*key, from.cells[number]);
    }
    const Signature &there = from.signatures[number], &here = into.signatures[found.number];
    for (size_t k = 0; k < here.output_shapes.size(); ++k) own.shape_[there.output_shapes[k]] = here.output_shapes[k];
    found.memoised = here.shareable && into.memoise;
    found.plain = !found.memoised && here.groups == 0 && here.data_offsets.empty();
    return found;
  }

  void take_ints(size_t until) {
    const auto begin = from.ints.begin();
    into.ints.insert(into.ints.end(), begin + static_cast<std::ptrdiff_t>(ints_taken),
                     begin + static_cast<std::ptrdiff_t>(until));
    ints_taken = until;
  }

  // Precondition: call_ is set for the calls that produce these values.
  void take_values(size_t until) {
    for (; values_taken < until; ++values_taken) {
      const GraphTape::Value& v = from.value[values_taken];
      into.value.push_back({own.call_[v.call], own.shape_[v.shape], v.output});
    }
  }

  void copy_calls() {
    into.args.insert(into.args.end(), from.args.begin(), from.args.end());
    for (size_t i = args; i < into.args.size(); ++i) into.args[i] += values;
    for (uint32_t c = 0; c < from.calls(); ++c) {
      const GraphTape::Call& given = from.call[c];
      const Cell& of = cell(given.cell);
      const auto first_int = static_cast<uint32_t>(into.ints.size() + given.first_int - ints_taken);
      if (!of.plain) {
        take_ints(c + 1 < from.calls() ? from.call[c + 1].first_int : from.ints.size());
        const Signature& s = into.signatures[of.number];
        if (of.memoised) {
          take_values(given.first_value);
          const uint32_t equal = into.share(of.number, std::span(into.ints).subspan(first_int));
          if (equal != Memo::none) {
            into.ints.resize(first_int);
            own.call_[c] = into.value[equal].call;
            values_taken += s.output_shapes.size();
            continue;
          }
        }
        for (const uint32_t i : s.data_offsets) into.ints[first_int + i] += data;
        for (uint32_t g = 0; g < s.groups; ++g) into.args[args + given.first_arg + s.rows + g] += groups - values;
      }
      own.call_[c] = into.calls();
      into.call.push_back({of.number, args + given.first_arg, first_int, values + given.first_value});
      if (of.memoised) into.remember();
    }
    take_ints(from.ints.size());
    take_values(from.value.size());
  }

  void copy_groups() {
    for (const uint32_t item : from.items) into.items.push_back(item + values);
    for (GroupRange g : from.groups) {
      g.first += items;
      if (g.fits_cell != no_cell) g.fits_cell = cell(g.fits_cell).number;
      into.groups.push_back(g);
    }
  }

  void copy_emitted() {
    own.metric_.clear();
    for (const std::string& metric : from.metrics) own.metric_.push_back(into.metric_number(metric));
    for (const GraphTape::Emitted& e : from.emitted)
      into.emitted.push_back({own.metric_[e.metric], e.value + values, into.stamp, e.label, e.owner});
  }

  void run() {
    own.cell_.assign(from.cells.size(), {});
    own.shape_.resize(from.shapes.size());
    own.call_.resize(from.calls());
    into.call.reserve(into.call.size() + from.call.size());
    into.value.reserve(into.value.size() + from.value.size());
    into.data.insert(into.data.end(), from.data.begin(), from.data.end());
    copy_calls();
    copy_groups();
    copy_emitted();
    into.shared += std::exchange(from.shared, 0);
    if (from.values() == 0) return;
    into.example_id = from.example_id;  // later calls belong to the last example
    into.example_key = from.example_key;
    into.ordinal = from.ordinal;
    into.draws = from.draws;
  }
};

uint32_t Appender::append(GraphTape& into, GraphTape& from) {
  ESPALIER_CHECK(!into.closed && !from.closed);
  if (into.data.size() + from.data.size() > INT_MAX)
    throw DeviceError("merge: the inputs of the examples have " + std::to_string(into.data.size() + from.data.size()) +
                      " elements; a graph holds at most 2147483647; use a smaller minibatch");
  const uint32_t shift = into.values();
  Work{*this, into, from}.run();
  return shift;
}

}  // namespace espalier
