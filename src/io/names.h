// Under which names a file may hold a parameter: ours, or those of PyTorch's recurrent layers.
#pragma once
#include <string>
#include <vector>

namespace espalier::io {

// Each alternative is a list of tensors whose sum is the parameter; the parameter's own name comes first.
//   x.weight_ih             x.weight_ih_l0
//   x.1.weight_ih           x.weight_ih_l1                        layer 1 of a stack
//   x.1.backward.weight_ih  x.weight_ih_l1_reverse                likewise `forward`, without _reverse
//   x.bias                  x.bias_ih_l0 + x.bias_hh_l0           where ours has one bias
//   x.bias                  x.bias_ih + x.bias_hh                 of an LSTMCell
std::vector<std::vector<std::string>> names_in_files(const std::string& parameter);

}  // namespace espalier::io
