// Expressions: listops as (token, value, arguments), arithmetic as (op, value, left, right), logic as (token, left,
// right); children first.
#include <espalier/base/error.h>
#include <espalier/data/arithmetic.h>
#include <espalier/data/listops.h>
#include <espalier/data/logic.h>

#include <pybind11/stl.h>

#include "python/src/data/data.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

namespace arithmetic = data::arithmetic;
namespace listops = data::listops;
namespace logic = data::logic;

void check_token(const char* who, int token, int tokens) {
  if (token < 0 || token >= tokens)
    throw IndexError(std::string(who) + ": token " + std::to_string(token) + " is not in 0 … " +
                     std::to_string(tokens - 1));
}

// The trees of which binarise() makes the form of the published files: (label, word, left, right).
py::list leaves_of(const data::binary_tree::Tree& tree) {
  return list_of(tree.nodes, [](const auto& n) { return py::make_tuple(-1, n.leaf, n.left, n.right); });
}

// ---- listops

py::list nodes_of(const listops::Expression& e) {
  py::list all;
  for (const auto& n : e.nodes) {
    py::list args;
    for (uint32_t i = 0; i < n.count; ++i) args.append(e.lists[n.first + i]);
    all.append(py::make_tuple(n.token, n.value, args));
  }
  return all;
}
listops::Expression listops_of(const std::vector<std::tuple<int, int, std::vector<uint32_t>>>& nodes) {
  listops::Expression e;
  for (const auto& [token, value, args] : nodes) {
    check_token("listops", token, listops::close_token);
    if ((token < 10) != args.empty())
      throw DataError("listops: " + std::string(listops::vocabulary()[static_cast<size_t>(token)]) +
                      (token < 10 ? " is a digit and has arguments" : " has no arguments"));
    e.nodes.push_back({token, value, static_cast<uint32_t>(e.lists.size()), static_cast<uint32_t>(args.size())});
    e.lists.insert(e.lists.end(), args.begin(), args.end());
  }
  return e;
}

void add_listops(py::module_& m) {
  m.def("listops", [](const Text& path) {
    return examples_of<listops::Expression>(
        path, [](auto& lines, auto& e) { return listops::next(lines, e); }, [](const auto& e) { return nodes_of(e); });
  });
  m.def("listops_parse", [](const Text& text) { return nodes_of(listops::parse(text.bytes)); });
  m.def("listops_generate", [](Count n, Count seed, int max_depth, int max_args, Count max_tokens) {
    const listops::Options options{max_depth, max_args, max_tokens};
    return list_of(unlocked([&] { return listops::generate(n, seed, options); }),
                   [](const auto& e) { return nodes_of(e); });
  });
  m.def("listops_vocabulary", [] {
    py::list words;
    for (const std::string_view word : listops::vocabulary()) words.append(to_str(word));
    return py::tuple(words);
  });
  m.def("listops_text", [](const std::vector<std::tuple<int, int, std::vector<uint32_t>>>& nodes, bool binarised) {
    return listops::to_text(listops_of(nodes), binarised ? listops::Form::binarised : listops::Form::plain);
  });
  m.def("listops_evaluate", [](const std::vector<std::tuple<int, int, std::vector<uint32_t>>>& nodes) {
    return listops::evaluate(listops_of(nodes));
  });
  m.def("listops_binarise", [](const std::vector<std::tuple<int, int, std::vector<uint32_t>>>& nodes) {
    return list_of(listops::binarise(listops_of(nodes)).nodes,
                   [](const auto& n) { return py::make_tuple(n.value, n.token, n.left, n.right); });
  });
}

// ---- arithmetic

py::list nodes_of(const arithmetic::Expression& e) {
  return list_of(e.nodes, [](const auto& n) {
    return py::make_tuple(n.is_number() ? std::string() : std::string(1, n.op), n.value, n.left, n.right);
  });
}
using ArithmeticNodes = std::vector<std::tuple<std::string, int, uint32_t, uint32_t>>;
arithmetic::Expression arithmetic_of(const ArithmeticNodes& nodes) {
  arithmetic::Expression e;
  for (const auto& [op, value, left, right] : nodes) {
    if (op != "" && op != "+" && op != "-" && op != "*")
      throw DataError("arithmetic: operator '" + op + "' is unknown; it must be +, - or *");
    if (op.empty() && (value < -arithmetic::largest || value > arithmetic::largest))
      throw DataError("arithmetic: " + std::to_string(value) + " is not a number in -10 … 10");
    e.nodes.push_back({op.empty() ? '\0' : op[0], value, left, right});
  }
  return e;
}

void add_arithmetic(py::module_& m) {
  m.def("arithmetic", [](const Text& path) {
    return examples_of<arithmetic::Expression>(
        path, [](auto& lines, auto& e) { return arithmetic::next(lines, e); },
        [](const auto& e) { return nodes_of(e); });
  });
  m.def("arithmetic_parse", [](const Text& text) { return nodes_of(arithmetic::parse(text.bytes)); });
  m.def("arithmetic_generate",
        [](Count n, Count seed, int max_operators, const std::string& ops, int smallest, int biggest, bool bounded) {
          const arithmetic::Options options{max_operators, ops, smallest, biggest, bounded};
          return list_of(unlocked([&] { return arithmetic::generate(n, seed, options); }),
                         [](const auto& e) { return nodes_of(e); });
        });
  m.def("arithmetic_draw", [](Count seed, Count index, int max_operators, const std::string& ops, int smallest,
                              int biggest, bool bounded) {
    return nodes_of(arithmetic::draw(seed, index, {max_operators, ops, smallest, biggest, bounded}));
  });
  m.def("arithmetic_text", [](const ArithmeticNodes& nodes, bool infix) {
    return arithmetic::to_text(arithmetic_of(nodes), infix ? arithmetic::Form::infix : arithmetic::Form::prefix);
  });
  m.def("arithmetic_binarise",
        [](const ArithmeticNodes& nodes) { return leaves_of(arithmetic::binarise(arithmetic_of(nodes))); });
}

// ---- logic

py::list nodes_of(const logic::Formula& f) {
  return list_of(f.nodes, [](const auto& n) { return py::make_tuple(n.token, n.left, n.right); });
}
py::tuple nodes_of(const logic::Pair& pair) {
  return py::make_tuple(nodes_of(pair.left), nodes_of(pair.right), pair.relation);
}
using LogicNodes = std::vector<std::tuple<int, uint32_t, uint32_t>>;
logic::Formula formula_of(const LogicNodes& nodes) {
  logic::Formula f;
  for (const auto& [token, left, right] : nodes) {
    check_token("logic", token, logic::tokens);
    f.nodes.push_back({token, left, right});
  }
  return f;
}

void add_logic(py::module_& m) {
  m.def("logic", [](const Text& path) {
    return examples_of<logic::Pair>(
        path, [](auto& lines, auto& pair) { return logic::next(lines, pair); },
        [](const auto& pair) { return nodes_of(pair); });
  });
  m.def("logic_parse", [](const Text& line) { return nodes_of(logic::parse(line.bytes)); });
  m.def("logic_parse_formula", [](const Text& text) { return nodes_of(logic::parse_formula(text.bytes)); });
  m.def("logic_generate", [](Count n, Count seed, int max_operators, int variables) {
    return list_of(unlocked([&] { return logic::generate(n, seed, {max_operators, variables}); }),
                   [](const auto& pair) { return nodes_of(pair); });
  });
  m.def("logic_draw", [](Count seed, Count index, int max_operators, int variables) {
    return nodes_of(logic::draw(seed, index, {max_operators, variables}));
  });
  m.def("logic_text", [](const LogicNodes& nodes) { return logic::to_text(formula_of(nodes)); });
  m.def("logic_binarise", [](const LogicNodes& nodes) { return leaves_of(logic::binarise(formula_of(nodes))); });
  m.def("logic_relation", [](const LogicNodes& left, const LogicNodes& right) {
    return logic::relation(formula_of(left), formula_of(right));
  });
  m.attr("logic_tokens") =
      py::tuple(py::cast(std::vector<std::string>(logic::token_names.begin(), logic::token_names.end())));
  m.attr("logic_relations") =
      py::tuple(py::cast(std::vector<std::string>(logic::relation_names.begin(), logic::relation_names.end())));
}

}  // namespace

void add_expressions(py::module_& m) {
  add_listops(m);
  add_arithmetic(m);
  add_logic(m);
}

}  // namespace espalier::python
