// Benchmarks generated from the table of ops.
#pragma once

namespace espalier::micro {

void register_ops();

}  // namespace espalier::micro
