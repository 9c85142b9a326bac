// The task tree-lstm written by hand for this one model, single-threaded, using a library only for matrix products: the
// baseline for a general engine. Equal words are computed as often as they occur.
//
//   leaf: (i, o, u) = x Wx + b, c = σ(i) tanh(u);  node: (i, o, u) = [h₁ h₂] U + b, f₁ = σ(h₁ F₁ + b_f),
//   f₂ = σ(h₂ F₂ + b_f), c = σ(i) tanh(u) + f₁ c₁ + f₂ c₂;  both: h = σ(o) tanh(c), and a cross entropy from W h.
#include <oneapi/dnnl/dnnl.h>

#include <cstring>

#include "gates.h"
#include "levels.h"
#include "report.h"
#include "weights.h"

extern "C" void omp_set_num_threads(int);

namespace peers {
namespace {

constexpr int leaf_width = width<false>, node_width = width<true>;

// c[m,n] = a b + beta c, row-major.
void product(char ta, char tb, size_t m, int n, size_t k, const float* a, int lda, const float* b, int ldb, float beta,
             float* c, int ldc) {
  if (m > 0 && k > 0)
    dnnl_sgemm(ta, tb, static_cast<dnnl_dim_t>(m), n, static_cast<dnnl_dim_t>(k), 1, a, lda, b, ldb, beta, c, ldc);
}

class TreeLstm {
 public:
  TreeLstm(size_t words, std::mt19937& random)
      : table_(words, H, glorot(static_cast<int>(words), H), random),
        wx_(H, 3 * H, glorot(H, H), random),
        u_(2 * H, 3 * H, glorot(2 * H, H), random),
        f1_(H, H, glorot(H, H), random),
        f2_(H, H, glorot(H, H), random),
        bias_(4, H, 0, random),
        w_(classes, H, glorot(H, classes), random),
        owner_(words),
        seen_(words) {
    std::fill_n(bias_.value.row(3, H), H, 1.f);  // initial forget bias
  }

  // The summed loss of a minibatch. If `train`, updates the weights.
  double run(std::span<const Tree> batch, bool train) {
    levels_.arrange(batch);
    x_.grow(levels_.leaves * H);
    leaf_.grow(levels_.leaves * leaf_width);
    node_.grow(levels_.nodes * node_width);
    for (Floats* f : {&h_, &c_, &dh_}) f->grow(levels_.rows * H);
    scores_.grow(levels_.rows * classes);
    run_forward();
    const double loss = cross_entropy();
    if (train) {
      run_backward();
      accumulate();
      update();
    }
    return loss;
  }

 private:
  void run_forward() {
    const Levels& l = levels_;
    for (size_t r = 0; r < l.leaves; ++r) std::memcpy(x_.row(r, H), table_.value.row(l.word[r], H), H * sizeof(float));
    product('N', 'N', l.leaves, 3 * H, H, x_.data(), H, wx_.value.data(), 3 * H, 0, leaf_.data(), leaf_width);
    for (size_t r = 0; r < l.leaves; ++r)
      forward<false>(leaf_.row(r, leaf_width), bias_.value.data(), nullptr, nullptr, h_.row(l.slot[r], H),
                     c_.row(l.slot[r], H));
    for (size_t level = 1; level + 1 < l.begin.size(); ++level) {
      const size_t first = l.begin[level] - l.leaves, end = l.begin[level + 1] - l.leaves, n = end - first;
      const float* in = h_.row(2 * first, H);
      float* gates = node_.row(first, node_width);
      product('N', 'N', n, 3 * H, 2 * H, in, 2 * H, u_.value.data(), 3 * H, 0, gates, node_width);
      product('N', 'N', n, H, H, in, 2 * H, f1_.value.data(), H, 0, gates + 3 * H, node_width);
      product('N', 'N', n, H, H, in + H, 2 * H, f2_.value.data(), H, 0, gates + 4 * H, node_width);
      for (size_t r = first; r < end; ++r) {
        const size_t slot = l.slot[l.leaves + r];
        forward<true>(node_.row(r, node_width), bias_.value.data(), c_.row(2 * r, H), c_.row(2 * r + 1, H),
                      h_.row(slot, H), c_.row(slot, H));
      }
    }
  }

  // Replaces the scores by their gradients.
  double cross_entropy() {
    product('N', 'T', levels_.rows, classes, H, h_.data(), H, w_.value.data(), H, 0, scores_.data(), classes);
    double loss = 0;
    for (size_t s = 0; s < levels_.rows; ++s) {
      float* z = scores_.row(s, classes);
      const float most = *std::max_element(z, z + classes), right = z[levels_.label[s]];
      float sum = 0;
      for (int k = 0; k < classes; ++k) sum += z[k] = exp2_near(log2e * (z[k] - most));
      loss += static_cast<double>(std::log(sum) + most - right);
      for (int k = 0; k < classes; ++k) z[k] /= sum;
      z[levels_.label[s]] -= 1;
    }
    return loss;
  }

  void run_backward() {
    const Levels& l = levels_;
    std::fill_n(bias_.gradient.data(), 4 * H, 0.f);
    for (Floats* f : {&dh_, &c_}) std::fill_n(f->row(2 * l.nodes, H), l.trees * H, 0.f);  // roots have no parent
    for (size_t level = l.begin.size() - 2; level >= 1; --level) {
      const size_t first = l.begin[level] - l.leaves, end = l.begin[level + 1] - l.leaves, n = end - first;
      for (size_t r = first; r < end; ++r) {
        const size_t slot = l.slot[l.leaves + r];
        backward<true>(node_.row(r, node_width), dh_.row(slot, H), c_.row(slot, H), scores_.row(slot, classes),
                       w_.value.data(), c_.row(2 * r, H), c_.row(2 * r + 1, H), bias_.gradient.data());
      }
      const float* gates = node_.row(first, node_width);
      float* out = dh_.row(2 * first, H);
      product('N', 'T', n, 2 * H, 3 * H, gates, node_width, u_.value.data(), 3 * H, 0, out, 2 * H);
      product('N', 'T', n, H, H, gates + 3 * H, node_width, f1_.value.data(), H, 1, out, 2 * H);
      product('N', 'T', n, H, H, gates + 4 * H, node_width, f2_.value.data(), H, 1, out + H, 2 * H);
    }
    for (size_t r = 0; r < l.leaves; ++r) {
      const size_t slot = l.slot[r];
      backward<false>(leaf_.row(r, leaf_width), dh_.row(slot, H), c_.row(slot, H), scores_.row(slot, classes),
                      w_.value.data(), nullptr, nullptr, bias_.gradient.data());
    }
  }

  // One product per weight, over all levels. Overwrites x_ with its gradient.
  void accumulate() {
    const size_t leaves = levels_.leaves, nodes = levels_.nodes;
    const float* gates = node_.data();
    product('T', 'N', classes, H, levels_.rows, scores_.data(), classes, h_.data(), H, 0, w_.gradient.data(), H);
    product('T', 'N', 2 * H, 3 * H, nodes, h_.data(), 2 * H, gates, node_width, 0, u_.gradient.data(), 3 * H);
    product('T', 'N', H, H, nodes, h_.data(), 2 * H, gates + 3 * H, node_width, 0, f1_.gradient.data(), H);
    product('T', 'N', H, H, nodes, h_.data() + H, 2 * H, gates + 4 * H, node_width, 0, f2_.gradient.data(), H);
    product('T', 'N', H, 3 * H, leaves, x_.data(), H, leaf_.data(), leaf_width, 0, wx_.gradient.data(), 3 * H);
    product('N', 'T', leaves, H, 3 * H, leaf_.data(), leaf_width, wx_.value.data(), 3 * H, 0, x_.data(), H);
  }

  // Adds the gradients of equal words to the first occurrence.
  void update() {
    const Adam adam(++step_);
    distinct_.clear();
    for (size_t r = 0; r < levels_.leaves; ++r) {
      const uint32_t word = levels_.word[r];
      if (seen_[word] != step_) {
        seen_[word] = step_;
        owner_[word] = r;
        distinct_.push_back(word);
        continue;
      }
      float* __restrict to = x_.row(owner_[word], H), * __restrict from = x_.row(r, H);
      for (int j = 0; j < H; ++j) to[j] += from[j];
    }
    for (const uint32_t w : distinct_)
      adam(table_.value.row(w, H), x_.row(owner_[w], H), table_.first.row(w, H), table_.second.row(w, H), H);
    // Without inner nodes, accumulate() does not write the gradients of the node weights.
    if (levels_.nodes == 0)
      for (Weights* w : {&u_, &f1_, &f2_}) std::fill_n(w->gradient.data(), w->size, 0.f);
    for (Weights* w : {&wx_, &u_, &f1_, &f2_, &bias_, &w_}) adam(*w);
  }

  Weights table_, wx_, u_, f1_, f2_, bias_, w_;
  std::vector<size_t> owner_;  // per word: the leaf that holds its gradient
  std::vector<int> seen_;      // per word: the last step that contained it
  std::vector<uint32_t> distinct_;
  int step_ = 0;
  Levels levels_;
  Floats x_, leaf_, node_;      // rows per leaf, per leaf, per node
  Floats h_, c_, dh_, scores_;  // rows per slot
};

}  // namespace
}  // namespace peers

int main(int argc, char** argv) {
  const peers::Options options(argc, argv);
  omp_set_num_threads(1);
  peers::Treebank bank = peers::treebank(options);
  std::mt19937 random(1);
  std::shuffle(bank.trees.begin(), bank.trees.end(), random);
  peers::TreeLstm model(bank.words, random);
  const auto minibatch = [&](size_t at) {
    return model.run(std::span(bank.trees).subspan(at, options.batch), options.train);
  };
  peers::report(options, bank, minibatch);
}
