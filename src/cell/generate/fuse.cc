// Fusion: element-wise ops over the same rows and the same number of elements become one kernel. Greedy: other ops are
// emitted as soon as their operands are ready, then all element-wise ops that can run together.
#include <algorithm>

#include "cell/passes.h"

namespace espalier {

std::vector<std::vector<int>> fuse(const Program& p, const BufferAliases& aliases, const std::vector<bool>& wanted,
                                   const std::vector<bool>& ready) {
  std::vector<std::vector<int>> kernels;
  std::vector<bool> done = ready;
  std::vector<int> left;
  for (size_t i = 0; i < p.nodes.size(); ++i) {
    if (p.nodes[i].space == shared_space) done[i] = true;  // constants are part of the fused kernels that use them
    if (wanted[i] && !done[i]) left.push_back(static_cast<int>(i));
  }

  auto can = [&](int i) {
    const auto& in = p.node(i).in;
    if (const int before = aliases.adds_to(i); before >= 0 && !done[static_cast<size_t>(before)]) return false;
    return std::all_of(in.begin(), in.end(), [&](int k) { return done[static_cast<size_t>(k)]; });
  };
  auto finish = [&](int i) { done[static_cast<size_t>(i)] = true; };
  auto elementwise = [&](int i) { return p.node(i).op != nullptr && p.node(i).op->elementwise && !aliases.silent(i); };

  while (!left.empty()) {
    const size_t before = left.size();
    std::erase_if(left, [&](int i) {
      if (elementwise(i) || !can(i)) return false;
      if (!aliases.silent(i)) kernels.push_back({i});
      finish(i);
      return true;
    });
    if (left.size() != before) continue;  // more of these ops may be ready now
    std::vector<int> run;
    std::erase_if(left, [&](int i) {
      if (!elementwise(i) || !can(i)) return false;
      const Node& n = p.node(i);
      if (!run.empty() && (n.space != p.node(run[0]).space || n.shape.size() != p.node(run[0]).shape.size()))
        return false;
      run.push_back(i);
      finish(i);
      return true;
    });
    ESPALIER_CHECK(!run.empty());
    kernels.push_back(std::move(run));
  }
  return kernels;
}

}  // namespace espalier
