#include <functional>
#include <queue>
#include <string>
#include <utility>

#include <espalier/nn/softmax.h>

namespace espalier::nn {

namespace {

// Huffman 1952: repeatedly merges the two rarest nodes. Leaves are 0…n-1, inner nodes n…2n-2 in order of creation. The
// rarer node, or the earlier one if equally rare, becomes the left child.
struct Huffman {
  std::vector<int> parent;
  std::vector<bool> left;
  explicit Huffman(std::span<const uint64_t> counts) : parent(2 * counts.size(), -1), left(2 * counts.size(), false) {
    using Entry = std::pair<uint64_t, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> rarest;
    for (size_t w = 0; w < counts.size(); ++w) rarest.emplace(counts[w], static_cast<int>(w));
    for (int made = static_cast<int>(counts.size()); rarest.size() > 1; ++made) {
      const Entry a = rarest.top();
      rarest.pop();
      const Entry b = rarest.top();
      rarest.pop();
      left[static_cast<size_t>(a.second)] = true;
      parent[static_cast<size_t>(a.second)] = parent[static_cast<size_t>(b.second)] = made;
      rarest.emplace(a.first + b.first, made);
    }
  }
};

int nodes_of(std::span<const uint64_t> counts) {
  if (counts.size() < 2)
    throw IndexError("HierarchicalSoftmax: " + std::to_string(counts.size()) +
                     " words are given; a tree needs at least two");
  return static_cast<int>(counts.size()) - 1;
}

}  // namespace

HierarchicalSoftmax::HierarchicalSoftmax(Scope p, int in, std::span<const uint64_t> counts)
    : weight(p.add_lookup("weight", nodes_of(counts), {in})),
      bias(p.add_lookup("bias", nodes_of(counts), {}, init::constant(0))),
      branch(p.cell("turn", {{}, {}},
                    [&](Index node, Number sign) {
                      return concat(lookup(weight, node), reshape(lookup(bias, node), {1})) * sign;
                    })),
      cell(p.cell("loss", {{in}, {in + 1}}, [&](Expr h, Many<Expr> path) {
        const Expr score = dot(slice(path, 0, in), h) + reshape(slice(path, in, in + 1), {});
        return sum_rows(softplus(-score));
      })) {
  const Huffman tree(counts);
  const auto words = static_cast<int>(counts.size());
  for (int w = 0; w < words; ++w) {
    first.push_back(static_cast<uint32_t>(branches.size()));
    for (auto at = static_cast<size_t>(w); tree.parent[at] >= 0; at = static_cast<size_t>(tree.parent[at]))
      branches.push_back({tree.parent[at] - words, tree.left[at] ? 1.f : -1.f});
  }
  first.push_back(static_cast<uint32_t>(branches.size()));
}

std::span<const HierarchicalSoftmax::Branch> HierarchicalSoftmax::path(int word, Where at) const {
  if (word < 0 || static_cast<size_t>(word) + 1 >= first.size())
    throw IndexError("HierarchicalSoftmax: word " + std::to_string(word) + " is out of range; it must be 0…" +
                     std::to_string(first.size() - 2) + str(at));
  const auto w = static_cast<size_t>(word);
  return std::span(branches).subspan(first[w], first[w + 1] - first[w]);
}

Expr HierarchicalSoftmax::loss(Graph& g, Expr h, int word, Where at) const {
  std::vector<Expr> rows;
  for (const Branch& t : path(word, at)) rows.push_back(branch(g, t.node, t.sign, at));
  return cell(h, rows, at);
}

}  // namespace espalier::nn
