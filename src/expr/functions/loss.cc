#include <espalier/expr/functions/loss.h>

#include "expr/functions/function.h"
#include "op/composed/loss.h"

namespace espalier {

Expr cross_entropy(Expr logits, Index target, Where at) { return single<op::CrossEntropy>({logits}, {}, at, &target); }
Expr nll_loss(Expr log_probabilities, Index target, Where at) {
  return single<op::NllLoss>({log_probabilities}, {}, at, &target);
}
Expr hinge(Expr scores, Index target, float margin, Where at) {
  return single<op::Hinge>({scores}, {margin}, at, &target);
}

Expr mse_loss(Operand x, Operand target) { return single<op::MseLoss>({x, target}, {}, x.at); }
Expr squared_distance(Operand x, Operand target) { return single<op::SquaredDistance>({x, target}, {}, x.at); }
Expr l1_loss(Operand x, Operand target) { return single<op::L1Loss>({x, target}, {}, x.at); }
Expr l1_distance(Operand x, Operand target) { return single<op::L1Distance>({x, target}, {}, x.at); }
Expr huber_loss(Operand x, Operand target, float delta) { return single<op::HuberLoss>({x, target}, {delta}, x.at); }
Expr huber_distance(Operand x, Operand target, float delta) {
  return single<op::HuberDistance>({x, target}, {delta}, x.at);
}

Expr binary_cross_entropy(Operand x, Operand target) { return single<op::BinaryCrossEntropy>({x, target}, {}, x.at); }
Expr binary_cross_entropy_with_logits(Operand x, Operand target) {
  return single<op::BinaryCrossEntropyWithLogits>({x, target}, {}, x.at);
}
Expr poisson_loss(Operand log_rate, Operand count) {
  return single<op::PoissonLoss>({log_rate, count}, {}, log_rate.at);
}
Expr kl_div(Operand log_probabilities, Operand target) {
  return single<op::KlDiv>({log_probabilities, target}, {}, log_probabilities.at);
}
Expr pairwise_rank_loss(Operand better, Operand worse, float margin) {
  return single<op::PairwiseRankLoss>({better, worse}, {margin}, better.at);
}

}  // namespace espalier
