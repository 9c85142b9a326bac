// The samples that an op declares, as launches of its kernel.
#pragma once
#include <algorithm>
#include <random>
#include <vector>

#include "base/random.h"
#include "exec/guarded.h"
#include "op/all.h"

namespace espalier {

// The result of a function for seven calls with the shapes and value range of a sample. Lists are empty, short or long.
template <class T>
std::vector<T> run_sample(const OpInfo& op, const Sample& sample, OpFunction<T> function) {
  constexpr int64_t calls = 7;
  const std::vector<uint32_t> offsets{3, 5, 5, 6, 26, 27, 29, 30};  // lists of 2, 0, 1, 20, 1, 2, 1 rows
  constexpr int64_t list_rows = 27;
  const bool reads_list = op.inputs.size() == 1 && op.inputs[0].role == Role::list;
  const bool writes_list = op.place == Place::list || (reads_list && op.place != Place::call);

  Kernel k;
  k.op = &op;
  k.attrs = sample.attrs;
  k.out_shape = op.infer(sample.attrs, sample.shapes);
  if (reads_list || writes_list) k.list = 0;
  std::mt19937 random(42);
  std::vector<Guarded<T>> in;
  std::vector<int32_t> index;
  for (size_t i = 0; i < sample.shapes.size(); ++i) {
    const Role role = op.inputs[op.many ? 0 : i].role;
    const Shape& shape = sample.shapes[i];
    if (role == Role::index) {
      const int limit = std::min(op.index_limit(sample.attrs, sample.shapes), 4);
      for (int64_t r = 0; r < calls; ++r)
        index.push_back(static_cast<int32_t>(random() % static_cast<uint32_t>(limit)));
      continue;
    }
    k.in_shapes.push_back(shape);
    const int64_t rows = role == Role::shared ? 1 : reads_list ? list_rows : calls;
    in.emplace_back(rows, shape.size(), role == Role::shared ? 0 : padded(shape.size()));
    in.back().fill(random, sample.lo, sample.hi);
  }
  std::vector<Rows<const T>> rows_in;
  for (auto& g : in) rows_in.push_back(g.const_rows());
  std::vector<uint64_t> keys;
  for (uint64_t r = 0; r < calls; ++r) keys.push_back(mix(r));
  const std::vector<float> data{1, 2, 3, 4, 5, 6, 7, 8};

  Guarded<T> out(writes_list ? list_rows : calls, k.out_shape.size(), padded(k.out_shape.size()));
  OpLaunch<T> l;
  l.kernel = &k;
  l.rows = out.count();
  l.in = rows_in;
  l.out = out.rows();
  l.index = index.data();
  l.segments = {offsets.data(), calls};
  l.keys = keys.data();
  l.data = data.data();
  function(l);
  EXPECT_TRUE(out.intact()) << op.doc.name;
  return out.values();
}

// The samples of an op, and larger ones, so that SIMD loops have full vectors and tails.
inline std::vector<Sample> samples_of(const OpInfo& op) {
  std::vector<Sample> samples = op.samples();
  if (&op == &info<op::Softmax>() || &op == &info<op::LogSoftmax>())
    for (int n = 1; n < 70; ++n) samples.push_back({erase(op::AxisAttrs{1}), {{3, n}}, -20, 20});
  if (&op == &info<op::CrossEntropy>())
    for (int n = 4; n < 70; ++n) samples.push_back({{}, {{n}, {}}, -20, 20});
  if (&op == &info<op::CrossEntropyGradient>())
    for (int n = 4; n < 70; ++n) samples.push_back({{}, {{n}, {}, {}}});
  if (&op == &info<op::SumElements>() || (!op.inputs.empty() && op.inputs[0].role == Role::list))
    for (int n = 1; n < 70; ++n) samples.push_back({{}, {{n}}});
  return samples;
}

}  // namespace espalier
