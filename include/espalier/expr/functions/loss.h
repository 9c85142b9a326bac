// Losses: a scalar from a row or a pair of rows. mse_loss, l1_loss, huber_loss and the binary cross-entropies are means
// over the elements, as in torch.nn.functional; all other functions of two rows are sums.
#pragma once
#include <espalier/expr/expr.h>

namespace espalier {

// ---- classification; the target is an integer
ESPALIER_API Expr cross_entropy(Expr logits, Index target, ESPALIER_AT);        // -log softmax(logits)[target]
ESPALIER_API Expr nll_loss(Expr log_probabilities, Index target, ESPALIER_AT);  // -log_probabilities[target]
ESPALIER_API Expr hinge(Expr scores, Index target, float margin = 1,
                        ESPALIER_AT);  // Σ max(0, margin - s[target] + s[i])

// ---- regression
ESPALIER_API Expr mse_loss(Operand x, Operand target);  // mean of squares
ESPALIER_API Expr squared_distance(Operand x, Operand target);
ESPALIER_API Expr l1_loss(Operand x, Operand target);
ESPALIER_API Expr l1_distance(Operand x, Operand target);
ESPALIER_API Expr huber_loss(Operand x, Operand target, float delta = 1);
ESPALIER_API Expr huber_distance(Operand x, Operand target, float delta = 1);

// ---- probabilities, counts, distributions, ranks
ESPALIER_API Expr binary_cross_entropy(Operand x, Operand target);  // a mean; log is clamped at log 1e-30
ESPALIER_API Expr binary_cross_entropy_with_logits(Operand x, Operand target);
ESPALIER_API Expr poisson_loss(Operand log_rate, Operand count);      // Σ exp(x) - t x + log Γ(t + 1)
ESPALIER_API Expr kl_div(Operand log_probabilities, Operand target);  // Σ t (log t - x)
ESPALIER_API Expr pairwise_rank_loss(Operand better, Operand worse, float margin = 1);

}  // namespace espalier
