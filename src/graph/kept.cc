#include "graph/kept.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "base/random.h"

namespace espalier {

// ---- cells

namespace {
std::atomic<uint64_t> last_id{0};
}

KeptCells::KeptCells() : id_(++last_id), seen_detachments_(detail::detachments.load(std::memory_order_acquire)) {}

uint32_t KeptCells::number(const std::shared_ptr<const Program>& program, const std::string* op_key) {
  const std::lock_guard lock(mutex_);
  const auto next = static_cast<uint32_t>(cells_.size());
  const uint32_t known = op_key != nullptr ? by_op_key_.try_emplace(*op_key, next).first->second
                                           : by_program_.try_emplace(program.get(), next).first->second;
  if (known == next) {
    constexpr size_t node_bytes = 512;  // with its share of buffers, kernels and the gradient
    cells_.push_back({program, op_key != nullptr ? *op_key : std::string()});
    bytes_ += sizeof(Program) + program->nodes.size() * node_bytes;
  }
  return known;
}

const KeptCells::Cell& KeptCells::cell(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  return cells_[number];
}

const std::string& KeptCells::metric(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto it = std::find(metrics_.begin(), metrics_.end(), name);
  return it != metrics_.end() ? *it : metrics_.emplace_back(name);
}

bool KeptCells::detached() {
  const uint64_t now = detail::detachments.load(std::memory_order_acquire);
  if (now == seen_detachments_.load(std::memory_order_relaxed)) return false;
  const std::lock_guard lock(mutex_);
  for (const Cell& c : cells_)
    for (const auto& p : c.program->parameters)
      if (p->detached) return true;
  seen_detachments_.store(now, std::memory_order_relaxed);
  return false;
}

// ---- cut

ExampleStart::ExampleStart(const GraphTape& t)
    : mark(t.mark()),
      calls(t.calls()),
      values(t.values()),
      args(static_cast<uint32_t>(t.args.size())),
      ints(static_cast<uint32_t>(t.ints.size())),
      groups(static_cast<uint32_t>(t.groups.size())),
      items(static_cast<uint32_t>(t.items.size())),
      data(static_cast<uint32_t>(t.data.size())),
      emitted(static_cast<uint32_t>(t.emitted.size())),
      example_key(t.example_key),
      ordinal(t.ordinal),
      all_draws(t.all_draws) {}

void ExampleStart::check(const GraphTape& t) const {
  if (!t.has(mark))
    throw GraphError(
        "recorded: the graph was reverted to before the example; a kept example may only revert its own calls");
}

class KeptExample::Cut {
 public:
  Cut(KeptExample& into, const GraphTape& tape, const ExampleStart& start) : into_(into), t_(tape), start_(start) {}

  void run() {
    start_.check(t_);
    check_draws();
    copy_calls();
    check_key();
    copy_groups();
    for (size_t i = start_.emitted; i < t_.emitted.size(); ++i) {
      const GraphTape::Emitted& e = t_.emitted[i];
      into_.emitted_.push_back({&into_.cells_->metric(t_.metrics[e.metric]), own_value(e.value, "emit"), e.label});
    }
    join();
  }

 private:
  void check_draws() const {
    if (t_.all_draws != start_.all_draws)
      throw GraphError(
          "recorded: the example draws random(), so its structure differs between epochs and cannot be kept; give "
          "the function to record() itself");
  }
  void check_key() const {
    if (t_.example_key != start_.example_key || t_.ordinal != start_.ordinal + into_.calls_)
      throw GraphError("recorded: the function starts another example; a kept function records one example");
  }

  uint32_t cell(uint32_t number) {
    if (cell_.empty()) cell_.assign(t_.cells.size(), no_cell);
    if (cell_[number] == no_cell) {
      cell_[number] = into_.cells_->number(t_.cells[number], t_.op_keys[number]);
      into_.cell_bound_ = std::max(into_.cell_bound_, cell_[number] + 1);
    }
    return cell_[number];
  }

  uint32_t own_value(uint32_t v, const detail::FullName& reader) const {
    if (v < start_.values) refuse_value(v, str(reader));
    return v - start_.values;
  }
  [[noreturn]] void refuse_value(uint32_t v, const std::string& reader) const {
    throw GraphError("recorded: " + reader + " reads a value of " + str(t_.program(t_.value[v].call).name) +
                     " that was recorded before the example; a kept example must record every value it reads");
  }

  // A memoised call has no entry in `call`; its values refer to the earlier call.
  void copy_calls() {
    uint32_t c = start_.calls, v = start_.values;
    while (v < t_.values() || c < t_.calls()) {
      const bool own = c < t_.calls() && t_.call[c].first_value == v;
      copy_call(own ? c++ : t_.value[v].call, own);
      v += static_cast<uint32_t>(signature_->output_shapes.size());
    }
    into_.values_ = v - start_.values;
  }
  void copy_call(uint32_t c, bool own) {
    const GraphTape::Call& call = t_.call[c];
    const Program& p = *t_.cells[call.cell];
    signature_ = &t_.signatures[call.cell];
    const Signature& s = *signature_;
    cells_.push_back(cell(call.cell));
    ++into_.calls_;
    into_.memoisable_ = into_.memoisable_ || s.shareable;
    ESPALIER_CHECK(own || s.shareable);
    for (uint32_t i = 0; i < s.rows; ++i) args_.push_back(own_value(t_.args[call.first_arg + i], p.name));
    for (uint32_t g = 0; g < s.groups; ++g) {
      const uint32_t group = t_.args[call.first_arg + s.rows + g];
      if (group < start_.groups)
        throw GraphError("recorded: " + str(p.name) +
                         " reads a group that was recorded before the example; a kept example must record every group "
                         "it reads");
      args_.push_back(group - start_.groups);
    }
    const size_t first = ints_.size(), given = p.indices.size() + static_cast<size_t>(p.numbers);
    for (size_t i = 0; i < given; ++i) ints_.push_back(static_cast<uint32_t>(t_.ints[call.first_int + i]));
    for (const uint32_t i : s.data_offsets) {
      ESPALIER_CHECK(ints_[first + i] >= start_.data);
      ints_[first + i] -= start_.data;
    }
    if (s.random) ints_.insert(ints_.end(), 2, 0);
  }

  void copy_groups() {
    for (size_t i = start_.groups; i < t_.groups.size(); ++i) {
      const GroupRange& g = t_.groups[i];
      ESPALIER_CHECK(g.first >= start_.items);
      const uint32_t fits = g.fits_cell == no_cell ? no_cell : cell(g.fits_cell);
      groups_.insert(groups_.end(), {g.first - start_.items, g.count, fits, g.fits_group});
    }
    for (size_t i = start_.items; i < t_.items.size(); ++i) items_.push_back(own_value(t_.items[i], "a group"));
  }

  void join() {
    KeptExample& e = into_;
    e.args_ = static_cast<uint32_t>(args_.size());
    e.ints_ = static_cast<uint32_t>(ints_.size());
    e.groups_ = static_cast<uint32_t>(groups_.size() / 4);
    e.items_ = static_cast<uint32_t>(items_.size());
    e.data_ = static_cast<uint32_t>(t_.data.size()) - start_.data;
    e.words_.reserve(cells_.size() + args_.size() + ints_.size() + groups_.size() + items_.size() + e.data_);
    for (const auto* part : {&cells_, &args_, &ints_, &groups_, &items_})
      e.words_.insert(e.words_.end(), part->begin(), part->end());
    for (uint32_t i = 0; i < e.data_; ++i) e.words_.push_back(std::bit_cast<uint32_t>(t_.data[start_.data + i]));
    e.emitted_.shrink_to_fit();
  }

  KeptExample& into_;
  const GraphTape& t_;
  const ExampleStart& start_;
  const Signature* signature_ = nullptr;  // of the last call
  std::vector<uint32_t> cell_;            // per cell of the tape: its number in cells_
  std::vector<uint32_t> cells_, args_, ints_, groups_, items_;
};

KeptExample::KeptExample(const GraphTape& tape, const ExampleStart& start, std::shared_ptr<KeptCells> cells)
    : cells_(std::move(cells)) {
  Cut(*this, tape, start).run();
}

size_t KeptExample::bytes() const {
  return sizeof(KeptExample) + words_.capacity() * sizeof(uint32_t) + emitted_.capacity() * sizeof(Emitted);
}

// ---- append

namespace {

// Makes room for n more elements without giving up geometric growth.
template <class T>
void make_room(std::vector<T>& v, size_t n) {
  if (v.capacity() - v.size() < n) v.reserve(std::max(2 * v.capacity(), v.size() + n));
}

}  // namespace

struct KeptExample::Work {
  const KeptExample& from;
  GraphTape& t;
  const uint32_t values = t.values();
  const uint32_t args = static_cast<uint32_t>(t.args.size());
  const uint32_t ints = static_cast<uint32_t>(t.ints.size());
  const uint32_t groups = static_cast<uint32_t>(t.groups.size());
  const uint32_t items = static_cast<uint32_t>(t.items.size());
  const int32_t data = static_cast<int32_t>(t.data.size());

  const KeptCellHere& cell(uint32_t number) const {
    const KeptCellHere& known = t.kept_cells[number];
    return known.number != no_cell ? known : look_up(number);
  }
  const KeptCellHere& look_up(uint32_t number) const {
    const KeptCells::Cell& c = from.cells_->cell(number);
    KeptCellHere here;
    if (c.op_key.empty()) {
      here.number = t.cell_number(c.program);
    } else {
      const auto it = t.op_cells.find(c.op_key);
      here.number = it != t.op_cells.end() ? it->second : t.add_op_cell(c.op_key, c.program);
    }
    const Signature& s = t.signatures[here.number];
    here.rows = s.rows;
    here.groups = s.groups;
    here.ints = static_cast<uint32_t>(c.program->indices.size()) + static_cast<uint32_t>(c.program->numbers) +
                (s.random ? 2 : 0);
    here.outputs = static_cast<uint32_t>(s.output_shapes.size());
    for (uint32_t k = 0; k < std::min(here.outputs, 2u); ++k) here.shapes[k] = s.output_shapes[k];
    here.random = s.random;
    here.memoisable = s.shareable;
    here.plain = !s.random && s.groups == 0 && s.data_offsets.empty();
    return t.kept_cells[number] = here;
  }

  // Completes a call that is not plain: its key, groups and offsets into `data`.
  void complete(const KeptCellHere& c, uint32_t first_arg, uint32_t first_int, uint64_t ordinal) const {
    for (uint32_t g = 0; g < c.groups; ++g) t.args[first_arg + c.rows + g] += groups - values;
    for (const uint32_t i : t.signatures[c.number].data_offsets) t.ints[first_int + i] += data;
    if (!c.random) return;
    const uint64_t key = mix(t.example_key, ordinal);
    t.ints[first_int + c.ints - 2] = static_cast<int32_t>(key);
    t.ints[first_int + c.ints - 1] = static_cast<int32_t>(key >> 32);
  }

  void put_values(const KeptCellHere& c, uint32_t call, GraphTape::Value* at) const {
    for (uint32_t k = 2; k < c.outputs; ++k) at[k] = {call, t.signatures[c.number].output_shapes[k], k};
  }

  void append_calls() const {
    // Two more values: every call writes at least two, without a branch.
    const auto first_call = t.calls();
    t.call.resize(first_call + size_t{from.calls_});
    t.value.resize(values + size_t{from.values_} + 2);
    GraphTape::Call* call = t.call.data() + first_call;
    GraphTape::Value* value = t.value.data() + values;
    const uint32_t* const numbers = from.words_.data();
    uint32_t first_arg = args, first_int = ints, first_value = values;
    for (uint32_t i = 0; i < from.calls_; ++i) {
      const KeptCellHere& c = cell(numbers[i]);
      const uint32_t id = first_call + i;
      *call++ = {c.number, first_arg, first_int, first_value};
      value[0] = {id, c.shapes[0], 0};
      value[1] = {id, c.shapes[1], 1};
      if (c.outputs > 2) [[unlikely]]
        put_values(c, id, value);
      if (!c.plain) [[unlikely]]
        complete(c, first_arg, first_int, t.ordinal + i);
      value += c.outputs;
      first_value += c.outputs;
      first_arg += c.rows + c.groups;
      first_int += c.ints;
    }
    t.value.resize(first_value);
    t.ordinal += from.calls_;
  }

  // The same if calls may equal earlier ones, which have no entry in `call` and `ints`. They have no arguments.
  void append_memoised_calls() const {
    make_room(t.call, from.calls_);
    make_room(t.value, from.values_);
    const uint32_t* const numbers = from.words_.data();
    uint32_t first_arg = args, first_int = ints;
    for (uint32_t i = 0, next = ints; i < from.calls_; ++i) {
      const KeptCellHere& c = cell(numbers[i]);
      if (first_int != next) std::copy_n(t.ints.begin() + next, c.ints, t.ints.begin() + first_int);
      next += c.ints;
      if (!c.plain) [[unlikely]]
        complete(c, first_arg, first_int, t.ordinal);
      if (c.memoisable && t.share(c.number, std::span(t.ints).subspan(first_int, c.ints)) != Memo::none) continue;
      t.add_call(c.number, first_arg, first_int);
      if (c.memoisable) t.remember();
      first_arg += c.rows + c.groups;
      first_int += c.ints;
    }
    t.ints.resize(first_int);
  }

  void append_groups(const uint32_t* words) const {
    for (uint32_t i = 0; i < from.groups_; ++i, words += 4)
      t.groups.push_back({items + words[0], words[1], words[2] == no_cell ? no_cell : cell(words[2]).number, words[3]});
    t.items.insert(t.items.end(), words, words + from.items_);
    for (size_t i = items; i < t.items.size(); ++i) t.items[i] += values;
  }

  void run() const {
    const uint32_t* next = from.words_.data() + from.calls_;
    t.args.insert(t.args.end(), next, next + from.args_);
    for (size_t i = args; i < t.args.size(); ++i) t.args[i] += values;
    next += from.args_;
    t.ints.insert(t.ints.end(), next, next + from.ints_);
    next += from.ints_;
    if (from.memoisable_ && t.memoise)
      append_memoised_calls();
    else
      append_calls();
    append_groups(next);
    next += 4 * size_t{from.groups_} + from.items_;
    for (uint32_t i = 0; i < from.data_; ++i) t.data.push_back(std::bit_cast<float>(next[i]));
    for (const Emitted& e : from.emitted_)
      t.emitted.push_back({t.metric_number(*e.metric), e.value + values, t.stamp, e.label, t.owner});
  }
};

void KeptExample::append(GraphTape& tape) const {
  if (tape.closed) throw GraphError("recorded: the graph is closed by infer, its rows were reused; record it again");
  (void)tape.next_data(data_, {});
  // The recording of one of many examples is rarely in the cache: all of its lines are fetched at the same time.
  constexpr size_t line = 64 / sizeof(uint32_t);
  for (size_t i = 0; i < words_.size(); i += line) __builtin_prefetch(words_.data() + i);
  if (tape.kept_id != cells_->id()) {
    tape.kept_id = cells_->id();
    tape.kept_cells.clear();
  }
  if (tape.kept_cells.size() < cell_bound_) tape.kept_cells.resize(cell_bound_);
  Work{*this, tape}.run();
}

}  // namespace espalier
