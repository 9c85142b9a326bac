// Builds programs. Spaces, roles and shapes of operands are checked here and nowhere else.
#pragma once
#include "cell/program.h"

namespace espalier {

class Builder : public Maker {
 public:
  explicit Builder(Program& program) : program_(program) {}

  int row(const Shape& shape, int space, std::string name);
  int group();  // opens the next variadic group; then add its rows with row(shape, 1 + group, name)
  int index();
  int literal(int value);
  int number();
  int parameter(const std::shared_ptr<ParameterStorage>& storage) { return parameter(storage, storage->shape); }
  int parameter(const std::shared_ptr<ParameterStorage>& storage, const Shape& seen_as);  // same number of elements
  int gradient(int output);

  // Checks roles, spreads rows of the call over a list if both are operands, and infers the shape. A composed op is
  // replaced by its parts. Throws ShapeError.
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
  bool is_shared(int node) const;
  bool is_of_parameter(int node) const;  // a parameter or a view of one
  int viewed(int node) const;            // the node behind any number of views
  void check_roles(const OpInfo& op, std::span<const int> inputs) const;

  Program& program_;
  int sites_ = 0;
};

}  // namespace espalier
