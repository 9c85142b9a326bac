#include "exec/cpu/product/weight_layout.h"

#include <limits>

#include <oneapi/dnnl/dnnl.h>

namespace espalier {
namespace {

constexpr int64_t never = std::numeric_limits<int64_t>::max();

// Measured per instruction set, as the rate of products with 1 to 512 rows.
struct Table {
  int64_t aliasing;           // the leading dimensions that are multiples of this number of floats are slow
  int64_t severely_aliasing;  // so slow that a copy in the same order pays
  int64_t padded_rows;        // of the round, from which on that copy pays
  int64_t transposed_rows;    // of the round, from which on a transposed copy pays
};
constexpr Table table_of_avx512{512, 1024, 1024, 64};
constexpr Table table_of_avx2{128, 512, 128, 64};

const Table& table() {
  static const bool wide = (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
  return wide ? table_of_avx512 : table_of_avx2;
}

}  // namespace

WeightLayout layout_of(const WeightUse& use) {
  const Table& t = table();
  constexpr int64_t kept_rows = 1;  // a copy that lasts pays for any product
  if (use.stored_by_output)
    return use.rows_of_round >= (use.train ? t.transposed_rows : kept_rows) ? WeightLayout::transposed
                                                                            : WeightLayout::stored;
  const bool slow = use.n % t.severely_aliasing == 0;
  return slow && use.rows_of_round >= t.padded_rows ? WeightLayout::padded : WeightLayout::stored;
}

int64_t padded_columns(int64_t n) {
  constexpr int64_t padding = 16;  // a cache line
  return n % table().aliasing == 0 ? n + padding : n;
}

}  // namespace espalier
