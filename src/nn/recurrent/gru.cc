#include <espalier/nn/recurrent/gru.h>

namespace espalier::nn {

GRU::GRU(Scope p, int in, int hidden)
    : weight_ih(p.add("weight_ih", {3 * hidden, in})),
      weight_hh(p.add("weight_hh", {3 * hidden, hidden})),
      bias_ih(p.add("bias_ih", {3 * hidden}, init::constant(0))),
      bias_hh(p.add("bias_hh", {3 * hidden}, init::constant(0))),
      first(p.cell("first", {{in}},
                   [&](Expr x) {
                     // h = 0, so U h + d is d. It is concatenated with W x + b because only an Expr can be split.
                     auto [r, z, n, dr, dz, dn] = split<6>(concat(linear(x, weight_ih, bias_ih), bias_hh));
                     Expr new_h = tanh(n + sigmoid(r + dr) * dn);
                     return new_h - sigmoid(z + dz) * new_h;
                   })),
      next(p.cell("next", {{in}, {hidden}}, [&](Expr x, Expr h) {
        auto [r, z, n] = split<3>(linear(x, weight_ih, bias_ih));
        auto [hr, hz, hn] = split<3>(linear(h, weight_hh, bias_hh));
        Expr new_h = tanh(n + sigmoid(r + hr) * hn);
        return new_h + sigmoid(z + hz) * (h - new_h);
      })) {}

Expr GRU::operator()(Expr x, Expr before, Where at) const { return before ? next(x, before, at) : first(x, at); }

}  // namespace espalier::nn
