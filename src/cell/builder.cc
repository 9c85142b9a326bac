#include "cell/builder.h"

#include <algorithm>
#include <atomic>
#include <climits>

#include "cell/passes.h"
#include "op/elementwise.h"
#include "op/kernel/axis.h"
#include "op/kernel/rows.h"

namespace espalier {

int Builder::push(Node node) {
  program_.nodes.push_back(std::move(node));
  return static_cast<int>(program_.nodes.size()) - 1;
}

int Builder::row(const Shape& shape, int space, std::string name) {
  program_.rows.push_back({shape, space, std::move(name)});
  return push({Node::Kind::row, nullptr, {}, {}, shape, space, static_cast<int>(program_.rows.size()) - 1});
}
int Builder::group() {
  program_.min_rows.push_back(0);
  return program_.groups() - 1;
}
int Builder::index() {
  program_.indices.push_back({INT_MAX, "index", nullptr, ""});
  return push({Node::Kind::index, nullptr, {}, {}, {}, call_space, static_cast<int>(program_.indices.size()) - 1});
}
int Builder::literal(int value) { return push({Node::Kind::literal, nullptr, {}, {}, {}, call_space, value}); }
int Builder::number() { return push({Node::Kind::number, nullptr, {}, {}, {}, call_space, program_.numbers++}); }
int Builder::parameter(const std::shared_ptr<ParameterStorage>& storage, const Shape& seen_as) {
  ESPALIER_CHECK(seen_as.size() == storage->shape.size());
  auto& known = program_.parameters;
  const auto it = std::find(known.begin(), known.end(), storage);
  const int which = static_cast<int>(it - known.begin());
  if (it == known.end()) known.push_back(storage);
  return push({Node::Kind::parameter, nullptr, {}, {}, seen_as, shared_space, which});
}
int Builder::gradient(int output) {
  return push({Node::Kind::gradient, nullptr, {}, {}, program_.output_shape(output), call_space, output});
}

int Builder::spread(int x, int like) {
  const int space = program_.node(like).space;
  ESPALIER_CHECK(space > call_space);
  return make(info<op::Spread>(), erase(op::ListAttrs{space - 1}), std::array{x});
}

// The space that the op runs in. If rows of a list are among the operands, rows of the call are spread over that list.
int Builder::common_space(const OpInfo& op, std::vector<int>& inputs) {
  int space = shared_space;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (op.inputs[op.many ? 0 : i].role == Role::index) {
      space = std::max<int>(space, call_space);
      continue;
    }
    const int s = program_.node(inputs[i]).space;
    if (space > call_space && s > call_space && s != space)
      throw ShapeError(std::string(op.doc.name) +
                       ": its operands are rows of two different lists; reduce one first (sum_rows)");
    space = std::max(space, s);
  }
  if (space > call_space)
    for (int& i : inputs)
      if (program_.node(i).space == call_space && program_.node(i).kind != Node::Kind::index &&
          program_.node(i).kind != Node::Kind::literal)
        i = make(info<op::Spread>(), erase(op::ListAttrs{space - 1}), std::array{i});
  return space;
}

// The limit of an integer is the smallest limit of the ops that read it; the error message names that op.
void Builder::note_index(const OpInfo& op, const Attrs& attrs, std::span<const int> inputs) {
  if (op.index_limit == nullptr) return;
  std::vector<Shape> shapes;
  for (int i : inputs) shapes.push_back(shape(i));
  const int limit = op.index_limit(attrs, shapes);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (op.inputs[i].role != Role::index) continue;
    const Node& n = program_.node(inputs[i]);
    IndexInput reader{limit, std::string(op.doc.name) + (i > 0 ? " in " : ""), nullptr, ""};
    if (i > 0) {
      const Node& from = program_.node(inputs[0]);
      if (from.kind == Node::Kind::parameter) reader.parameter = program_.parameters[static_cast<size_t>(from.which)];
      reader.input = str(from.shape);
    }
    reader.input += ": " + std::string(op.inputs[i].name);
    if (n.kind == Node::Kind::literal) {
      if (n.which < 0 || n.which >= limit)
        throw IndexError(reader.who() + " " + std::to_string(n.which) + " is out of range; it must be 0…" +
                         std::to_string(limit - 1));
    } else if (IndexInput& known = program_.indices[static_cast<size_t>(n.which)]; limit < known.limit) {
      known = std::move(reader);
    }
  }
}

// A table that any op other than a lookup reads gets a dense gradient from now on.
void Builder::note_tables(const OpInfo& op, std::span<const int> inputs) {
  if (op.keeps_sparse) return;
  for (int i : inputs)
    if (const Node& n = program_.node(i); n.kind == Node::Kind::parameter)
      // Several threads may trace the op at the same time.
      std::atomic_ref(program_.parameters[static_cast<size_t>(n.which)]->dense).store(true, std::memory_order_relaxed);
}

// A parameter, a view of one, or a constant: one row for all calls.
bool Builder::is_shared(int node) const { return program_.node(viewed(node)).space == shared_space; }
bool Builder::is_of_parameter(int node) const { return is_parameter(viewed(node)); }
int Builder::viewed(int node) const {
  while (is_view(program_, node)) node = program_.node(node).in[0];
  return node;
}

void Builder::check_roles(const OpInfo& op, std::span<const int> inputs) const {
  ESPALIER_CHECK(op.many || inputs.size() == op.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Input& in = op.inputs[op.many ? 0 : i];
    const Node& n = program_.node(inputs[i]);
    if (in.role == Role::list && n.space <= call_space)
      throw ShapeError(std::string(op.doc.name) + ": " + std::string(in.name) + str(n.shape) +
                       " is one row; it must be the rows of a list argument");
    ESPALIER_CHECK(in.role != Role::shared || n.kind == Node::Kind::parameter);
  }
}

int Builder::compose(const OpInfo& op, const Attrs& attrs, std::span<const int> inputs) {
  std::vector<Shape> shapes;
  std::vector<op::Term> terms;
  for (int i : inputs) {
    shapes.push_back(shape(i));
    terms.push_back({this, i});
  }
  const Shape inferred = op.infer(attrs, shapes);
  note_index(op, attrs, inputs);  // first, so that an error names the op that the user wrote, not its parts
  const int result = op.compose(attrs, terms).node;
  ESPALIER_CHECK(shape(result) == inferred);
  return result;
}

int Builder::make(const OpInfo& op, Attrs attrs, std::span<const int> given) {
  check_roles(op, given);
  if (op.compose != nullptr) return compose(op, attrs, given);
  std::vector<int> inputs(given.begin(), given.end());
  // The elements of a parameter are contiguous, so a reshaped parameter is the parameter itself.
  if (&op == &info<op::Reshape>() && is_parameter(inputs[0])) {
    const Shape as = op.infer(attrs, std::array{shape(inputs[0])});
    return parameter(program_.parameters[static_cast<size_t>(program_.node(inputs[0]).which)], as);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    // Only element-wise kernels take constants, and only some ops take parameters as rows; others get a copied row.
    if (op.inputs[op.many ? 0 : i].role == Role::row && !op.elementwise && is_shared(inputs[i]) &&
        (!op.takes_shared || !is_of_parameter(inputs[i])))
      inputs[i] = make(info<op::Copy>(), {}, std::array{inputs[i]});
  }
  int space = common_space(op, inputs);
  Node node{Node::Kind::op, &op, std::move(attrs), std::move(inputs), {}, 0, 0};
  std::vector<Shape> shapes;
  for (int i : node.in) shapes.push_back(shape(i));
  node.shape = op.infer(node.attrs, shapes);
  note_index(op, node.attrs, node.in);
  note_tables(op, node.in);
  if (op.place == Place::list) space = 1 + unerase<op::ListAttrs>(node.attrs).list;
  if (op.place == Place::call) {
    int& least = program_.min_rows[static_cast<size_t>(space - 1)];
    least = std::max(least, op.min_rows);
    space = call_space;
  }
  if (space == shared_space && !node.in.empty()) space = call_space;
  node.space = space;
  program_.random = program_.random || op.random;
  return push(std::move(node));
}

}  // namespace espalier
