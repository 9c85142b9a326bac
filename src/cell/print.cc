// A program as text, one line per node, and back; and the key that tells cells apart.
#include <algorithm>
#include <charconv>
#include <sstream>

#include "cell/builder.h"
#include "cell/passes.h"

namespace espalier {
namespace {

std::string line(const Program& p, int i) {
  const Node& n = p.node(i);
  std::string s = "%" + std::to_string(i) + " = ";
  const auto which = static_cast<size_t>(n.which);
  switch (n.kind) {
    case Node::Kind::row:
      s += "row " + p.rows[which].name + " :" + str(n.shape);
      if (n.space > call_space) s += " list " + std::to_string(n.space - 1);
      return s;
    case Node::Kind::index:
      return s + "index";
    case Node::Kind::literal:
      return s + "literal " + std::to_string(n.which);
    case Node::Kind::number:
      return s + "number";
    case Node::Kind::parameter:
      return s + "parameter " + str(p.parameters[which]->name) + " :" + str(n.shape);
    case Node::Kind::gradient:
      return s + "gradient of " + std::to_string(n.which) + " :" + str(n.shape);
    case Node::Kind::op:
      break;
  }
  s += std::string(n.op->doc.name) + "(" + n.op->text(n.attrs) + ")";
  for (int k : n.in) s += " %" + std::to_string(k);
  s += " :" + str(n.shape);
  if (n.space > call_space) s += " list " + std::to_string(n.space - 1);
  return s;
}

// "alpha=3, shape=[2,4]" to the numbers of Attrs: 3 2 2 4. A list in brackets is preceded by its length.
Attrs parse_attrs(std::string_view text) {
  Attrs attrs;
  size_t count_at = 0;
  bool in_shape = false;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '[') {
      count_at = attrs.size();
      attrs.push_back(0);
      in_shape = true;
      ++i;
    } else if (c == ']') {
      in_shape = false;
      ++i;
    } else if (c == ',' || c == ' ') {
      ++i;
    } else if (!in_shape && (i == 0 || text[i - 1] != '=')) {  // a name, which may look like a number
      const size_t equals = text.find('=', i);
      i = equals == std::string_view::npos ? text.size() : equals + 1;
    } else {
      double value = 0;
      const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), value);
      if (error != std::errc()) return attrs;
      i = static_cast<size_t>(end - text.data());
      attrs.push_back(value);
      if (in_shape) ++attrs[count_at];
    }
  }
  return attrs;
}

Shape parse_shape(std::string_view text) {
  const Attrs a = parse_attrs(text);
  std::vector<int> dims;
  for (size_t i = 1; i < a.size(); ++i) dims.push_back(static_cast<int>(a[i]));
  return Shape::of(dims.data(), static_cast<int>(dims.size()));
}

}  // namespace

std::string print(const Program& p) {
  std::string s = "cell " + str(p.name) + " groups " + std::to_string(p.groups()) + "\n";
  for (int i = 0; i < p.forward_nodes; ++i) s += "  " + line(p, i) + "\n";
  s += "  return";
  for (int o : p.outputs) s += " %" + std::to_string(o);
  s += "\n";
  for (size_t i = static_cast<size_t>(p.forward_nodes); i < p.nodes.size(); ++i)
    s += "  gradient: " + line(p, static_cast<int>(i)) + "\n";
  return s;
}

std::string key_of(const Program& p) {
  std::string s = std::to_string(p.groups());
  for (size_t i = 0; i < p.nodes.size(); ++i) {
    const Node& n = p.nodes[i];
    if (n.kind == Node::Kind::row)
      s += "row" + str(n.shape) + std::to_string(n.space);
    else if (n.kind == Node::Kind::parameter)
      s += "parameter" + std::to_string(n.which) + str(n.shape);  // its address is below
    else
      s += line(p, static_cast<int>(i));
    s += ';';
  }
  for (int o : p.outputs) s += " %" + std::to_string(o);
  for (const auto& storage : p.parameters) s += " " + std::to_string(reinterpret_cast<uintptr_t>(storage.get()));
  return s;
}

Program parse_program(std::string_view text, const std::vector<std::shared_ptr<ParameterStorage>>& parameters) {
  Program p;
  Builder build(p);
  std::istringstream lines{std::string(text)};
  std::string l;
  auto fail = [&](const std::string& why) -> DataError { return DataError("cell: '" + l + "': " + why); };
  while (std::getline(lines, l)) {
    std::istringstream words(l);
    std::string word, equals, what;
    words >> word;
    if (word == "cell") {
      const size_t groups = l.rfind(" groups ");  // everything before it is the name
      if (groups == std::string::npos) throw fail("the line must be 'cell NAME groups N'");
      p.name = l.substr(5, groups - 5);
      for (int g = std::stoi(l.substr(groups + 8)); g > 0; --g) build.group();
      continue;
    }
    if (word == "return") {
      while (words >> word) p.outputs.push_back(std::stoi(word.substr(1)));
      continue;
    }
    if (word == "gradient:" || word.empty()) continue;
    words >> equals >> what;
    const size_t colon = l.rfind(" :[");
    const Shape shape =
        colon == std::string::npos ? Shape{} : parse_shape(l.substr(colon + 2, l.find(']', colon) - colon - 1));
    const size_t list = l.rfind(" list ");
    const int space = list == std::string::npos ? call_space : 1 + std::stoi(l.substr(list + 6));
    if (what == "row") {
      const size_t name = l.find("row ") + 4;  // the name may have spaces: "argument 1.2"
      build.row(shape, space, l.substr(name, colon - name));
    } else if (what == "index") {
      build.index();
    } else if (what == "number") {
      build.number();
    } else if (what == "literal") {
      int value = 0;
      words >> value;
      build.literal(value);
    } else if (what == "parameter") {
      const size_t begin = l.find("parameter ") + 10;
      const std::string name = l.substr(begin, colon - begin);
      const auto it =
          std::find_if(parameters.begin(), parameters.end(), [&](const auto& s) { return str(s->name) == name; });
      if (it == parameters.end()) throw fail("no parameter has this name");
      build.parameter(*it, shape);
    } else {
      const size_t open = l.find('('), close = l.find(')', open);
      const OpInfo* op = open == std::string::npos ? nullptr : find_op(what.substr(0, what.find('(')));
      if (op == nullptr || close == std::string::npos) throw fail("no op has this name");
      std::istringstream operands(l.substr(close + 1, colon == std::string::npos ? colon : colon - close - 1));
      std::vector<int> in;
      while (operands >> word)
        if (word[0] == '%') in.push_back(std::stoi(word.substr(1)));
      build.make(*op, parse_attrs(std::string_view(l).substr(open + 1, close - open - 1)), in);
    }
  }
  return p;
}

void verify(const Program& p) {
  ESPALIER_CHECK(p.forward_nodes <= static_cast<int>(p.nodes.size()));
  for (size_t i = 0; i < p.nodes.size(); ++i)
    for (int k : p.nodes[i].in) {
      ESPALIER_CHECK(k >= 0 && k < static_cast<int>(i));
      ESPALIER_CHECK(static_cast<int>(i) >= p.forward_nodes || k < p.forward_nodes);
    }
  for (int o : p.outputs) {
    ESPALIER_CHECK(o >= 0 && o < p.forward_nodes);
    ESPALIER_CHECK(p.node(o).kind == Node::Kind::op && p.node(o).space == call_space);
  }
  for (size_t j = 0; j < p.row_gradients.size(); ++j)
    if (const int g = p.row_gradients[j]; g >= 0) {
      ESPALIER_CHECK(p.node(g).shape == p.rows[j].shape);
      ESPALIER_CHECK(p.node(g).space == p.rows[j].space);
    }
  for (const Accumulation& a : p.accumulations) ESPALIER_CHECK(a.parameter < static_cast<int>(p.parameters.size()));
}

}  // namespace espalier
