// Recurrent networks for comparing devices with the reference. For steps with few rows, a device may use other kernels,
// and it may round the factors of products. Together the networks cover every kind of product in a step: results split
// into one, three and four parts, two products of one input, sums of products, odd widths, and unaligned rows.
#pragma once
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/engine/engine.h>
#include <espalier/param/parameters.h>

namespace espalier::law {

using Exprs = std::vector<Expr>;

// The element-wise functions of a network. `gated` applies the gate g to v.
struct Activations {
  Expr (*squashed)(Expr v);
  Expr (*gated)(Expr g, Expr v);
};

// smooth: logistic gates, tanh and real weights, as in real networks. whole: all values and gradients are small
// integers, so no precision rounds them and all devices must agree bit for bit; any use of a wrong value shows.
enum class Kind { smooth, whole };

struct Recurrence {
  std::string_view name;
  int hidden;
  // Creates the network in a scope: a function from rows of `hidden` elements to the states.
  std::function<Exprs(const Exprs&)> (*make)(Scope, int hidden, const Activations&);
};
std::span<const Recurrence> recurrences();
std::string name(const Recurrence& r);  // lstm_32
inline std::ostream& operator<<(std::ostream& out, const Recurrence& r) { return out << name(r); }

// The results of a minibatch: all states, and the gradients of a weighted sum of some states.
struct States {
  std::vector<Tensor> states;
  std::vector<Tensor> gradients;  // per parameter, then the first input of each sequence
  uint64_t launches = 0;
};

class RecurrentNet {
 public:
  RecurrentNet(const Recurrence& r, Kind kind);

  Parameters params;

  States train(EngineOptions options, int rows) const;
  std::vector<Tensor> infer(EngineOptions options, int rows) const;  // the last states

 private:
  Exprs inputs(Graph& g, uint64_t example) const;
  Expr numbers(Graph& g, uint64_t example, uint64_t which) const;

  Kind kind_;
  int hidden_;
  std::function<Exprs(const Exprs&)> states_;
};

}  // namespace espalier::law
