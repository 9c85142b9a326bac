#include "train/optimizer.h"

namespace espalier::app {

optim::Optimizer make_optimizer(const TrainSettings& s, Parameters& params) {
  const auto lr = static_cast<float>(s.lr), decay = static_cast<float>(s.weight_decay),
             clip = static_cast<float>(s.clip);
  if (s.optimizer == "adamw") return optim::AdamW(params, {.lr = lr, .weight_decay = decay, .clip_norm = clip});
  if (s.optimizer == "adagrad") return optim::Adagrad(params, {.lr = lr, .weight_decay = decay, .clip_norm = clip});
  if (s.optimizer == "sgd") return optim::SGD(params, {.lr = lr, .weight_decay = decay, .clip_norm = clip});
  if (s.optimizer == "momentum")
    return optim::SGD(params, {.lr = lr, .momentum = 0.9f, .weight_decay = decay, .clip_norm = clip});
  if (s.optimizer == "rmsprop") return optim::RMSprop(params, {.lr = lr, .weight_decay = decay, .clip_norm = clip});
  if (s.optimizer == "adadelta") return optim::Adadelta(params, {.lr = lr, .weight_decay = decay, .clip_norm = clip});
  return optim::Adam(params, {.lr = lr, .weight_decay = decay, .clip_norm = clip});
}

}  // namespace espalier::app
