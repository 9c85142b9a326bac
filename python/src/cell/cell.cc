#include "python/src/cell/cell.h"

#include <structmember.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <type_traits>

#include <espalier/expr/cell.h>
#include "expr/record.h"
#include "param/full_name.h"
#include "python/src/cell/results.h"
#include "python/src/engine/current.h"
#include "python/src/errors.h"
#include "python/src/function/convert.h"

namespace espalier::python {
namespace {

// An argument of a cell.
struct Argument {
  enum class Kind { row, state, index, number, rows, states };
  Kind kind = Kind::row;
  Shape shape;
  std::string name;
  Ref interned;  // the name, as a Python string
};

// What is needed to call a cell.
struct Definition {
  std::shared_ptr<const Program> program;
  std::shared_ptr<detail::Origin> origin;  // of the program's name, unless an equal cell named the program
  std::string name;
  std::vector<Argument> arguments;
  Ref result;  // what the function returned; its Exprs stand for the outputs, in order
  size_t outputs = 0;
};

struct CellObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* weak_references;
  Definition* definition;
};

const Definition& definition_of(PyObject* object) { return *reinterpret_cast<CellObject*>(object)->definition; }

// Owns the cells of Python: their traces, and nothing else. Never destroyed.
Parameters& cells_of_python() {
  static Parameters& cells = *new Parameters;
  return cells;
}

// ---- definition

Argument to_argument(const std::string& name, PyObject* spec, const std::string& cell) {
  Argument a;
  a.name = name;
  a.interned = Ref::steal(checked(PyUnicode_InternFromString(name.c_str())));
  const auto type = [&](PyTypeObject& t) { return spec == reinterpret_cast<PyObject*>(&t); };
  if (type(PyLong_Type)) {
    a.kind = Argument::Kind::index;
  } else if (type(PyFloat_Type)) {
    a.kind = Argument::Kind::number;
  } else if (Py_TYPE(spec) == &state_spec_type) {
    a.kind = Argument::Kind::state;
    a.shape = {reinterpret_cast<StateSpecObject*>(spec)->size};
  } else if (PyList_Check(spec)) {
    if (PyList_GET_SIZE(spec) != 1)
      throw_type_error(cell + ": " + name + " must list one item, [(n,)] or [State(n)]: any number of such rows");
    a = to_argument(name, PyList_GET_ITEM(spec, 0), cell);
    if (a.kind == Argument::Kind::row)
      a.kind = Argument::Kind::rows;
    else if (a.kind == Argument::Kind::state)
      a.kind = Argument::Kind::states;
    else
      throw_type_error(cell + ": " + name + " must be a list of rows or States, [(n,)] or [State(n)]");
  } else if (PyTuple_Check(spec) || PyIndex_Check(spec)) {
    a.shape = to_shape(spec, {cell, name});
  } else {
    throw_type_error(cell + ": " + name + " is described by " + type_of(spec) +
                     "; it must be a shape (n,), int, float, State(n), [(n,)] or [State(n)]");
  }
  return a;
}

void check_counts(const Definition& d) {
  std::array<size_t, 4> counts{};  // rows, ints, floats, lists
  for (const Argument& a : d.arguments) switch (a.kind) {
      case Argument::Kind::row:
        ++counts[0];
        break;
      case Argument::Kind::state:
        counts[0] += 2;
        break;
      case Argument::Kind::index:
        ++counts[1];
        break;
      case Argument::Kind::number:
        ++counts[2];
        break;
      case Argument::Kind::rows:
      case Argument::Kind::states:
        ++counts[3];
    }
  constexpr size_t most = detail::CallArguments::most;
  if (counts[0] > most || counts[1] > most || counts[2] > most || counts[3] > detail::CallArguments::max_groups)
    throw ShapeError(d.name +
                     ": a cell takes at most 32 rows, 32 ints, 32 floats and 4 lists; a list holds any number");
}

Ref placeholder(detail::Tracing& tracing, const Argument& a) {
  tracing.argument(a.name);
  const auto state = [&] {
    const Expr h = tracing.row();
    return Ref::steal(checked(new_state({h, tracing.row()})));
  };
  switch (a.kind) {
    case Argument::Kind::row:
      return Ref::steal(checked(new_expr(tracing.row())));
    case Argument::Kind::state:
      return state();
    case Argument::Kind::index:
      return Ref::steal(checked(new_expr(tracing.index().traced())));
    case Argument::Kind::number:
      return Ref::steal(checked(new_expr(tracing.number().traced())));
    case Argument::Kind::rows:
    case Argument::Kind::states:
      break;
  }
  const int fields = a.kind == Argument::Kind::states ? 2 : 1;
  const uint32_t first = tracing.group(fields);
  const Expr h = detail::field_rows(tracing.entry(), first, tracing.stamp(), 0);
  if (fields == 1) return Ref::steal(checked(new_expr(h)));
  return Ref::steal(checked(new_state({h, detail::field_rows(tracing.entry(), first, tracing.stamp(), 1)})));
}

// An argument that is an index or a number is no row.
void check_output(Trace& trace, Expr x, const std::string& cell) {
  if (!is_traced(x)) return;  // refused later
  const Node::Kind kind = trace.program.node(traced_node(trace, x, cell, {})).kind;
  if (kind == Node::Kind::index || kind == Node::Kind::literal || kind == Node::Kind::number)
    throw_type_error(cell + ": it returns an index or a number; it must return rows, such as one_hot(i, n)");
}

std::unique_ptr<Definition> define(PyObject* function, std::string name, PyObject* specs) {
  auto d = std::make_unique<Definition>();
  d->name = std::move(name);
  std::vector<Shape> shapes;
  PyObject *key = nullptr, *spec = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(specs, &at, &key, &spec) != 0;) {
    d->arguments.push_back(to_argument(to_string(key, {d->name, "a name"}), spec, d->name));
    shapes.push_back(d->arguments.back().shape);
  }
  check_counts(*d);
  detail::Tracing tracing(cells_of_python(), d->name, shapes, shapes.size(), Where{});
  const Ref keywords = Ref::steal(checked(PyDict_New()));
  for (const Argument& a : d->arguments) {
    const Ref one = placeholder(tracing, a);
    if (PyDict_SetItem(keywords.get(), a.interned.get(), one.get()) < 0) throw_python();
  }
  Trace& trace = static_cast<Trace&>(*tracing.entry()->find(tracing.stamp()));
  d->origin = std::make_shared<detail::Origin>();
  d->origin->prefix = d->name;
  trace.program.name = detail::FullName("", d->origin);
  {
    const Entered entered({nullptr, &trace, nullptr});
    const Ref none = Ref::steal(checked(PyTuple_New(0)));
    d->result = Ref::steal(checked(PyObject_Call(function, none.get(), keywords.get())));
  }
  std::vector<Expr> outputs;
  collect_exprs(d->result.get(), outputs);
  for (const Expr x : outputs) check_output(trace, x, d->name);
  if (outputs.empty() || outputs.size() > detail::CallArguments::most)
    throw ShapeError(d->name + ": it returns " + (outputs.empty() ? type_of(d->result.get()) : "") +
                     (outputs.empty() ? "" : std::to_string(outputs.size()) + " rows") +
                     "; a cell must return 1 to 32 rows: an Expr, a State, or a tuple, list or dict of them");
  for (const Expr x : outputs) tracing.output(x);
  d->outputs = outputs.size();
  d->program = tracing.finish();
  return d;
}

// ---- calls

// The rows of a list argument, field by field of each item.
struct Group {
  std::vector<Expr> items;
  template <int fields>
  static void read(const void* items, size_t i, Expr* into) {
    for (int f = 0; f < fields; ++f) into[f] = static_cast<const Expr*>(items)[i * fields + static_cast<size_t>(f)];
  }
};

detail::GroupArgument to_group(PyObject* object, const Argument& a, const Asked& asked, Group& group) {
  const int fields = a.kind == Argument::Kind::states ? 2 : 1;
  const Expr traced = is_expr(object) ? expr_in(object) : is_state(object) ? state_in(object).h : Expr();
  if (traced && is_traced(traced)) {  // the rows of a list argument of the cell being traced
    detail::GroupArgument g;
    g.entry = traced.entry();
    g.id = traced.id();
    g.stamp = traced.stamp();
    g.fields = fields;
    return g;
  }
  const Items items(object, asked);
  group.items.reserve(items.size() * static_cast<size_t>(fields));
  for (size_t i = 0; i < items.size(); ++i) {
    if (fields == 1) {
      group.items.push_back(to_expr(items[i], asked));
    } else {
      const nn::State s = to_state(items[i], asked);
      group.items.push_back(s.h);
      group.items.push_back(s.c);
    }
  }
  return {nullptr, 0, 0, group.items.data(), items.size(), fields, fields == 1 ? &Group::read<1> : &Group::read<2>};
}

// An array without initial values: writing 2 KB of zeros took longer than the rest of a call.
template <class T, size_t n>
struct Slots {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  alignas(T) std::byte raw[n * sizeof(T)];
  T* data() { return reinterpret_cast<T*>(raw); }
  T& operator[](size_t i) { return data()[i]; }
};

struct Flat {
  Slots<Expr, detail::CallArguments::most> rows;
  Slots<Index, detail::CallArguments::most> indices;
  Slots<Number, detail::CallArguments::most> numbers;
  Slots<detail::GroupArgument, detail::CallArguments::max_groups> groups;
  size_t row = 0, index = 0, number = 0, group = 0;
};

void take(const Definition& d, const Argument& a, PyObject* object, Flat& flat, std::vector<Group>& lists) {
  const Asked asked{d.name, a.name};
  switch (a.kind) {
    case Argument::Kind::row:
      flat.rows[flat.row++] = to_expr(object, asked);
      break;
    case Argument::Kind::state: {
      const nn::State s = to_state(object, asked);
      flat.rows[flat.row++] = s.h;
      flat.rows[flat.row++] = s.c;
      break;
    }
    case Argument::Kind::index:
      flat.indices[flat.index++] = to_index(object, asked);
      break;
    case Argument::Kind::number:
      flat.numbers[flat.number++] = to_number(object, asked);
      break;
    case Argument::Kind::rows:
    case Argument::Kind::states:
      lists.emplace_back();
      flat.groups[flat.group++] = to_group(object, a, asked, lists.back());
  }
}

[[noreturn]] void refuse_arguments(const Definition& d, const std::string& why) {
  std::string names;
  for (const Argument& a : d.arguments) names += (names.empty() ? "" : ", ") + a.name;
  throw_type_error(d.name + "(" + names + "): " + why);
}

Ref result_of(const Definition& d, const Expr* outputs) {
  PyObject* const shape = d.result.get();
  if (is_expr(shape)) return Ref::steal(checked(new_expr(outputs[0])));
  if (is_state(shape)) return Ref::steal(checked(new_state({outputs[0], outputs[1]})));
  return with_replaced(shape, {[&](Expr) { return Ref::steal(checked(new_expr(*outputs++))); },
                               [](const Ref& h, const Ref& c) {
                                 return Ref::steal(checked(new_state({expr_in(h.get()), expr_in(c.get())})));
                               }});
}

PyObject* call(PyObject* object, PyObject* const* given, size_t flags, PyObject* keywords) {
  const Definition& d = definition_of(object);
  const auto n = static_cast<size_t>(PyVectorcall_NARGS(flags));
  try {
    Flat flat;
    std::vector<Group> lists;
    lists.reserve(detail::CallArguments::max_groups);
    const size_t named = keywords == nullptr ? 0 : static_cast<size_t>(PyTuple_GET_SIZE(keywords));
    if (n + named != d.arguments.size())
      refuse_arguments(
          d, std::to_string(n + named) + " arguments are given; it takes " + std::to_string(d.arguments.size()));
    for (size_t i = 0; i < d.arguments.size(); ++i) {
      const Argument& a = d.arguments[i];
      PyObject* one = i < n ? given[i] : nullptr;
      for (size_t k = 0; one == nullptr && k < named; ++k)
        if (PyUnicode_Compare(PyTuple_GET_ITEM(keywords, static_cast<Py_ssize_t>(k)), a.interned.get()) == 0)
          one = given[n + k];
      if (one == nullptr) refuse_arguments(d, a.name + " is missing");
      take(d, a, one, flat, lists);
    }
    Slots<Expr, detail::CallArguments::most> outputs;
    const Current* const now = current();
    if (now == nullptr && flat.row == 0 &&
        std::all_of(lists.begin(), lists.end(), [](const Group& g) { return g.items.empty(); }))
      current_graph(d.name);  // nothing else determines the graph: a GraphError
    detail::call(d.program, now == nullptr ? nullptr : now->graph,
                 {{flat.rows.data(), flat.row},
                  {flat.indices.data(), flat.index},
                  {flat.numbers.data(), flat.number},
                  {flat.groups.data(), flat.group}},
                 Where{}, outputs.data());
    return result_of(d, outputs.data()).release();
  } catch (...) {
    return set_error();
  }
}

// ---- the type

PyObject* make_new(PyTypeObject* type, PyObject* args, PyObject* specs) {
  PyObject *function = nullptr, *name = nullptr;
  if (PyArg_ParseTuple(args, "OU:Cell", &function, &name) == 0) return nullptr;
  try {
    const Ref none = Ref::steal(checked(PyDict_New()));
    auto definition = define(function, to_string(name, {"cell", "name"}), specs == nullptr ? none.get() : specs);
    auto* const made = reinterpret_cast<CellObject*>(checked(type->tp_alloc(type, 0)));
    made->vectorcall = call;
    made->definition = definition.release();
    return reinterpret_cast<PyObject*>(made);
  } catch (...) {
    return set_error();
  }
}
void dealloc(PyObject* object) {
  auto* const cell = reinterpret_cast<CellObject*>(object);
  if (cell->weak_references != nullptr) PyObject_ClearWeakRefs(object);
  delete cell->definition;
  Py_TYPE(object)->tp_free(object);
}
PyObject* repr(PyObject* object) {
  const Definition& d = definition_of(object);
  std::string text = "Cell " + d.name + "(";
  for (size_t i = 0; i < d.arguments.size(); ++i) text += (i == 0 ? "" : ", ") + d.arguments[i].name;
  return PyUnicode_FromString((text + ")").c_str());
}
PyObject* explain(PyObject* object, PyObject*) {
  try {
    return PyUnicode_FromString(detail::explain_cell(definition_of(object).program).c_str());
  } catch (...) {
    return set_error();
  }
}
PyObject* signature(PyObject* object, void*) {
  std::string text;
  for (const Argument& a : definition_of(object).arguments) text += (text.empty() ? "" : ", ") + a.name;
  const Ref module = Ref::steal(PyImport_ImportModule("espalier._signature"));
  return module ? PyObject_CallMethod(module.get(), "of", "s", ("(" + text + ")").c_str()) : nullptr;
}
PyObject* name(PyObject* object, void*) { return PyUnicode_FromString(definition_of(object).name.c_str()); }

PyObject* rename(PyObject* object, PyObject* text) {
  try {
    Definition& d = *reinterpret_cast<CellObject*>(object)->definition;
    d.name = to_string(text, {"rename", "the name"});
    detail::FullName::set_prefix(*d.origin, d.name);
    Py_RETURN_NONE;
  } catch (...) {
    return set_error();
  }
}

PyMethodDef methods[] = {
    {"explain", explain, METH_NOARGS, "explain($self)\n--\n\nThe program of the cell and its fused kernels, as text."},
    {"_rename", rename, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {
    {"name", name, nullptr,
     "The path of the module and the attribute that holds the cell, or the name of the function.", nullptr},
    {"__signature__", signature, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyTypeObject cell_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

}  // namespace

void add_cell_type(PyObject* module) {
  PyTypeObject& t = cell_type;
  t.tp_name = "espalier.Cell";
  t.tp_basicsize = sizeof(CellObject);
  t.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL;
  t.tp_doc = "A function of rows, traced once: espalier.cell makes it.";
  t.tp_vectorcall_offset = offsetof(CellObject, vectorcall);
  t.tp_weaklistoffset = offsetof(CellObject, weak_references);
  t.tp_call = PyVectorcall_Call;
  t.tp_dealloc = dealloc;
  t.tp_repr = repr;
  t.tp_methods = methods;
  t.tp_getset = properties;
  t.tp_new = make_new;
  if (PyType_Ready(&t) < 0) throw_python();
  Py_INCREF(&t);
  if (PyModule_AddObject(module, "Cell", reinterpret_cast<PyObject*>(&t)) < 0) throw_python();
}

}  // namespace espalier::python
