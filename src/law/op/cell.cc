#include "law/op/cell.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <ostream>

#include <espalier/expr/cell.h>
#include "base/draw.h"
#include "cell/builder.h"
#include "cell/passes.h"
#include "graph/tape.h"
#include "op/kernel/rows.h"
#include "param/gradient_state.h"

namespace espalier::law {
namespace {

// Draws multiples of `grain` in [lo, hi], at least 16 grains apart.
class Numbers {
 public:
  Numbers(double lo, double hi, uint64_t stream)
      : draw_(20170221, stream),
        first_(static_cast<int64_t>(std::ceil(lo / static_cast<double>(grain)))),
        count_(static_cast<uint64_t>(static_cast<int64_t>(std::floor(hi / static_cast<double>(grain))) - first_)) {}

  std::vector<float> some(int64_t n) {
    std::vector<float> values;
    // Each value blocks 31 positions; with half of all positions free, rejection sampling ends soon.
    if ((taken_.size() + static_cast<size_t>(n)) * 62 > count_)
      throw Error(
          "the laws draw values at least 1/1024 apart, and the range of the sample is too small for its shapes; widen "
          "the range or make the shapes smaller");
    while (static_cast<int64_t>(values.size()) < n) values.push_back(static_cast<float>(one()) * grain);
    return values;
  }

 private:
  int64_t one() {
    while (true) {
      const int64_t x = first_ + static_cast<int64_t>(draw_.below(count_));
      if (std::any_of(taken_.begin(), taken_.end(), [&](int64_t t) { return std::abs(t - x) < 16; })) continue;
      taken_.push_back(x);
      return x;
    }
  }
  Draw draw_;
  int64_t first_;
  uint64_t count_;
  std::vector<int64_t> taken_;
};

struct Item {
  std::vector<Expr> fields;
  static void read(const void* items, size_t i, Expr* to) {
    const Item& item = static_cast<const Item*>(items)[i];
    std::copy(item.fields.begin(), item.fields.end(), to);
  }
};

std::vector<int> rows_in(const Program& p, int space) {
  std::vector<int> found;
  for (size_t j = 0; j < p.rows.size(); ++j)
    if (p.rows[j].space == space) found.push_back(static_cast<int>(j));
  return found;
}

}  // namespace

std::string_view name(Given given) {
  switch (given) {
    case Given::rows:
      return "rows";
    case Given::parameters:
      return "parameters";
    case Given::list:
      return "list";
    case Given::mixed:
      return "mixed";
  }
  return "?";
}

std::vector<Given> ways(const OpInfo& op) {
  const auto rows =
      std::count_if(op.inputs.begin(), op.inputs.end(), [](const Input& i) { return i.role == Role::row; });
  std::vector<Given> all{Given::rows};
  if (rows > 0) all.push_back(Given::parameters);
  if (rows > 0 && op.place == Place::same) all.push_back(Given::list);
  if ((rows > 1 || op.many) && op.place == Place::same) all.push_back(Given::mixed);
  return all;
}

const std::vector<OpCase>& op_cases() {
  static const std::vector<OpCase> all = [] {
    std::vector<OpCase> cases;
    for (const OpInfo* op : op_table()) {
      size_t number = 0;
      for (const Sample& sample : op->samples()) cases.push_back({op, number++, sample});
    }
    return cases;
  }();
  return all;
}
std::string name(const OpCase& c) { return std::string(c.op->doc.name) + "_" + std::to_string(c.number); }
std::ostream& operator<<(std::ostream& out, const OpCase& c) {
  out << c.op->doc.name << "(" << c.op->text(c.sample.attrs) << ")";
  for (const Shape& s : c.sample.shapes) out << " " << str(s);
  return out;
}

OpCell::OpCell(const OpInfo& op, const Attrs& attrs, const std::vector<Shape>& shapes, Given given, double lo,
               double hi, const OpCell* like)
    : op_(&op), lo_(lo), hi_(hi), owner_(like ? like->owner_ : std::make_shared<Parameters>()) {
  Program p;
  p.name = std::string(op.doc.name);
  Builder build(p);
  Numbers numbers(lo, hi, 1);
  auto parameter = [&](const Shape& shape) {
    const size_t n = parameters_.size();
    if (like != nullptr && n < like->parameters_.size())
      parameters_.push_back(like->parameters_[n]);
    else
      parameters_.push_back(Scope(*owner_).add("p" + std::to_string(n), shape, init::from(numbers.some(shape.size()))));
    return build.parameter(parameters_.back().storage());
  };
  auto row = [&](const Shape& shape, bool list) {
    if (list && p.groups() == 0) build.group();
    return build.row(shape, list ? 1 : call_space, "x" + std::to_string(p.rows.size()));
  };
  // An op that fills a list needs lists to fill; two of them, to detect a mix-up.
  if (op.place == Place::list)
    for (int g = 0; g < 2; ++g) build.row({}, 1 + build.group(), "item");

  std::vector<int> in;
  bool first = true;
  for (size_t i = 0; i < shapes.size(); ++i) switch (op.inputs[op.many ? 0 : i].role) {
      case Role::row:
        in.push_back(given == Given::parameters
                         ? parameter(shapes[i])
                         : row(shapes[i], given == Given::list || (given == Given::mixed && first)));
        first = false;
        break;
      case Role::shared:
        in.push_back(parameter(shapes[i]));
        break;
      case Role::list:
        in.push_back(row(shapes[i], true));
        break;
      case Role::index:
        in.push_back(build.index());
        break;
    }
  int y = build.make(op, attrs, in);
  inferred_ = p.node(y).shape;
  if (p.node(y).space > call_space) y = build.make(info<op::SumRows>(), {}, std::array{y});
  p.outputs = {y};
  compile(p);
  program_ = std::make_shared<const Program>(std::move(p));
}

Arguments OpCell::arguments(uint64_t n) const {
  const Program& p = *program_;
  Arguments a;
  a.number = n;
  Numbers numbers(lo_, hi_, 2 + n);
  Draw draw(42, n);
  for (int j : rows_in(p, call_space)) a.leaves.push_back(numbers.some(p.rows[static_cast<size_t>(j)].shape.size()));
  for (int g = 0; g < p.groups(); ++g) {
    const int least = p.min_rows[static_cast<size_t>(g)];
    a.lengths.push_back(n % 4 == 3 ? least : 1 + static_cast<int>((n + static_cast<uint64_t>(2 * g)) % 4));
    for (int i = 0; i < a.lengths.back(); ++i)
      for (int j : rows_in(p, 1 + g)) a.leaves.push_back(numbers.some(p.rows[static_cast<size_t>(j)].shape.size()));
  }
  for (const IndexInput& index : p.indices) {
    a.indices.push_back(index.limit == INT_MAX ? 0 : static_cast<int>(draw.below(static_cast<uint64_t>(index.limit))));
    if (index.limit == INT_MAX) a.data = numbers.some(inferred_.size());
  }
  a.weights = Numbers(-2, 2, 1000 + n).some(p.output_shape(0).size());
  return a;
}

RecordedOp OpCell::record(Graph& graph, const Arguments& a, const Made& made) const {
  const Program& p = *program_;
  RecordedOp r;
  if (!made) graph.example(a.number);
  std::vector<Expr> rows;
  std::vector<Index> indices;
  std::vector<detail::GroupArgument> groups;
  auto leaf = [&](int j) {
    r.leaves.push_back(input(graph, a.leaves[r.leaves.size()], p.rows[static_cast<size_t>(j)].shape));
    if (made) r.leaves.back() = made(r.leaves.back());
    return r.leaves.back();
  };
  for (int j : rows_in(p, call_space)) rows.push_back(leaf(j));
  std::vector<std::vector<Item>> items(a.lengths.size());
  for (size_t g = 0; g < items.size(); ++g) {
    const std::vector<int> fields = rows_in(p, 1 + static_cast<int>(g));
    items[g].resize(static_cast<size_t>(a.lengths[g]));
    for (Item& item : items[g])
      for (int j : fields) item.fields.push_back(leaf(j));
    groups.push_back({nullptr, 0, 0, items[g].data(), items[g].size(), static_cast<int>(fields.size()), &Item::read});
  }
  for (size_t i = 0; i < a.indices.size(); ++i) {
    int index = a.indices[i];
    if (p.indices[i].limit == INT_MAX) {  // an offset into the data of input()
      index = static_cast<int>(graph.tape().data.size());
      input(graph, a.data, inferred_);
    }
    indices.emplace_back(index);
  }
  detail::call(program_, &graph, {rows, indices, {}, groups}, {}, &r.y);
  return r;
}

Expr loss_of(Graph& graph, const RecordedOp& recorded, const Arguments& arguments) {
  return sum_elements(recorded.y * input(graph, arguments.weights, recorded.y.shape()));
}

namespace {

// Runs the calls in one graph and appends the outcome to `to`.
void run_one(Engine& engine, const OpCell& cell, std::span<const Arguments> calls, Outcome& to) {
  Graph graph = engine.graph();
  std::vector<RecordedOp> recorded;
  for (const Arguments& a : calls) recorded.push_back(cell.record(graph, a));
  std::vector<Expr> losses, results;
  for (size_t i = 0; i < calls.size(); ++i) {
    results.push_back(recorded[i].y);
    losses.push_back(loss_of(graph, recorded[i], calls[i]));
    for (Expr leaf : recorded[i].leaves) engine.watch(leaf);
  }
  const Gradients gradients = engine.backward(losses);
  for (Tensor& t : engine.tensors(results)) to.y.push_back(std::move(t));
  for (const RecordedOp& r : recorded) {
    to.leaves.emplace_back();
    for (Expr leaf : r.leaves) to.leaves.back().push_back(gradients.of(leaf));
  }
  for (size_t i = 0; i < cell.parameters().size(); ++i) {
    const Tensor g = gradients.of(cell.parameters()[i]);
    if (i == to.parameters.size()) {
      to.parameters.push_back(g);
    } else {
      std::vector<float> sum = to.parameters[i].to_vector();
      for (size_t e = 0; e < g.size(); ++e) sum[e] += g[e];
      to.parameters[i] = {g.shape(), std::move(sum)};
    }
  }
  to.loss += gradients.state().loss.get();
}

}  // namespace

Outcome run_together(const EngineOptions& options, const OpCell& cell, std::span<const Arguments> calls) {
  Engine engine(options);
  Outcome outcome;
  run_one(engine, cell, calls, outcome);
  outcome.steps = engine.counters().steps;
  return outcome;
}

Outcome run_apart(const EngineOptions& options, const OpCell& cell, std::span<const Arguments> calls) {
  Outcome outcome;
  for (const Arguments& a : calls) {
    Engine engine(options);
    run_one(engine, cell, {&a, 1}, outcome);
    outcome.steps += engine.counters().steps;
  }
  return outcome;
}

}  // namespace espalier::law
