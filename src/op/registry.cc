#include "op/registry.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "op/kernel/axis.h"

namespace espalier {
namespace {

// A custom op and the op that computes its gradient: the gradients of all inputs, concatenated in one row.
struct Registered {
  detail::CustomOpTable table;
  std::vector<Input> inputs, gradient_inputs;
  std::vector<AttrKind> attr_kinds;
  std::string gradient_name;
  OpInfo op, gradient;
};

// Infers the gradient op's shape; its inputs are those of the op, then the result and its gradient.
Shape all_inputs(const Attrs&, std::span<const Shape> given) {
  int64_t total = 0;
  for (const Shape& s : given.first(given.size() - 2)) total += s.size();
  return {op::axis_size("gradient of a custom op", total)};
}

void gradient_of_custom(const Attrs& attrs, op::Adjoint& g) {
  std::vector<int> given;
  for (int i = 0; i < g.count(); ++i) given.push_back(g.in(i).node);
  given.push_back(g.out().node);
  given.push_back(g.dy().node);
  Maker* maker = g.dy().maker;
  const op::Term all{maker, maker->make(*g.op().custom_gradient, attrs, given)};
  int at = 0;
  for (int i = 0; i < g.count(); ++i) {
    const Shape shape = g.in(i).shape();
    const int end = at + static_cast<int>(shape.size());
    if (g.wants(i) && end > at) g.add(i, op::apply<op::Reshape>({shape}, {op::apply<op::Slice>({at, end, 0}, {all})}));
    at = end;
  }
}

std::unique_ptr<Registered> registered(const detail::CustomOpTable& table) {
  auto r = std::make_unique<Registered>();
  r->table = table;
  for (std::string_view name : table.inputs) r->inputs.push_back({name});
  r->gradient_inputs = r->inputs;
  r->gradient_inputs.insert(r->gradient_inputs.end(), {{"y"}, {"dy"}});
  r->gradient_name = std::string(table.name) + ".gradient";

  OpInfo& op = r->op;
  op.doc = {table.name, table.text, table.math};
  op.inputs = r->inputs;
  op.attr_names = table.attr_names;
  op.takes_shared = true;
  op.tolerance = table.tolerance;
  op.infer = table.infer;
  r->attr_kinds.assign(table.attr_names.size(), AttrKind::number);
  op.attr_kinds = r->attr_kinds;
  op.flops = [](const Attrs&, std::span<const Shape>, const Shape& out) { return static_cast<double>(out.size()); };
  op.own_slope = [](const Attrs&) { return false; };
  op.custom = &r->table;
  if (table.backward_float != nullptr) {
    op.gradient = gradient_of_custom;
    op.custom_gradient = &r->gradient;
    r->gradient = op;
    r->gradient.doc.name = r->gradient_name;
    r->gradient.inputs = r->gradient_inputs;
    r->gradient.infer = all_inputs;
    r->gradient.gradient = nullptr;
    r->gradient.custom_gradient = nullptr;
    r->gradient.is_custom_gradient = true;
  }
  return r;
}

struct Registry {
  std::mutex mutex;
  std::vector<std::unique_ptr<Registered>> ops;

  static Registry& all() {
    static Registry registry;
    return registry;
  }
  Registered* find(std::string_view name) {
    for (const auto& r : ops)
      if (r->table.name == name) return r.get();
    return nullptr;
  }
};

bool same(const detail::CustomOpTable& a, const detail::CustomOpTable& b) {
  return a.infer == b.infer && a.forward_float == b.forward_float && a.backward_float == b.backward_float;
}

void check(const detail::CustomOpTable& t) {
  const std::string who = "op '" + std::string(t.name) + "': ";
  auto of_a_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  if (t.name.empty() || !std::all_of(t.name.begin(), t.name.end(), of_a_name))
    throw Error(who + "invalid name; use only letters, digits, '_' and '.'");
  if (t.inputs.empty() || t.inputs.size() > max_custom_inputs)
    throw Error(who + std::to_string(t.inputs.size()) + " inputs; it must have 1…" + std::to_string(max_custom_inputs));
}

}  // namespace

std::vector<Sample> OpInfo::samples() const {
  if (own_samples != nullptr) return own_samples();
  std::vector<Sample> all;
  for (const auto& s : custom->samples()) all.push_back({s.attrs, s.shapes, s.lo, s.hi});
  return all;
}

const OpInfo* find_registered(std::string_view name) {
  Registry& registry = Registry::all();
  const std::lock_guard lock(registry.mutex);
  const Registered* r = registry.find(name);
  return r == nullptr ? nullptr : &r->op;
}

namespace detail {

const OpInfo& register_op(const CustomOpTable& table) {
  check(table);
  if (const OpInfo* own = find_op(table.name); own != nullptr && own->custom == nullptr)
    throw Error("op '" + std::string(table.name) + "': the library has an op with this name; choose another");
  Registry& registry = Registry::all();
  const std::lock_guard lock(registry.mutex);
  if (const Registered* known = registry.find(table.name)) {
    if (same(known->table, table)) return known->op;
    throw Error("op '" + std::string(table.name) + "': another op with this name is registered; choose another");
  }
  return registry.ops.emplace_back(registered(table))->op;
}

}  // namespace detail
}  // namespace espalier
