#include "replay/arguments.h"

#include <algorithm>

namespace espalier::replay {

Model::Model(uint64_t seed)
    : parameters(seed),
      words(Scope(parameters).add_lookup("words", 7, {6}, init::normal(0, 0.7f))),
      wide(Scope(parameters).add_lookup("wide", 5, {4}, init::normal(0, 0.7f))),
      linear(parameters / "linear", 6, 6),
      lstm(parameters / "lstm", 6, 6),
      gru(parameters / "gru", 6, 6),
      tree(parameters / "tree", 6, 6),
      child_sum(parameters / "child_sum", 6, 6) {
  const auto add = [&](const char* name, Shape shape, const Init& how) {
    plain.push_back(Scope(parameters).add(name, shape, how));
  };
  add("square", {6, 6}, init::glorot());
  add("down", {4, 6}, init::glorot());
  add("up", {6, 4}, init::glorot());
  add("bias6", {6}, init::normal(0, 0.5f));
  add("bias4", {4}, init::normal(0, 0.5f));
  add("scalar", {}, init::normal(0.5f, 0.2f));
  add("cube", {4, 6, 6}, init::normal(0, 0.4f));
  add("kernel1", {2, 3, 2}, init::normal(0, 0.4f));
  add("kernel2", {2, 2, 2, 2}, init::normal(0, 0.4f));
  add("frozen", {6}, init::normal(0, 0.5f));
  plain.back().freeze();
}

const Parameter& Model::parameter(const std::string& name) const {
  if (name == "words") return words;
  if (name == "wide") return wide;
  const auto found = std::find_if(plain.begin(), plain.end(), [&](const Parameter& p) { return p.name() == name; });
  if (found == plain.end()) throw DataError("replay: no parameter is named " + name);
  return *found;
}

void Arguments::convert(const Token& token, Expr& to) const {
  switch (token.kind) {
    case 'v':
      to = place_.values.at(static_cast<size_t>(token.integer));
      break;
    case 'p':
      to = row(*place_.graph, place_.model.parameter(token.name));
      break;
    case 'a':
      to = input(*place_.graph, token.numbers, Shape::of(token.sizes.data(), int(token.sizes.size())));
      break;
    default:
      throw DataError(std::string("replay: '") + token.kind + "' is no row");
  }
}
void Arguments::convert(const Token& token, Maybe& to) const {
  if (token.kind == 'p') {
    to.emplace(place_.model.parameter(token.name));
  } else if (token.kind == 'f') {
    to.emplace(token.number);
  } else if (token.kind != 'n') {
    Expr x;
    convert(token, x);
    to.emplace(x);
  }
}
void Arguments::convert(const Token& token, Index& to) const {
  to = token.kind == 'i' ? Index(token.integer) : Index(place_.values.at(static_cast<size_t>(token.integer)));
}
void Arguments::convert(const Token& token, Number& to) const {
  to = token.kind == 'f' ? Number(token.number) : Number(place_.values.at(static_cast<size_t>(token.integer)));
}
void Arguments::convert(const Token& token, nn::State& to) const {
  convert(token.items.at(0), to.h);
  convert(token.items.at(1), to.c);
}

}  // namespace espalier::replay
