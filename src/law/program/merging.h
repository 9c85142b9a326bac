// The law of merging: the merged graph of examples recorded by several threads equals the graph recorded by one thread,
// and computes the same bits.
#pragma once
#include "law/program/check.h"
#include "law/program/random_model.h"

namespace espalier::law {

Verdict merging(const RandomProgram& program, const RandomModel& model);

// Whether two results are the same values of equal graphs.
bool same_places(const Recorded& a, const Recorded& b);

// Describes how two graphs differ; empty: they are equal. The numbering of cells may differ.
std::string difference(const GraphTape& got, const GraphTape& want);

}  // namespace espalier::law
