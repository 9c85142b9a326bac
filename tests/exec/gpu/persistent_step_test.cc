// Runs the phases of a step on the host and checks that the results equal those of the step's kernels, that no block of
// a phase writes elements that another block reads, and that rows which stay are gathered. The laws test the device
// code, on a GPU.
#include "exec/gpu/persistent/step.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace espalier::persistent {
namespace ESPALIER_FILE {

constexpr unsigned blocks = 132;

// Rows of a buffer in the arena.
struct Rows {
  size_t at = 0;
  unsigned size = 0;
};

// Alternating products and sums of the operands: r = a0; r = r * a1; r = r + a2; …
FusedKernel run_of(unsigned operands, unsigned results, unsigned size, uint64_t serial) {
  FusedKernel fused;
  fused.size = size;
  fused.serial = serial;
  fused.in.resize(operands);
  fused.registers = static_cast<uint16_t>(operands);
  uint16_t last = 0;
  for (uint16_t k = 1; k < operands; ++k) {
    fused.code.push_back({k % 2 == 0 ? Primitive::add : Primitive::multiply, fused.registers, last, k, 0, 0});
    last = fused.registers++;
  }
  for (unsigned r = 0; r < results; ++r)
    fused.out.push_back({{}, r == 0 ? last : static_cast<uint16_t>(operands + r - 1)});
  return fused;
}

std::vector<float> computed(const FusedKernel& fused, std::vector<float> registers) {
  registers.resize(fused.registers);
  for (const Instruction& i : fused.code)
    registers[i.out] =
        i.primitive == Primitive::add ? registers[i.a] + registers[i.b] : registers[i.a] * registers[i.b];
  std::vector<float> results;
  for (const FusedKernel::Out& o : fused.out) results.push_back(registers[o.reg]);
  return results;
}

// A random step, like those of compiled cells: gathered inputs (some of them parts of a concat), products of inputs and
// of earlier results, products that add to others, and fused kernels.
struct RandomStep {
  struct Offered {
    OfferedProduct product;
    std::shared_ptr<FusedKernel> run;
    std::vector<Operand> operands;
  };

  std::mt19937 random;
  unsigned rows, h;
  std::vector<float> arena, weights;
  std::vector<uint32_t> sources, offsets;
  std::vector<std::pair<Gather, bool>> gathers;  // and whether its rows stay
  std::vector<Offered> kernels;
  size_t top = 0;

  explicit RandomStep(uint64_t seed) : random(static_cast<uint32_t>(seed)) {
    rows = pick({1, 3, 8, 20, 33, 70});
    h = pick({8, 16, 32, 48});
    arena.resize(1 << 18);
    weights.resize(1 << 16);
    for (float& w : weights) w = small();
    for (float& x : arena) x = small();
    make();
  }

  unsigned pick(std::initializer_list<unsigned> of) { return of.begin()[random() % of.size()]; }
  float small() { return static_cast<float>(random() % 5) / 4 - 0.5f; }
  Rows allocate(unsigned size) {
    const Rows r{top, size};
    top += size_t{rows} * size + pick({0, 16});
    return r;
  }

  void gather(size_t out, unsigned size, unsigned stride, size_t states) {
    Gather g;
    g.rows = rows;
    g.size = size;
    g.stride = stride;
    g.out = out;
    const bool summed = random() % 4 == 0;
    if (!summed) g.first_source = static_cast<uint32_t>(sources.size());
    if (summed) g.first_offset = static_cast<uint32_t>(offsets.size());
    for (unsigned r = 0; r < rows; ++r) {
      if (summed) offsets.push_back(static_cast<uint32_t>(sources.size()));
      const unsigned n = summed ? random() % 3 : 1;
      // Mostly at multiples of four elements, as products by tensor cores require.
      for (unsigned k = 0; k < n; ++k)
        sources.push_back(static_cast<uint32_t>(states / 2 + random() % 500 * (random() % 200 == 0 ? 1 : 2)));
    }
    if (summed) offsets.push_back(static_cast<uint32_t>(sources.size()));
    gathers.push_back({g, random() % 2 == 0});
  }

  // Rows that a kernel may read: `size` elements each, the first at element `at` of the arena.
  struct Readable {
    size_t at;
    unsigned stride, size;
  };
  std::vector<Readable> readable;

  void make() {
    const size_t states = top;
    top += 8192;
    const unsigned inputs = 1 + random() % 4, in_concat = random() % (inputs + 1);  // number of inputs in a concat
    if (in_concat > 0) {
      const Rows concat = allocate(h * in_concat);
      for (unsigned i = 0; i < in_concat; ++i) gather(concat.at + i * h, h, h * in_concat, states);
      readable.push_back({concat.at, h * in_concat, h * in_concat});
      for (unsigned i = 0; i < in_concat; ++i) readable.push_back({concat.at + i * h, h * in_concat, h});
    }
    for (unsigned i = in_concat; i < inputs; ++i) {
      const Rows own = allocate(h);
      gather(own.at, h, h, states);
      readable.push_back({own.at, h, h});
    }
    const bool transposed = random() % 2 == 0;
    for (unsigned k = 0, n = 1 + random() % 6; k < n; ++k) random() % 2 == 0 ? add_product(transposed) : add_run();
  }

  void add_product(bool transposed) {
    const Readable x = readable[random() % readable.size()];
    Offered o;
    OfferedProduct& p = o.product;
    p.rows = rows;
    p.k = x.size;
    p.x = &arena[x.at];
    p.x_stride = x.stride;
    p.transposed = transposed;
    p.fast = p.k % 16 == 0 && random() % 8 != 0;
    p.n = h * pick({1, 2, 3, 4});
    // Adds to a part of the result of an earlier product, or writes new rows.
    const auto wide = std::ranges::find_if(kernels, [&](const Offered& q) {
      return q.run == nullptr && !q.product.adds && q.product.n >= p.n &&
             (p.x < q.product.out || p.x >= q.product.out + q.product.n);
    });
    if (random() % 3 == 0 && wide != kernels.end()) {
      p.adds = true;
      p.out = wide->product.out + h * (random() % ((wide->product.n - p.n) / h + 1));
      p.out_stride = wide->product.out_stride;
    } else {
      const Rows out = allocate(p.n);
      p.out = &arena[out.at];
      p.out_stride = p.n;
      readable.push_back({out.at, p.n, p.n});
      for (unsigned c = 0; c < p.n; c += h) readable.push_back({out.at + c, p.n, h});
    }
    p.w = &weights[random() % 1000];
    kernels.push_back(o);
  }

  void add_run() {
    Offered o;
    const unsigned in = 1 + random() % 5, out = 1 + random() % std::min(2u, in);
    o.run = std::make_shared<FusedKernel>(run_of(in, out, h, kernels.size() + 1));
    for (unsigned k = 0; k < in; ++k) {
      Readable x = readable[random() % readable.size()];
      x.at += x.size > h ? random() % (x.size / h) * h : 0;
      o.operands.push_back({&arena[x.at], x.stride, 0, 0});
    }
    for (unsigned k = 0; k < out; ++k) {
      const Rows y = allocate(h);
      o.operands.push_back({&arena[y.at], h, 0, 0});
      readable.push_back({y.at, h, h});
    }
    kernels.push_back(o);
  }

  // Sets read_once of each product. Readers after the step do not matter here: only kernels of the step are counted.
  void find_read_once() {
    for (Offered& o : kernels) {
      if (o.run != nullptr) continue;
      const float *begin = o.product.out, *end = begin + o.product.n;
      size_t readers = 0;
      for (const Offered& q : kernels) {
        const auto inside = [&](const float* p) { return p >= begin && p < end; };
        const bool reads =
            q.run == nullptr ? inside(q.product.x)
                             : std::any_of(q.operands.begin(), q.operands.begin() + static_cast<long>(q.run->in.size()),
                                           [&](const Operand& x) { return inside(x.data); });
        readers += reads || (&q != &o && q.run == nullptr && inside(q.product.out));
      }
      o.product.read_once = readers == 1;
    }
  }

  // ---- the expected results, kernel by kernel
  void play_plainly() {
    for (const auto& [g, stays] : gathers) play_gather(g, arena, arena);
    for (const Offered& o : kernels) {
      if (o.run == nullptr) {
        const OfferedProduct& p = o.product;
        for (unsigned r = 0; r < rows; ++r)
          for (unsigned c = 0; c < p.n; ++c) {
            float& out = p.out[r * p.out_stride + c];
            float sum = p.adds ? out : 0;
            for (unsigned k = 0; k < p.k; ++k)
              sum += p.x[r * p.x_stride + k] * (p.transposed ? p.w[k * p.n + c] : p.w[c * p.k + k]);
            out = sum;
          }
        continue;
      }
      for (unsigned r = 0; r < rows; ++r)
        for (unsigned e = 0; e < h; ++e) {
          std::vector<float> in;
          for (size_t k = 0; k < o.run->in.size(); ++k) in.push_back(o.operands[k].data[r * o.operands[k].stride + e]);
          const std::vector<float> out = computed(*o.run, in);
          for (size_t k = 0; k < out.size(); ++k) {
            const Operand& y = o.operands[o.run->in.size() + k];
            y.data[r * y.stride + e] = out[k];
          }
        }
    }
  }

  void play_gather(const Gather& g, const std::vector<float>& from, std::vector<float>& to) const {
    for (unsigned r = 0; r < g.rows; ++r)
      for (unsigned e = 0; e < g.size; ++e) to[g.out + r * g.stride + e] = gathered(g, r, e, from);
  }
  float gathered(const Gather& g, unsigned r, unsigned e, const std::vector<float>& from) const {
    const bool summed = g.first_offset != ~0u;
    const uint32_t begin = summed ? offsets[g.first_offset + r] : r,
                   end = summed ? offsets[g.first_offset + r + 1] : r + 1;
    float sum = 0;
    for (uint32_t k = begin; k < end; ++k) sum += from[2 * size_t{sources[g.first_source + k]} + e];
    return sum;
  }
};

// Runs phase by phase. A phase reads only values from before the phase, except those that the same block has computed.
class Player {
 public:
  Player(RandomStep& step, const Script& script) : step_(step), script_(script) {}

  void play() {
    for (const Phase& p : script_.phases) {
      before_ = step_.arena;
      reads_.clear();
      writes_.clear();
      for (unsigned i = 0; i < p.gathers; ++i) {
        const Gather& g = script_.gathers[p.first_gather + i];
        step_.play_gather(g, before_, step_.arena);
        for (unsigned r = 0; r < g.rows; ++r)
          for (unsigned e = 0; e < g.size; ++e) writes_.insert(g.out + r * g.stride + e);
      }
      if (p.kind == product_phase) product(p);
      if (p.kind == fused_phase) run(p, {});
      for (const size_t at : reads_) ASSERT_FALSE(writes_.contains(at)) << "one block writes what another reads";
    }
  }

 private:
  float read(const float* p) {
    const auto at = static_cast<size_t>(p - step_.arena.data());
    reads_.insert(at);
    return before_[at];
  }
  void write(float* p, float x) {
    writes_.insert(static_cast<size_t>(p - step_.arena.data()));
    *p = x;
  }

  void product(const Phase& p) {
    ASSERT_LE(p.parts, max_parts);
    ASSERT_LE(p.terms, max_terms);
    std::vector<std::vector<float>> sums;  // the result of each part
    for (unsigned q = 0; q < p.parts; ++q) {
      const Part& part = script_.parts[p.first_part + q];
      unsigned chunks = 0;
      std::vector<float> sum(size_t{p.rows} * p.size);
      const unsigned all = q + 1 < p.parts ? script_.parts[p.first_part + q + 1].first_term : p.terms;
      for (unsigned t = part.first_term; t < all; ++t) {
        const Term& term = script_.terms[p.first_term + t];
        chunks += term.k / 16;
        for (unsigned r = 0; r < p.rows; ++r) {
          const float* x = term.first_source == ~0u
                               ? term.x + r * term.x_stride
                               : step_.arena.data() + 2 * size_t{step_.sources[term.first_source + r]} + term.x_stride;
          if (p.flags & fast) {
            ASSERT_EQ((x - step_.arena.data()) % 4, 0) << "four are loaded at once";
          }
          for (unsigned c = 0; c < p.size; ++c)
            for (unsigned k = 0; k < term.k; ++k)
              sum[r * p.size + c] +=
                  read(x + k) * (p.flags & transposed ? term.w[k * term.w_stride + c] : term.w[c * term.w_stride + k]);
        }
      }
      if (p.flags & fast) {
        ASSERT_EQ(chunks, part.chunks);
      }
      for (unsigned r = 0; r < p.rows; ++r)
        for (unsigned c = 0; c < p.size; ++c) {
          float* out = part.out + r * part.out_stride + c;
          if (part.flags & adds) sum[r * p.size + c] += before_[static_cast<size_t>(out - step_.arena.data())];
          if (!(part.flags & unseen)) write(out, sum[r * p.size + c]);
        }
      sums.push_back(std::move(sum));
    }
    if (p.flags & with_fused) run(p, sums);
  }

  void run(const Phase& p, const std::vector<std::vector<float>>& sums) {
    const Function& f = script_.functions[static_cast<size_t>(p.function)];
    for (unsigned r = 0; r < p.rows; ++r)
      for (unsigned e = 0; e < f.kernel->size; ++e) {
        std::vector<float> in;
        for (size_t k = 0; k < f.kernel->in.size(); ++k) {
          const Operand& o = script_.operands[p.first_operand + k];
          if (f.access[k] == Access::near) {
            in.push_back(sums[o.first_source][r * p.size + e]);
          } else if (f.access[k] == Access::gathered) {
            Gather g;
            g.first_source = o.first_source;
            g.first_offset = o.first_offset;
            in.push_back(step_.gathered(g, r, e + static_cast<unsigned>(o.stride), before_));
          } else {
            in.push_back(read(o.data + r * o.stride + e));
          }
        }
        const std::vector<float> out = computed(*f.kernel, in);
        for (size_t k = 0; k < out.size(); ++k) {
          const Operand& o = script_.operands[p.first_operand + f.kernel->in.size() + k];
          write(o.data + r * o.stride + e, out[k]);
        }
      }
  }

  RandomStep& step_;
  const Script& script_;
  std::vector<float> before_;
  std::set<size_t> reads_, writes_;
};

TEST(StepWriter, DoesWhatTheStepDoes) {
  size_t with_runs = 0, joined = 0, left_out = 0, unseen_parts = 0, phases = 0, kernels = 0;
  for (uint64_t seed = 0; seed < 250; ++seed) {
    RandomStep step(seed);
    step.find_read_once();
    StepWriter persistent;
    persistent.begin(step.arena.data(), step.sources);
    for (const auto& [g, stays] : step.gathers) persistent.gather(g, stays);
    for (const RandomStep::Offered& o : step.kernels) {
      if (o.run == nullptr)
        persistent.product(o.product);
      else
        persistent.fused(*o.run, step.rows, o.operands, SaturatingMask());
    }
    Script script;
    persistent.write(script, blocks);
    for (const Phase& p : script.phases) {
      with_runs += (p.flags & with_fused) != 0;
      joined += p.kind == product_phase && p.terms > 1;
      left_out += p.kind != gather_phase && p.gathers == 0;
    }
    for (const Part& p : script.parts) unseen_parts += (p.flags & unseen) != 0;
    phases += script.phases.size();
    kernels += step.kernels.size() + 1;

    const std::vector<float> start = step.arena;
    step.play_plainly();
    const std::vector<float> expected = step.arena;
    std::ranges::copy(start, step.arena.begin());  // in place: the script points into the arena
    Player(step, script).play();
    if (HasFatalFailure()) FAIL() << "seed " << seed;

    // Rows that nothing after the step reads may differ: gathered rows that do not stay, and products read once.
    std::set<size_t> free;
    for (const auto& [g, stays] : step.gathers)
      if (!stays)
        for (unsigned r = 0; r < g.rows; ++r)
          for (unsigned e = 0; e < g.size; ++e) free.insert(g.out + r * g.stride + e);
    for (const RandomStep::Offered& o : step.kernels)
      if (o.run == nullptr && o.product.read_once)
        for (unsigned r = 0; r < step.rows; ++r)
          for (unsigned c = 0; c < o.product.n; ++c)
            free.insert(static_cast<size_t>(o.product.out - step.arena.data() + r * o.product.out_stride + c));
    for (size_t i = 0; i < step.top; ++i) {
      if (free.contains(i)) continue;
      ASSERT_NEAR(step.arena[i], expected[i], 1e-4f * (1 + std::abs(expected[i])))
          << "element " << i << ", seed " << seed;
    }
  }
  // The random steps cover every case.
  EXPECT_GT(with_runs, 50u);
  EXPECT_GT(joined, 50u);
  EXPECT_GT(left_out, 50u);
  EXPECT_GT(unseen_parts, 20u);
  EXPECT_LT(phases, kernels);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::persistent
