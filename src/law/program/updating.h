// The law of updating: after its parameters have changed, a graph gives bit for bit the loss, gradients and values of a
// fresh recording. After the parameters are restored, a rerun gives the original results.
#pragma once
#include "law/program/check.h"
#include "law/program/random_model.h"

namespace espalier::law {

// Changes parameters and restores them.
Verdict updating(const RandomProgram& program, const RandomModel& model);

}  // namespace espalier::law
