// The law of keeping: examples that are replayed from kept recordings give the graph of a fresh recording, and the same
// bits.
#pragma once
#include "law/program/check.h"
#include "law/program/random_model.h"

namespace espalier::law {

Verdict keeping(const RandomProgram& program, const RandomModel& model);

}  // namespace espalier::law
