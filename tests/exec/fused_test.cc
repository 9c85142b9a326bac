// Fused kernels: cpu_fused against ref_fused, and against itself with one primitive at a time.
#include <bit>
#include <cmath>
#include <memory>

#include "cell/builder.h"
#include "cell/passes.h"
#include "exec/cpu/elementwise/elementwise.h"
#include "exec/guarded.h"
#include "exec/ref/fused.h"
#include "exec/targets.h"
#include "op/all.h"

namespace espalier {
namespace ESPALIER_FILE {

using Random = std::mt19937;
int pick(Random& random, int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); }

// The memory layout of the rows of an operand or a result.
enum class Lie { dense, padded, strided, shared, scalar, shared_scalar };
constexpr Lie operand_lies[] = {Lie::dense, Lie::padded, Lie::strided, Lie::shared, Lie::scalar, Lie::shared_scalar};

int64_t stride_of(Lie lie, int64_t size) {
  switch (lie) {
    case Lie::dense:
      return size;
    case Lie::padded:
      return padded(size);
    case Lie::strided:
      return size + 12;
    case Lie::scalar:
      return unit;
    default:
      return 0;
  }
}

// A random fused kernel. Registers are reused, as in compiled cells.
FusedKernel random_run(Random& random, const std::vector<Lie>& lies, uint32_t size,
                       const std::vector<Primitive>& primitives) {
  espalier::FusedKernel fused;
  fused.size = size;
  for (const Lie lie : lies) {
    fused.in.emplace_back();
    fused.in.back().scalar = (lie == Lie::scalar || lie == Lie::shared_scalar) && size != 1;
  }
  fused.registers = static_cast<uint16_t>(fused.in.size());
  for (const float value : {0.75f, -1.25f})
    fused.code.push_back({Primitive::constant, fused.registers++, 0, 0, 0, value});
  const uint16_t fixed = fused.registers;
  const int instructions = 1 + pick(random, 12);
  for (int i = 0; i < instructions; ++i) {
    Instruction c{primitives[static_cast<size_t>(pick(random, static_cast<int>(primitives.size())))]};
    // Operands are often recent registers, which makes chains, as in real programs.
    auto any = [&] {
      const int recent = std::min<int>(fused.registers, 1 + pick(random, 3));
      return static_cast<uint16_t>(pick(random, 2) == 0 ? fused.registers - recent : pick(random, fused.registers));
    };
    c.a = any();
    c.b = any();
    c.c = any();
    const bool again = fused.registers > fixed + 2 && pick(random, 3) == 0;
    c.out = again ? static_cast<uint16_t>(fixed + pick(random, fused.registers - fixed)) : fused.registers++;
    fused.code.push_back(c);
  }
  // Results: the last register, and perhaps a random one (an operand, a constant or the last one again).
  fused.out.push_back({{}, fused.code.back().out});
  if (pick(random, 2) == 0) fused.out.push_back({{}, static_cast<uint16_t>(pick(random, fused.registers))});
  return fused;
}

template <class T>
struct Operands {
  std::vector<Guarded<T>> in, out;
  std::vector<Rows<const T>> in_rows;
  std::vector<Rows<T>> out_rows;

  void make_rows() {
    for (auto& g : in) in_rows.push_back(g.const_rows());
    for (auto& g : out) out_rows.push_back(g.rows());
  }
  FusedLaunch<T> launch(const FusedKernel& fused, int64_t rows) const { return {&fused, rows, in_rows, out_rows}; }
};

struct Experiment {
  espalier::FusedKernel run;
  int64_t rows;
  Operands<float> cpu;
  Operands<double> ref;

  Experiment(Random& random, uint32_t size, int64_t n, const std::vector<Primitive>& primitives) : rows(n) {
    std::vector<Lie> lies;
    const bool flat = pick(random, 4) == 0;
    const int operands = 1 + pick(random, 4);
    for (int k = 0; k < operands; ++k) lies.push_back(flat ? Lie::dense : operand_lies[pick(random, 6)]);
    run = random_run(random, lies, size, primitives);
    for (size_t k = 0; k < lies.size(); ++k) {
      const int64_t elements = run.in[k].scalar ? 1 : size;
      const int64_t stride = stride_of(lies[k], elements);
      cpu.in.emplace_back(rows, elements, stride);
      cpu.in.back().fill(random, -3, 3);
      ref.in.emplace_back(rows, elements, stride);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t e = 0; e < elements; ++e) ref.in.back()[r][e] = static_cast<double>(cpu.in.back()[r][e]);
    }
    for (size_t k = 0; k < run.out.size(); ++k) {
      const int64_t stride = stride_of(flat ? Lie::dense : operand_lies[pick(random, 3)], size);
      cpu.out.emplace_back(rows, size, stride);
      ref.out.emplace_back(rows, size, stride);
    }
    cpu.make_rows();
    ref.make_rows();
  }

  void run_cpu() {
    // Scratch memory of exactly the requested size, aligned only as new[] aligns it.
    const size_t n = cpu_fused_scratch(run);
    const std::unique_ptr<float[]> scratch(new float[n + 1]);
    scratch[n] = 42;
    cpu_fused(cpu.launch(run, rows), scratch.get());
    EXPECT_EQ(scratch[n], 42);
    for (auto& g : cpu.in) EXPECT_TRUE(g.intact());
    for (auto& g : cpu.out) EXPECT_TRUE(g.intact()) << "size " << run.size << ", rows " << rows;
  }
};

std::vector<uint32_t> sizes() {
  std::vector<uint32_t> r;
  for (uint32_t i = 1; i <= 70; ++i) r.push_back(i);
  for (const uint32_t i : {127, 128, 129, 130, 255, 256, 257, 258, 259, 260, 1000}) r.push_back(i);
  return r;
}

std::vector<Primitive> all_primitives() {
  std::vector<Primitive> r;
  for (int i = 1; i <= static_cast<int>(Primitive::choose); ++i) r.push_back(static_cast<Primitive>(i));
  r.insert(r.end(), 4, Primitive::choose);  // more often than others: the only one with three operands
  return r;
}

// Continuous primitives that do not amplify small errors.
const std::vector<Primitive> smooth{
    Primitive::copy,     Primitive::negate, Primitive::absolute, Primitive::add,      Primitive::hyperbolic_tangent,
    Primitive::logistic, Primitive::sine,   Primitive::cosine,   Primitive::subtract, Primitive::minimum,
    Primitive::maximum};

TEST(CpuFused, EqualsReference) {
  for_each_target([] {
    Random random(1);
    for (const uint32_t size : sizes())
      for (const int64_t rows : {1, 2, 3, 7, 40}) {
        Experiment x(random, size, rows, smooth);
        x.run_cpu();
        ref_fused(x.ref.launch(x.run, rows));
        for (size_t k = 0; k < x.run.out.size(); ++k)
          for (int64_t r = 0; r < rows; ++r)
            for (uint32_t e = 0; e < size; ++e)
              ASSERT_NEAR(x.cpu.out[k][r][e], x.ref.out[k][r][e], 2e-4)
                  << "size " << size << ", row " << r << " of " << rows << ", element " << e;
      }
  });
}

// All registers, computed one primitive at a time over all elements in one row; `before` elements precede them, so that
// positions differ.
std::vector<std::vector<float>> one_by_one(const Experiment& x, size_t before) {
  const auto size = static_cast<int64_t>(x.run.size);
  const size_t n = before + static_cast<size_t>(x.rows * size);
  std::vector<std::vector<float>> value(x.run.registers, std::vector<float>(n, 0.5f));
  for (size_t k = 0; k < x.run.in.size(); ++k)
    for (int64_t i = 0; i < x.rows * size; ++i)
      value[k][before + static_cast<size_t>(i)] = x.cpu.in[k][i / size][x.run.in[k].scalar ? 0 : i % size];
  for (const Instruction& i : x.run.code) {
    if (i.primitive == Primitive::constant) {
      value[i.out].assign(n, i.value);
      continue;
    }
    FusedKernel one;
    one.size = static_cast<uint32_t>(n);
    one.in.resize(3);
    one.registers = 4;
    one.code.push_back({i.primitive, 3, 0, 1, 2, 0});
    one.out.push_back({{}, 3});
    std::vector<float> scratch(cpu_fused_scratch(one)), y(n);
    const Rows<const float> in[]{{value[i.a].data(), 0}, {value[i.b].data(), 0}, {value[i.c].data(), 0}};
    const Rows<float> out{y.data(), 0};
    cpu_fused({&one, 1, in, {&out, 1}}, scratch.data());
    value[i.out] = y;
  }
  return value;
}

TEST(CpuFused, ValueDependsNeitherOnPlaceNorOnNeighbours) {
  for_each_target([] {
    Random random(2);
    for (const uint32_t size : sizes())
      for (const int64_t rows : {1, 2, 5, 19}) {
        Experiment x(random, size, rows, all_primitives());
        x.run_cpu();
        const auto before = static_cast<size_t>(pick(random, 7));
        const auto value = one_by_one(x, before);
        for (size_t k = 0; k < x.run.out.size(); ++k) {
          const std::vector<float> got = x.cpu.out[k].values();
          for (size_t i = 0; i < got.size(); ++i) {
            const float expect = value[x.run.out[k].reg][before + i];
            ASSERT_TRUE(std::bit_cast<uint32_t>(got[i]) == std::bit_cast<uint32_t>(expect) ||
                        (std::isnan(got[i]) && std::isnan(expect)))
                << got[i] << " and " << expect << ": size " << size << ", rows " << rows << ", element " << i;
          }
        }
      }
  });
}

TEST(CpuFused, EachPrimitiveEqualsReference) {
  for_each_target([] {
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> special{0.0f, -0.0f, 1, -1, 2.5f, -0.3f, 100, -100, inf, -inf, nan, 1e-40f};
    for (const Primitive p : all_primitives()) {
      espalier::FusedKernel fused;
      const auto n = static_cast<int64_t>(special.size());
      fused.size = static_cast<uint32_t>(n * n);
      fused.in.resize(3);
      fused.registers = 4;
      fused.code.push_back({p, 3, 0, 1, 2, 0});
      fused.out.push_back({{}, 3});
      Guarded<float> a(1, n * n, 0), b(1, n * n, 0), c(1, n * n, 0), y(1, n * n, 0);
      Guarded<double> da(1, n * n, 0), db(1, n * n, 0), dc(1, n * n, 0), dy(1, n * n, 0);
      for (int64_t i = 0; i < n * n; ++i) {
        da[0][i] = a[0][i] = special[static_cast<size_t>(i / n)];
        db[0][i] = b[0][i] = special[static_cast<size_t>(i % n)];
        dc[0][i] = c[0][i] = 7;
      }
      std::vector<float> scratch(cpu_fused_scratch(fused));
      const Rows<const float> in[]{a.const_rows(), b.const_rows(), c.const_rows()};
      const Rows<double> out_double = dy.rows();
      const Rows<float> out = y.rows();
      const Rows<const double> in_double[]{da.const_rows(), db.const_rows(), dc.const_rows()};
      cpu_fused({&fused, 1, in, {&out, 1}}, scratch.data());
      ref_fused({&fused, 1, in_double, {&out_double, 1}});
      for (int64_t i = 0; i < n * n; ++i) {
        const auto expect = static_cast<float>(dy[0][i]);
        const float got = y[0][i];
        EXPECT_TRUE((std::isnan(expect) && std::isnan(got)) || expect == got ||
                    std::fabs(expect - got) <= 1e-6f * std::fabs(expect))
            << "primitive " << static_cast<int>(p) << " of " << a[0][i] << " and " << b[0][i] << ": " << got
            << ", should be " << expect;
      }
    }
  });
}

TEST(CpuFused, NothingToDo) {
  espalier::FusedKernel fused;
  fused.size = 5;
  fused.in.resize(1);
  fused.registers = 2;
  fused.code.push_back({Primitive::negate, 1, 0, 0, 0, 0});
  fused.out.push_back({{}, 1});
  Guarded<float> x(0, 5, 8), y(0, 5, 8);
  const Rows<const float> in = x.const_rows();
  const Rows<float> out = y.rows();
  std::vector<float> scratch(cpu_fused_scratch(fused));
  cpu_fused({&fused, 0, {&in, 1}, {&out, 1}}, scratch.data());
  EXPECT_TRUE(y.intact());
}

// A compiled program: a Tree-LSTM node, forward and backward.
TEST(CpuFused, TreeLstmNode) {
  for (const int h : {3, 20, 64, 130}) {
    Program p;
    Builder b(p);
    const int z = b.row({5 * h}, call_space, "z"), left = b.row({h}, call_space, "l"),
              right = b.row({h}, call_space, "r");
    auto make = [&](const OpInfo& op, std::vector<int> in, const Attrs& attrs = {}) { return b.make(op, attrs, in); };
    auto gate = [&](int k) { return make(info<op::Slice>(), {z}, erase(op::SliceAttrs{k * h, (k + 1) * h, 0})); };
    auto sigmoid = [&](int x) { return make(info<op::Sigmoid>(), {x}); };
    auto mul = [&](int x, int y) { return make(info<op::Mul>(), {x, y}); };
    auto add = [&](int x, int y) { return make(info<op::Add>(), {x, y}); };
    const int c = add(mul(sigmoid(gate(0)), make(info<op::Tanh>(), {gate(1)})),
                      add(mul(sigmoid(gate(2)), left), mul(sigmoid(gate(3)), right)));
    p.outputs = {c, mul(sigmoid(gate(4)), make(info<op::Tanh>(), {c}))};
    compile(p);

    constexpr int64_t rows = 9;
    Random random(3);
    std::vector<Guarded<float>> cpu;
    std::vector<Guarded<double>> ref;
    for (const Buffer& buffer : p.code.buffers) {
      cpu.emplace_back(rows, buffer.size, buffer.stride);
      cpu.back().fill(random, -2, 2);
      ref.emplace_back(rows, buffer.size, buffer.stride);
      for (int64_t r = 0; r < rows; ++r) std::copy_n(cpu.back()[r], buffer.size, ref.back()[r]);
    }
    int runs = 0;
    for (const auto* kernels : {&p.code.forward, &p.code.backward})
      for (const Kernel& k : *kernels) {
        if (k.kind != Kernel::Kind::fused) continue;
        ++runs;
        Operands<float> f;
        Operands<double> d;
        for (const FusedKernel::In& i : k.fused.in) {
          const auto which = static_cast<size_t>(i.rows.which);
          f.in_rows.push_back({cpu[which][0] + i.rows.offset, cpu[which].rows().stride});
          d.in_rows.push_back({ref[which][0] + i.rows.offset, ref[which].rows().stride});
        }
        for (const FusedKernel::Out& o : k.fused.out) {
          const auto which = static_cast<size_t>(o.rows.which);
          f.out_rows.push_back({cpu[which][0] + o.rows.offset, cpu[which].rows().stride});
          d.out_rows.push_back({ref[which][0] + o.rows.offset, ref[which].rows().stride});
        }
        std::vector<float> scratch(cpu_fused_scratch(k.fused));
        cpu_fused(f.launch(k.fused, rows), scratch.data());
        ref_fused(d.launch(k.fused, rows));
      }
    EXPECT_GE(runs, 2);
    for (size_t i = 0; i < cpu.size(); ++i) {
      EXPECT_TRUE(cpu[i].intact());
      const auto got = cpu[i].values();
      const auto expect = ref[i].values();
      for (size_t e = 0; e < got.size(); ++e) ASSERT_NEAR(got[e], expect[e], 1e-5);
    }
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
