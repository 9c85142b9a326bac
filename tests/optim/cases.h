// Every rule with its relevant options, as textbook formula and as optimiser.
#pragma once
#include <ostream>
#include <stdexcept>

#include "optim/textbook.h"

namespace espalier::optim {

struct Case {
  const char* name;
  Textbook textbook;
};
inline void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

using Rule = Textbook::Rule;
inline const Case cases[] = {
    {"sgd", {.rule = Rule::sgd}},
    {"sgd_decay", {.rule = Rule::sgd, .decay = 0.05}},
    {"sgd_clip", {.rule = Rule::sgd, .clip = 1}},
    {"sgd_clip_rarely", {.rule = Rule::sgd, .clip = 6.5}},
    {"sgd_momentum", {.rule = Rule::sgd, .lr = 0.02, .momentum = 0.9}},
    {"sgd_momentum_decay_clip", {.rule = Rule::sgd, .lr = 0.02, .decay = 0.01, .clip = 2, .momentum = 0.9}},
    {"sgd_nesterov", {.rule = Rule::sgd, .lr = 0.02, .momentum = 0.9, .nesterov = true}},
    {"sgd_nesterov_decay", {.rule = Rule::sgd, .lr = 0.02, .decay = 0.1, .momentum = 0.5, .nesterov = true}},
    {"adagrad", {.rule = Rule::adagrad, .eps = 1e-10}},
    {"adagrad_decay_clip", {.rule = Rule::adagrad, .decay = 0.05, .clip = 1, .eps = 1e-10}},
    {"adagrad_lr_decay_initial", {.rule = Rule::adagrad, .eps = 1e-2, .lr_decay = 0.03, .initial = 0.5}},
    {"adadelta", {.rule = Rule::adadelta, .lr = 1, .eps = 1e-6, .alpha = 0.9}},
    {"adadelta_decay_clip", {.rule = Rule::adadelta, .lr = 1, .decay = 0.1, .clip = 2, .eps = 1e-5, .alpha = 0.95}},
    {"rmsprop", {.rule = Rule::rmsprop, .lr = 1e-2}},
    {"rmsprop_decay_clip", {.rule = Rule::rmsprop, .lr = 1e-2, .decay = 0.1, .clip = 0.5, .alpha = 0.9}},
    {"rmsprop_momentum", {.rule = Rule::rmsprop, .lr = 1e-3, .momentum = 0.9}},
    {"rmsprop_centered", {.rule = Rule::rmsprop, .lr = 1e-3, .eps = 1e-3, .centered = true}},
    {"rmsprop_centered_momentum",
     {.rule = Rule::rmsprop, .lr = 1e-3, .decay = 0.1, .momentum = 0.5, .eps = 1e-3, .centered = true}},
    {"adam", {.rule = Rule::adam, .lr = 1e-2}},
    {"adam_decay", {.rule = Rule::adam, .lr = 1e-2, .decay = 0.1}},
    {"adam_clip", {.rule = Rule::adam, .lr = 1e-2, .clip = 0.5}},
    {"adam_betas_eps", {.rule = Rule::adam, .lr = 1e-2, .beta1 = 0.5, .beta2 = 0.9, .eps = 1e-2}},
    {"adam_beta1_zero", {.rule = Rule::adam, .lr = 1e-2, .beta1 = 0}},
    {"adam_amsgrad", {.rule = Rule::adam, .lr = 1e-2, .beta2 = 0.9, .amsgrad = true}},
    {"adam_amsgrad_decay_clip",
     {.rule = Rule::adam, .lr = 1e-2, .decay = 0.1, .clip = 0.5, .beta2 = 0.9, .amsgrad = true}},
    {"adamw_amsgrad", {.rule = Rule::adamw, .lr = 1e-2, .decay = 0.3, .beta2 = 0.9, .amsgrad = true}},
    {"adamw", {.rule = Rule::adamw, .lr = 1e-2, .decay = 0.3}},
    {"adamw_decay_clip", {.rule = Rule::adamw, .lr = 1e-2, .decay = 0.3, .clip = 0.5}},
};

inline Optimizer optimizer(Parameters& params, const Textbook& b) {
  const auto f = [](double x) { return static_cast<float>(x); };
  const float lr = f(b.lr), momentum = f(b.momentum), decay = f(b.decay), clip = f(b.clip), eps = f(b.eps);
  const AdamOptions adam{lr, f(b.beta1), f(b.beta2), eps, decay, clip, b.amsgrad};
  switch (b.rule) {
    case Rule::sgd:
      return SGD(params, {lr, momentum, decay, clip, b.nesterov});
    case Rule::adagrad:
      return Adagrad(params, {lr, f(b.lr_decay), decay, f(b.initial), eps, clip});
    case Rule::adadelta:
      return Adadelta(params, {lr, f(b.alpha), eps, decay, clip});
    case Rule::rmsprop:
      return RMSprop(params, {lr, f(b.alpha), eps, decay, momentum, b.centered, clip});
    case Rule::adam:
      return Adam(params, adam);
    case Rule::adamw:
      return AdamW(params, adam);
  }
  throw std::logic_error("a rule without an optimiser");
}

}  // namespace espalier::optim
