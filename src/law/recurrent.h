// Recurrent networks that are compared with the reference: a device may run their steps in another way where these have
// few rows, by other kernels, and round what it multiplies. Between them they have every kind of product that a step
// can have: one, three and four parts behind it, two of one input, sums of products, odd widths, rows that lie
// unevenly.
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

// What a network is made of beside products. `gated` lets v pass by the gate g.
struct Activations {
  Expr (*squashed)(Expr v);
  Expr (*gated)(Expr g, Expr v);
};

// Smooth: logistic gates, tanh and weights of any size, as networks are. Whole: everything is a small whole number,
// also gradients, so that no precision loses anything and every device must have the same bits: whatever is computed
// from the wrong numbers shows.
enum class Kind { smooth, whole };

struct Recurrence {
  std::string_view name;
  int hidden;
  // The network, made in a scope: rows of `hidden` numbers in, the states that follow from them out.
  std::function<Exprs(const Exprs&)> (*make)(Scope, int hidden, const Activations&);
};
std::span<const Recurrence> recurrences();
std::string name(const Recurrence& r);  // lstm_32
inline std::ostream& operator<<(std::ostream& out, const Recurrence& r) { return out << name(r); }

// All that a minibatch of `rows` sequences computes: states, and the gradients of a sum of some of them.
struct States {
  std::vector<Tensor> states;
  std::vector<Tensor> gradients;  // of the parameters, then of each first input
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
