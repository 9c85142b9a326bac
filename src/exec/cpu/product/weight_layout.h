// How a product should read its weight. oneDNN multiplies rows by a weight [k,n] up to 1.5 times as fast as by [n,k],
// and at half that rate if the rows of the weight lie a multiple of 4 KiB apart. A copy of the weight avoids both, and
// costs about as much as it saves on thirty rows.
#pragma once
#include <cstdint>

namespace espalier {

enum class WeightLayout : uint8_t { stored, padded, transposed };  // copies have padded rows

// Products of rows [k] with a weight, which is stored as [n,k] or as [k,n].
struct WeightUse {
  bool stored_by_output = false;  // [n,k]
  int64_t rows_of_round = 0;      // over all products of a cell batch
  int64_t n = 0;                  // elements of a result
  bool train = true;              // inference keeps the copies until a weight changes
};

// Depends on the arguments and oneDNN's instruction set only, so the same program gives the same bits.
WeightLayout layout_of(const WeightUse& use);

// The leading dimension of a copy with rows of n elements.
int64_t padded_columns(int64_t n);

}  // namespace espalier
