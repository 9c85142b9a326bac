// An op as a cell of its own, made from its declaration alone, and called with drawn numbers: what the laws are checked
// on. No op is named here or in any law.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/engine/engine.h>
#include <espalier/param/parameters.h>
#include "cell/program.h"
#include "op/op.h"

namespace espalier::law {

// How the inputs of Role::row are given: as rows of the call, as parameters, as rows of a list, or the first as rows of
// a list and the others as rows of the call.
enum class Given { rows, parameters, list, mixed };
std::string_view name(Given given);
std::vector<Given> ways(const OpInfo& op);

// One sample of one op. Its name reads elu_1.
struct OpCase {
  const OpInfo* op = nullptr;
  size_t number = 0;
  Sample sample;
};
const std::vector<OpCase>& op_cases();
std::string name(const OpCase& c);
std::ostream& operator<<(std::ostream& out, const OpCase& c);

// Everything one call is given. Values are multiples of `grain`, no two closer than 16 of it, so that differences can
// be taken exactly and no kink is near.
constexpr float grain = 0x1p-14f;
struct Arguments {
  uint64_t number = 0;                     // of the call: its example, so that random ops draw by it
  std::vector<std::vector<float>> leaves;  // rows of the call, then the items of the groups
  std::vector<int> lengths;                // of the groups
  std::vector<int> indices;
  std::vector<float> data;     // what an index without limit points into
  std::vector<float> weights;  // of the loss: one per element of the result
};

// What was recorded: the result and the leaves it was made from.
struct RecordedOp {
  Expr y;
  std::vector<Expr> leaves;
};

class OpCell {
 public:
  // Parameters that `like` has are shared: then two cells differ in their attributes alone.
  OpCell(const OpInfo& op, const Attrs& attrs, const std::vector<Shape>& shapes, Given given, double lo = -2,
         double hi = 2, const OpCell* like = nullptr);
  explicit OpCell(const OpCase& c, Given given = Given::rows)
      : OpCell(*c.op, c.sample.attrs, c.sample.shapes, given, c.sample.lo, c.sample.hi) {}

  const OpInfo& op() const { return *op_; }
  const std::shared_ptr<const Program>& program() const { return program_; }
  void replace(Program program) { program_ = std::make_shared<const Program>(std::move(program)); }
  Shape inferred() const { return inferred_; }  // of the op's result, before rows of a list are added up
  std::vector<Parameter>& parameters() { return parameters_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }

  // The n-th call. Lists have different lengths in different calls, and none at all in some where that is allowed.
  Arguments arguments(uint64_t n) const;
  // Each leaf is an input, of which `made` may make something else.
  using Made = std::function<Expr(Expr leaf)>;
  RecordedOp record(Graph& graph, const Arguments& arguments, const Made& made = {}) const;

 private:
  const OpInfo* op_;
  double lo_, hi_;
  std::shared_ptr<Parameters> owner_;
  std::vector<Parameter> parameters_;
  std::shared_ptr<const Program> program_;
  Shape inferred_;
};

// Σ result · weight.
Expr loss_of(Graph& graph, const RecordedOp& recorded, const Arguments& arguments);

// Values and gradients of some calls; the loss is the sum of theirs.
struct Outcome {
  std::vector<Tensor> y;
  std::vector<std::vector<Tensor>> leaves;  // gradients, per call
  std::vector<Tensor> parameters;           // gradients
  double loss = 0;                          // in double where the device is
  uint64_t steps = 0;
};
Outcome run_together(const EngineOptions& options, const OpCell& cell, std::span<const Arguments> calls);
Outcome run_apart(const EngineOptions& options, const OpCell& cell, std::span<const Arguments> calls);

// Empty where all of a is near b: |a - b| ≤ tolerance · max(1, |b|); else what differs first.
std::string differences(const Outcome& a, const Outcome& b, double tolerance);
// The same, where `far` says how two tensors differ.
std::string differences(const Outcome& a, const Outcome& b,
                        const std::function<std::string(const Tensor&, const Tensor&)>& far);

}  // namespace espalier::law
