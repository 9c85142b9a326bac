// The law of merging: the one graph of examples that several threads recorded is the graph that one thread records, and
// computes the same bits.
#pragma once
#include "law/check.h"
#include "law/world.h"

namespace espalier::law {

Verdict merging(const Recipe& recipe, const World& world);

// How two graphs differ, in words; empty: they hold the same. Cells may have other numbers.
std::string difference(const GraphTape& got, const GraphTape& want);

}  // namespace espalier::law
