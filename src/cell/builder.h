// Builds programs: the one place where an op meets its operands, their spaces and their shapes.
#pragma once
#include "cell/program.h"

namespace espalier {

class Builder : public Maker {
 public:
  explicit Builder(Program& program) : program_(program) {}

  int row(const Shape& shape, int space, std::string name);
  int group();  // opens the next variadic group; its rows follow by row(shape, 1 + group, name)
  int index();
  int literal(int value);
  int number();
  int parameter(const std::shared_ptr<Slot>& slot) { return parameter(slot, slot->shape); }
  int parameter(const std::shared_ptr<Slot>& slot, const Shape& seen_as);  // as many elements
  int gradient(int output);

  // Checks roles, spreads rows of the call over a list where both meet, infers the shape; a composed op becomes the ops
  // that it is made of. Throws ShapeError.
  int make(const OpInfo& op, Attrs attrs, std::span<const int> inputs) override;
  const Shape& shape(int node) const override { return program_.node(node).shape; }
  int spread(int x, int like) override;

  bool is_parameter(int node) const override { return program_.node(node).kind == Node::Kind::parameter; }
  bool is_list(int node) const { return program_.node(node).space > call_space; }
  int site() override { return sites_++; }

 private:
  int push(Node node);
  int compose(const OpInfo& op, const Attrs& attrs, std::span<const int> inputs);
  int common_space(const OpInfo& op, std::vector<int>& inputs);
  void note_index(const OpInfo& op, const Attrs& attrs, std::span<const int> inputs);
  void note_tables(const OpInfo& op, std::span<const int> inputs);
  std::string describe(int node) const;
  bool is_shared(int node) const;
  bool is_of_parameter(int node) const;  // or a view of one
  int viewed(int node) const;            // what a view of a view … shows
  void check_roles(const OpInfo& op, std::span<const int> inputs) const;

  Program& program_;
  int sites_ = 0;
};

}  // namespace espalier
