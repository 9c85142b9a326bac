// OpCell: wraps an op in a cell, given only the op's declaration, and calls it with random values. The laws are checked
// on such cells. No op is named here or in any law.
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

// Source of the inputs of Role::row: rows of the call, parameters, rows of a list, or (mixed) the first from a list and
// the others from the call.
enum class Given { rows, parameters, list, mixed };
std::string_view name(Given given);
std::vector<Given> ways(const OpInfo& op);

// One sample of one op, named for example elu_1.
struct OpCase {
  const OpInfo* op = nullptr;
  size_t number = 0;
  Sample sample;
};
const std::vector<OpCase>& op_cases();
std::string name(const OpCase& c);
std::ostream& operator<<(std::ostream& out, const OpCase& c);

// The arguments of one call. Values are multiples of `grain` and at least 16 grains apart, so finite differences are
// exact and do not cross a kink.
constexpr float grain = 0x1p-14f;
struct Arguments {
  uint64_t number = 0;                     // example id of the call; the seed of random ops
  std::vector<std::vector<float>> leaves;  // rows of the call, then the items of the groups
  std::vector<int> lengths;                // lengths of the groups
  std::vector<int> indices;
  std::vector<float> data;     // the data that an index without limit refers to
  std::vector<float> weights;  // loss weights, one per element of the result
};

// A recorded call: its result and its leaves.
struct RecordedOp {
  Expr y;
  std::vector<Expr> leaves;
};

class OpCell {
 public:
  // With `like`, shares its parameters, so the two cells differ only in their attributes.
  OpCell(const OpInfo& op, const Attrs& attrs, const std::vector<Shape>& shapes, Given given, double lo = -2,
         double hi = 2, const OpCell* like = nullptr);
  explicit OpCell(const OpCase& c, Given given = Given::rows)
      : OpCell(*c.op, c.sample.attrs, c.sample.shapes, given, c.sample.lo, c.sample.hi) {}

  const OpInfo& op() const { return *op_; }
  const std::shared_ptr<const Program>& program() const { return program_; }
  void replace(Program program) { program_ = std::make_shared<const Program>(std::move(program)); }
  Shape inferred() const { return inferred_; }  // shape of the op's result, before the rows of a list are summed
  std::vector<Parameter>& parameters() { return parameters_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }

  // The arguments of call n. The lengths of lists vary with n; some lists are empty if the op allows it.
  Arguments arguments(uint64_t n) const;
  // Records each leaf as an input. With `made`, the leaves are made(input); without it, the call starts a new example.
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

// The values of several calls, the sum of their losses, and the gradients of that sum.
struct Outcome {
  std::vector<Tensor> y;
  std::vector<std::vector<Tensor>> leaves;  // gradients, per call
  std::vector<Tensor> parameters;           // gradients
  double loss = 0;                          // double precision on the reference device
  uint64_t steps = 0;
};
Outcome run_together(const EngineOptions& options, const OpCell& cell, std::span<const Arguments> calls);
Outcome run_apart(const EngineOptions& options, const OpCell& cell, std::span<const Arguments> calls);

// Empty if |a - b| ≤ tolerance · max(1, |b|) everywhere; otherwise describes the first difference.
std::string differences(const Outcome& a, const Outcome& b, double tolerance);
// The same with `far` to compare two tensors.
std::string differences(const Outcome& a, const Outcome& b,
                        const std::function<std::string(const Tensor&, const Tensor&)>& far);

}  // namespace espalier::law
