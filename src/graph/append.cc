#include "graph/append.h"

#include <climits>

namespace espalier {

// Every call gets values of its own, whether it is an earlier one or not, so values are shifted alike. Calls are not:
// one that was the first of its integers on its own tape may be an earlier one here.
struct Appender::Work {
  Appender& own;
  GraphTape& into;
  GraphTape& from;
  const uint32_t values = into.values();
  const uint32_t groups = static_cast<uint32_t>(into.groups.size());
  const uint32_t items = static_cast<uint32_t>(into.items.size());
  const int32_t data = static_cast<int32_t>(into.data.size());

  // A cell is known by its address. An op outside a cell is one that each tape makes for itself, known by its key.
  uint32_t cell(uint32_t number) {
    uint32_t& found = own.cell_[number];
    if (found != no_cell) [[likely]]
      return found;
    const std::string* key = from.op_keys[number];
    if (key == nullptr) return found = into.cell_number(from.cells[number]);
    const auto it = into.op_cells.find(*key);
    return found = it != into.op_cells.end() ? it->second : into.add_op_cell(*key, from.cells[number]);
  }

  void copy_call(uint32_t c) {
    const GraphTape::Call& given = from.call[c];
    const uint32_t number = cell(given.cell);
    const Signature& s = into.signatures[number];
    const int32_t* ints = from.ints.data() + given.first_int;
    const size_t int_count = (c + 1 < from.calls() ? from.call[c + 1].first_int : from.ints.size()) - given.first_int;
    const bool memoised = s.shareable && into.memoise;
    if (memoised) {
      const uint32_t equal = into.share(number, {ints, int_count});
      if (equal != Memo::none) {
        own.call_[c] = into.value[equal].call;
        return;
      }
    }
    const auto first_arg = static_cast<uint32_t>(into.args.size()), first_int = static_cast<uint32_t>(into.ints.size());
    const uint32_t* arg = from.args.data() + given.first_arg;
    for (uint32_t i = 0; i < s.rows; ++i) into.args.push_back(*arg++ + values);
    for (uint32_t g = 0; g < s.groups; ++g) into.args.push_back(*arg++ + groups);
    into.ints.insert(into.ints.end(), ints, ints + int_count);
    for (const uint32_t i : s.data_offsets) into.ints[first_int + i] += data;
    own.call_[c] = into.calls();
    into.add_call(number, first_arg, first_int);
    if (memoised) into.remember();
  }

  // A value of a call that was an earlier one on its own tape.
  void copy_shared(const GraphTape::Value& v) {
    const Signature& s = into.signatures[cell(from.call[v.call].cell)];
    into.value.push_back({own.call_[v.call], s.output_shapes[v.output], v.output});
  }

  void copy_calls() {
    uint32_t c = 0;
    for (uint32_t v = 0; v < from.values() || c < from.calls();) {
      if (c < from.calls() && from.call[c].first_value == v) {
        v += static_cast<uint32_t>(from.signature(c).output_shapes.size());
        copy_call(c++);
      } else {
        copy_shared(from.value[v++]);
      }
    }
  }

  void copy_groups() {
    for (const uint32_t item : from.items) into.items.push_back(item + values);
    for (GroupRange g : from.groups) {
      g.first += items;
      if (g.fits_cell != no_cell) g.fits_cell = cell(g.fits_cell);
      into.groups.push_back(g);
    }
  }

  void copy_emitted() {
    own.metric_.clear();
    for (const std::string& metric : from.metrics) own.metric_.push_back(into.metric_number(metric));
    for (const GraphTape::Emitted& e : from.emitted)
      into.emitted.push_back({own.metric_[e.metric], e.value + values, into.stamp, e.label});
  }

  void run() {
    own.cell_.assign(from.cells.size(), no_cell);
    own.call_.resize(from.calls());
    into.data.insert(into.data.end(), from.data.begin(), from.data.end());
    copy_calls();
    copy_groups();
    copy_emitted();
    into.shared += std::exchange(from.shared, 0);
    if (from.values() == 0) return;
    into.example_id = from.example_id;  // what is recorded next belongs to the last example
    into.example_key = from.example_key;
    into.ordinal = from.ordinal;
    into.draws = from.draws;
  }
};

uint32_t Appender::append(GraphTape& into, GraphTape& from) {
  ESPALIER_CHECK(!into.closed && !from.closed && into.data.size() + from.data.size() <= INT_MAX);
  const uint32_t shift = into.values();
  Work{*this, into, from}.run();
  return shift;
}

}  // namespace espalier
