#include "graph/tape.h"

#include <algorithm>
#include <limits>

#include "base/random.h"

namespace espalier {

void GraphTape::begin_example(uint64_t id) {
  example_id = id;
  example_key = mix(mix(seed, epoch), id);
  ordinal = 0;
  draws = 0;
}

void GraphTape::resume_example(const ExampleState& t) {
  example_id = t.example_id;
  example_key = t.example_key;
  ordinal = t.ordinal;
  draws = t.draws;
  owner = t.owner;
  kept_values_ = values();
  kept_groups_ = static_cast<uint32_t>(groups.size());
}

void GraphTape::end_examples() {
  owner = no_owner;
  kept_values_ = kept_groups_ = 0;
}

// All forks at one co_await share the current ordinal. The caller increments it afterwards, so no call uses it.
GraphTape::ExampleState GraphTape::fork(uint64_t number) {
  return {example_id, mix(mix(example_key, ordinal), number), 0, 0, owner};
}

uint64_t GraphTape::next_key() { return mix(example_key, ordinal); }

GraphTape::Mark GraphTape::mark() const {
  Mark m;
  m.sizes_ = std::apply([](const auto&... array) { return std::array{static_cast<uint32_t>(array.size())...}; },
                        arrays(*this));
  m.shared_ = shared;
  m.stamp_ = stamp;
  m.ordinal_ = ordinal;
  m.draws_ = draws;
  m.entry_ = entry();
  return m;
}

bool GraphTape::has(const Mark& m) const {
  // A later revert to a point below the mark has left an era that starts there and has a later stamp.
  const bool gone = std::any_of(eras_.begin(), eras_.end(), [&](const Era& e) {
    return e.stamp > m.stamp_ && (e.first_value < m.sizes_[value_array] || e.first_group < m.sizes_[group_array]);
  });
  return m.entry_ == entry() && !gone && m.sizes_[call_array] <= calls();
}

bool GraphTape::is_at(const Mark& m) const {
  return calls() == m.sizes_[call_array] && values() == m.sizes_[value_array] && groups.size() == m.sizes_[group_array];
}

void GraphTape::revert(const Mark& m) {
  const uint32_t calls_left = m.sizes_[call_array], values_left = m.sizes_[value_array],
                 groups_left = m.sizes_[group_array];
  const auto refuse = [&](const char* why) {
    throw GraphError("revert: the mark at " + std::to_string(calls_left) + " calls " + why);
  };
  if (m.entry_ != entry()) refuse("belongs to another graph; use a mark of this graph");
  if (!has(m)) refuse("is stale; the graph was cleared or reverted to an earlier point; take a new mark");
  if (values_left < kept_values_ || groups_left < kept_groups_)
    refuse("is older than the last co_await; other examples may have recorded since; take a new mark");
  if (stamp == std::numeric_limits<uint32_t>::max())
    throw GraphError("revert: the graph was reverted " + std::to_string(stamp) + " times, the maximum; clear it");
  low_water = std::min(low_water, calls_left);
  const uint32_t* size = m.sizes_.data();
  std::apply([&](auto&... array) { (array.resize(*size++), ...); }, arrays(*this));
  shared = m.shared_;
  memo_.forget_from(calls_left);
  ordinal = m.ordinal_;
  draws = m.draws_;
  while (!eras_.empty() && eras_.back().first_value >= values_left && eras_.back().first_group >= groups_left)
    eras_.pop_back();
  eras_.push_back({values_left, groups_left, ++stamp});
}

// Bounds the number of cells when ops keep coming with new attributes, sizes or parameters. Keeps the cells that the
// last graph used. The limit is twice their number, so the amortised cost per new cell is constant.
void GraphTape::drop_unused_cells() {
  std::vector<uint32_t> number(cells.size(), no_cell);
  for (const Call& c : call) number[c.cell] = 0;
  uint32_t kept = 0;
  for (uint32_t c = 0; c < cells.size(); ++c) {
    if (number[c] == no_cell) continue;
    number[c] = kept;
    std::swap(cells[kept], cells[c]);
    std::swap(op_keys[kept], op_keys[c]);
    ++kept;
  }
  std::erase_if(op_cells, [&](const auto& entry) { return number[entry.second] == no_cell; });
  for (auto& [key_of_op, cell] : op_cells) cell = number[cell];
  cells.resize(kept);
  op_keys.resize(kept);
  signatures.clear();
  shapes.clear();
  for (const auto& c : cells) signatures.emplace_back(*c, [this](const Shape& s) { return shape_number(s); });
  forget_cell_numbers();
  max_cells_ = std::max<size_t>(min_cells, 2 * cells.size());
}

void GraphTape::clear() {
  if (cells.size() > max_cells_ && !call.empty()) drop_unused_cells();
  low_water = 0;
  std::apply([](auto&... array) { (array.clear(), ...); }, arrays(*this));
  shared_before += shared;
  shared = 0;
  memo_.forget_from(0);
  closed = false;
  ordinal = draws = 0;
  kept_values_ = kept_groups_ = 0;
  forget_values();
  eras_.assign(1, {0, 0, stamp});
  // Cells would keep detached parameters alive: drop all cells.
  const bool orphaned = std::any_of(cells.begin(), cells.end(), [](const auto& c) {
    return std::any_of(c->parameters.begin(), c->parameters.end(), [](const auto& s) { return s->detached.load(); });
  });
  if (orphaned) {
    cells.clear();
    signatures.clear();
    shapes.clear();
    op_cells.clear();
    op_keys.clear();
    forget_cell_numbers();
  }
}

void GraphTape::forget_cell_numbers() {
  recent_.fill({});
  kept_id = 0;
  kept_cells.clear();
}

bool GraphTape::current_in_era(uint32_t v, uint32_t value_stamp) const {
  const auto it =
      std::upper_bound(eras_.begin(), eras_.end(), v, [](uint32_t a, const Era& e) { return a < e.first_value; });
  return it != eras_.begin() && std::prev(it)->stamp == value_stamp;
}

bool GraphTape::current_group(uint32_t group, uint32_t group_stamp) const {
  if (group >= groups.size()) return false;
  const auto it =
      std::upper_bound(eras_.begin(), eras_.end(), group, [](uint32_t g, const Era& e) { return g < e.first_group; });
  return it != eras_.begin() && std::prev(it)->stamp == group_stamp;
}

int32_t GraphTape::next_data(size_t n, Where at) const {
  if (n > static_cast<size_t>(INT32_MAX) - data.size())
    throw DeviceError("input: " + std::to_string(n) + " elements are given after " + std::to_string(data.size()) +
                      "; the inputs of a graph have at most 2147483647; use a smaller minibatch" + str(at));
  return static_cast<int32_t>(data.size());
}

uint32_t GraphTape::find_cell(const std::shared_ptr<const Program>& program) {
  const auto it = std::find(cells.begin(), cells.end(), program);
  const auto number = static_cast<uint32_t>(it - cells.begin());
  recent_[recent_index(program.get())] = {program.get(), number};
  if (it == cells.end()) {
    cells.push_back(program);
    op_keys.push_back(nullptr);
    signatures.emplace_back(*program, [this](const Shape& s) { return shape_number(s); });
  }
  return number;
}

uint32_t GraphTape::add_op_cell(const std::string& full_key, const std::shared_ptr<const Program>& of) {
  const uint32_t number = cell_number(of);
  op_keys[number] = &op_cells.emplace(full_key, number).first->first;
  return number;
}

uint32_t GraphTape::share(uint32_t cell, std::span<const int32_t> given) {
  constexpr uint64_t odd = 0x9e3779b97f4a7c15;  // Knuth's multiplicative hash
  uint64_t hash = (cell + 1) * odd;
  for (const int32_t i : given) hash = ((hash >> 32) ^ hash ^ static_cast<uint32_t>(i)) * odd;
  memo_hash_ = static_cast<uint32_t>(hash >> 32);
  const uint32_t found = memo_.find(memo_hash_, [&](uint32_t c) {
    bool equal = call[c].cell == cell;
    for (size_t i = 0; i < given.size() && equal; ++i) equal = given[i] == ints[call[c].first_int + i];
    return equal;
  });
  if (found == Memo::none) return found;
  const uint32_t first = values();
  for (uint32_t k = 0; k < signatures[cell].output_shapes.size(); ++k) {
    const Value of_earlier = value[call[found].first_value + k];
    value.push_back(of_earlier);
  }
  ++ordinal;  // as if it had been recorded, so that later calls draw the same random numbers
  ++shared;
  return first;
}

uint32_t GraphTape::find_metric(std::string_view metric) {
  auto it = std::find(metrics.begin(), metrics.end(), metric);
  if (it == metrics.end()) it = metrics.emplace(it, metric);
  return last_metric_ = static_cast<uint32_t>(it - metrics.begin());
}

uint32_t GraphTape::shape_number(const Shape& shape) {
  const auto it = std::find(shapes.begin(), shapes.end(), shape);
  const auto number = static_cast<uint32_t>(it - shapes.begin());
  if (it == shapes.end()) shapes.push_back(shape);
  return number;
}

std::string print(const GraphTape& t) {
  std::string s = "graph " + std::to_string(t.calls()) + " calls\n";
  for (uint32_t c = 0; c < t.calls(); ++c) {
    const Program& p = t.program(c);
    s += "  v" + std::to_string(t.call[c].first_value) + " = " + str(p.name);
    for (size_t j = 0; j < p.rows.size(); ++j) {
      s += p.rows[j].space == call_space ? " " : " {";
      bool first = true;
      for (uint32_t v : t.row_values(c, j)) {
        s += (first ? "v" : " v") + std::to_string(t.source(v));
        first = false;
      }
      if (p.rows[j].space != call_space) s += "}";
    }
    for (size_t i = 0; i < p.indices.size(); ++i) s += " " + std::to_string(t.ints[t.call[c].first_int + i]);
    s += "\n";
  }
  return s;
}

void verify(const GraphTape& t) {
  for (uint32_t c = 0; c < t.calls(); ++c) {
    const Program& p = t.program(c);
    const uint32_t first = t.call[c].first_value;
    for (size_t j = 0; j < p.rows.size(); ++j)
      for (uint32_t v : t.row_values(c, j)) {
        ESPALIER_CHECK(v < first);
        ESPALIER_CHECK(t.shape(v) == p.rows[j].shape);
      }
    for (size_t k = 0; k < p.outputs.size(); ++k) {
      ESPALIER_CHECK(t.value[first + k].call == c && t.source(first + static_cast<uint32_t>(k)) == first + k);
      ESPALIER_CHECK(t.shape(first + static_cast<uint32_t>(k)) == p.output_shape(static_cast<int>(k)));
    }
  }
}

}  // namespace espalier
