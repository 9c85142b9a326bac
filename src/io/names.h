// The names under which a file may store a parameter: ours, or those of PyTorch's recurrent layers.
#pragma once
#include <string>
#include <vector>

namespace espalier::io {

// Each alternative is a list of tensors whose sum is the parameter; the parameter's own name comes first.
//   x.weight_ih             x.weight_ih_l0
//   x.1.weight_ih           x.weight_ih_l1                        layer 1 of a stack
//   x.1.backward.weight_ih  x.weight_ih_l1_reverse                `forward`: the same without _reverse
//   x.bias                  x.bias_ih_l0 + x.bias_hh_l0           our modules with a single bias
//   x.bias                  x.bias_ih + x.bias_hh                 of an LSTMCell
std::vector<std::vector<std::string>> names_in_files(const std::string& parameter);

}  // namespace espalier::io
