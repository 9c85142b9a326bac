// The work items of all GPU ops, run on the host: by one thread, then by a group of threads, against the plain version.
#include "exec/gpu/op/all.h"

#include <algorithm>
#include <barrier>
#include <cmath>
#include <thread>

#include "exec/plain/plain.h"
#include "exec/samples.h"

namespace espalier {
namespace ESPALIER_FILE {

constexpr int threads = 3;  // does not divide most sizes

// A group of host threads.
class Crew {
 public:
  struct Shared {
    std::barrier<> all{threads};
    std::array<double, threads> values{};
  };
  Crew(Shared& shared, int rank) : shared_(&shared), rank_(rank) {}
  int rank() const { return rank_; }
  int size() const { return threads; }
  void wait() const { shared_->all.arrive_and_wait(); }
  template <class T>
  T sum(T value) const {
    return all_of(value, [](T a, T b) { return a + b; });
  }
  float largest(float value) const { return all_of(value, larger); }

 private:
  template <class T, class F>
  T all_of(T value, F f) const {
    shared_->values[static_cast<size_t>(rank_)] = static_cast<double>(value);
    wait();
    T result = static_cast<T>(shared_->values[0]);
    for (size_t i = 1; i < threads; ++i) result = f(result, static_cast<T>(shared_->values[i]));
    wait();
    return result;
  }
  Shared* shared_;
  int rank_;
};

template <class P, class Group>
void run_item(const P& items, const Group& group, int64_t i, [[maybe_unused]] std::vector<double>& scratch) {
  if constexpr (WithScratch<P>)
    items(group, i, scratch.data());
  else
    items(group, i);
}

template <class P>
std::vector<double> scratch_of([[maybe_unused]] const P& items) {
  if constexpr (WithScratch<P>) return std::vector<double>(static_cast<size_t>(items.scratch()));
  return {};
}

template <class P>
constexpr bool has_group = ByGroup<P> || WithScratch<P>;

template <class Op>
void run_alone(const OpLaunch<float>& l) {
  for_each_lot<Op>(l, [](const auto& items) {
    std::vector<double> scratch = scratch_of(items);
    for (int64_t i = 0; i < items.count(); ++i)
      if constexpr (has_group<std::remove_cvref_t<decltype(items)>>)
        run_item(items, Alone{}, i, scratch);
      else
        items(i);
  });
}

template <class Op>
void run_by_crew(const OpLaunch<float>& l) {
  for_each_lot<Op>(l, [](const auto& items) {
    std::vector<double> scratch = scratch_of(items);
    Crew::Shared shared;
    std::vector<std::jthread> crew;
    for (int rank = 0; rank < threads; ++rank)
      crew.emplace_back([&, rank] {
        for (int64_t i = 0; i < items.count(); ++i) run_item(items, Crew(shared, rank), i, scratch);
      });
  });
}

// More samples than the ops declare: windows that overlap, leave gaps or extend past the edge, and matrices that need
// pivots.
std::vector<Sample> more_samples(const OpInfo& op) {
  std::vector<Sample> samples = samples_of(op);
  using W = op::WindowAttrs;
  const std::vector<std::pair<W, Shape>> windows{{{{3, 3}, {1, 1}, {1, 1}}, {2, 5, 4}},
                                                 {{{2, 3}, {3, 2}, {1, 1}}, {3, 6, 7}},
                                                 {{{1, 2}, {2, 3}, {0, 0}}, {1, 5, 9}},
                                                 {{{4}, {3}, {2}}, {2, 11}}};
  for (const auto& [w, x] : windows) {
    if (&op == &info<op::Unfold>() || &op == &info<op::MaxPool>()) samples.push_back({erase(w), {x}});
    if (&op == &info<op::MaxPoolGradient>())
      samples.push_back({erase(w), {x, info<op::MaxPool>().infer(erase(w), std::array{x})}});
    if (&op == &info<op::Fold>())
      samples.push_back({erase(op::FoldAttrs{w.kernel, w.stride, w.padding, x}),
                         {info<op::Unfold>().infer(erase(w), std::array{x})}});
  }
  if (&op == &info<op::Inverse>() || &op == &info<op::LogAbsDet>() || &op == &info<op::DetSign>())
    for (int n : {1, 2, 7, 12}) samples.push_back({{}, {{n, n}}});
  return samples;
}

void expect_as_plain(const OpInfo& op, const Sample& sample, OpFunction<float> function) {
  const std::vector<float> expect = run_sample<float>(op, sample, plain_function<float>(&op));
  const std::vector<float> got = run_sample<float>(op, sample, function);
  ASSERT_EQ(got.size(), expect.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], expect[i], 2e-6 * (1 + std::abs(expect[i])))
        << op.doc.name << "(" << op.text(sample.attrs) << ") of x" << str(sample.shapes.at(0)) << " at " << i;
}

TEST(CudaWorkItems, EqualThePlainOps) {
  for_each_op_in_items([]<class Op>() {
    for (const Sample& sample : more_samples(info<Op>())) expect_as_plain(info<Op>(), sample, run_alone<Op>);
  });
}

TEST(CudaWorkItems, OfATeamEqualThePlainOps) {
  int ops = 0;
  for_each_op_in_items([&]<class Op>() {
    if constexpr (has_group<WorkItems<Op>>) {
      ++ops;
      for (const Sample& sample : more_samples(info<Op>())) expect_as_plain(info<Op>(), sample, run_by_crew<Op>);
    }
  });
  EXPECT_GE(ops, 17);
}

// A float sum of 2^25 ones in one thread would stop at 2^24.
TEST(CudaWorkItems, LongSumsDoNotSaturate) {
  constexpr int64_t n = int64_t{1} << 25;
  EXPECT_EQ(sum_of(Alone{}, n, [](int64_t) { return 1.f; }), static_cast<float>(n));
}

// Four lists, one without rows, that do not start at 0. Rows of three elements.
struct ListLaunch {
  std::vector<uint32_t> offsets{4, 6, 6, 7, 10};
  int64_t calls = 4, rows = 6, size = 3;
  std::vector<int64_t> call{0, 0, 2, 3, 3, 3};
  Kernel kernel;
  std::vector<Guarded<float>> in;
  std::vector<int32_t> index;
  std::vector<uint64_t> keys{11, 12, 13, 14};

  template <class Op>
  static ListLaunch of(const typename Op::Attrs& attrs) {
    ListLaunch l;
    l.kernel.op = &info<Op>();
    l.kernel.attrs = erase(attrs);
    l.kernel.space = 1;
    l.kernel.list = 0;
    l.kernel.out_shape = {static_cast<int>(l.size)};
    return l;
  }
  ListLaunch& row(const Shape& shape) {
    std::mt19937 random(7);
    kernel.in_shapes.push_back(shape);
    in.emplace_back(rows, shape.size(), shape.size() + 1);
    in.back().fill(random, -2, 2);
    return *this;
  }
  std::vector<float> run(OpFunction<float> function) {
    kernel.out_shape = kernel.op == &info<op::CrossEntropy>() ? Shape{} : kernel.out_shape;
    std::vector<Rows<const float>> rows_in;
    for (auto& g : in) rows_in.push_back(g.const_rows());
    Guarded<float> out(rows, kernel.out_shape.size(), kernel.out_shape.size() + 2);
    OpLaunch<float> l;
    l.kernel = &kernel;
    l.rows = rows;
    l.in = rows_in;
    l.out = out.rows();
    l.index = index.empty() ? nullptr : index.data();
    l.segments = {offsets.data(), calls};
    l.keys = keys.empty() ? nullptr : keys.data();
    function(l);
    EXPECT_TRUE(out.intact()) << kernel.op->doc.name;
    return out.values();
  }
  // The plain version reads one index per row; the work items read one per call.
  template <class Op>
  void expect_equal() {
    const std::vector<float> got = run(run_alone<Op>);
    const std::vector<int32_t> per_call = std::exchange(index, {});
    for (int64_t c : call)
      index.push_back(kernel.literal >= 0 ? kernel.literal : per_call.empty() ? 0 : per_call[static_cast<size_t>(c)]);
    const std::vector<float> plain = run(plain_function<float>(kernel.op));  // its sums are in double
    ASSERT_EQ(got.size(), plain.size());
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(got[i], plain[i], 1e-6f * std::max(1.f, std::abs(plain[i]))) << kernel.op->doc.name;
  }
};

TEST(CudaWorkItems, AnIndexIsTheCallsWhereRowsAreOfLists) {
  for (const int literal : {-1, 1}) {
    auto with_index = [&](ListLaunch l) {
      l.kernel.literal = literal;
      if (literal < 0) l.index = {2, 0, 1, 2};
      return l;
    };
    with_index(ListLaunch::of<op::OneHot>({3})).expect_equal<op::OneHot>();
    with_index(ListLaunch::of<op::Lookup>({}).row({4, 3})).expect_equal<op::Lookup>();
    with_index(ListLaunch::of<op::Pick>({0}).row({3, 3})).expect_equal<op::Pick>();
    with_index(ListLaunch::of<op::Put>({3, 0}).row({})).expect_equal<op::Put>();
    with_index(ListLaunch::of<op::CrossEntropy>({}).row({3})).expect_equal<op::CrossEntropy>();
    with_index(ListLaunch::of<op::CrossEntropyGradient>({}).row({3}).row({})).expect_equal<op::CrossEntropyGradient>();
  }
}

// In a list, elements are counted through all rows of a call; without keys, the key is 0.
TEST(CudaWorkItems, DrawTheSameNumbersInLists) {
  for (const bool keys : {true, false})
    for (const int list : {0, -1}) {
      auto draws = [&](ListLaunch l) {
        l.kernel.list = list;
        if (list < 0) l.keys = {1, 2, 3, 4, 5, 6};
        if (!keys) l.keys.clear();
        return l;
      };
      draws(ListLaunch::of<op::DropoutMask>({0.4f, {3}, 2})).expect_equal<op::DropoutMask>();
      draws(ListLaunch::of<op::RandomNormal>({{3}, 1, 2, true, 5})).expect_equal<op::RandomNormal>();
      draws(ListLaunch::of<op::RandomUniform>({{3}, -1, 2, true, 5})).expect_equal<op::RandomUniform>();
      draws(ListLaunch::of<op::RandomBernoulli>({{3}, 0.5f, 2, true, 5})).expect_equal<op::RandomBernoulli>();
      draws(ListLaunch::of<op::RandomGumbel>({{3}, 1, 2, true, 5})).expect_equal<op::RandomGumbel>();
    }
}

// Empty results have no items, so that nothing is launched. A sum of no elements is 0, so it has items.
TEST(CudaWorkItems, OfNothingThereAreNone) {
  Kernel k;
  OpLaunch<float> l;
  l.kernel = &k;
  const std::vector<Rows<const float>> in(2);
  l.in = in;
  k.attrs = erase(op::AxisAttrs{0});
  k.in_shapes = {{0, 3}};
  k.out_shape = {0, 3};
  l.rows = 4;
  EXPECT_EQ(WorkItems<op::Reshape>(l).count(), 0);
  EXPECT_EQ(WorkItems<op::Transpose>(l).count(), 0);
  EXPECT_EQ(WorkItems<op::Concat>(l, 0).count(), 0);
  EXPECT_EQ(WorkItems<op::SumRows>(l).count(), 0);
  EXPECT_EQ(WorkItems<op::SumAxis>(l).count(), 12);
  l.rows = 0;
  EXPECT_EQ(WorkItems<op::SumAxis>(l).count(), 0);
  EXPECT_EQ(WorkItems<op::Softmax>(l).count(), 0);
  EXPECT_EQ(WorkItems<op::LogAbsDet>(l).count(), 0);
}

TEST(CudaWorkItems, DivideExactly) {
  constexpr int64_t most = int64_t{1} << 31;
  for (const int64_t d : {1l, 2l, 3l, 5l, 7l, 8l, 10l, 641l, 65535l, 65536l, 65537l, 1000000007l, most - 1, most,
                          most + 1, int64_t{1} << 40}) {
    const Divisor by(d);
    for (const int64_t near : {0l, d, 2 * d, most / d * d, most, 5 * most / d * d, 1l << 33})
      for (int64_t n = std::max<int64_t>(near - 3, 0); n < near + 3; ++n) {
        ASSERT_EQ(n / by, n / d) << n << " / " << d;
        ASSERT_EQ(n % by, n % d) << n << " % " << d;
      }
  }
}

TEST(CudaWorkItems, TheLargestIsNotANumberWhereAnyIsNone) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(larger(none, 1)));
  EXPECT_TRUE(std::isnan(larger(1, none)));
  EXPECT_EQ(larger(1, 2), 2);
  EXPECT_EQ(larger(2, 1), 2);
}

TEST(CudaWorkItems, SoftmaxOfMinusInfinityAloneIsZero) {
  const float none = -std::numeric_limits<float>::infinity();
  Kernel k;
  k.attrs = erase(op::AxisAttrs{0});
  k.in_shapes = {{2}};
  k.out_shape = {2};
  const std::vector<float> x{none, none, none, 1};
  std::vector<float> y(4, 9);
  const std::vector<Rows<const float>> in{{x.data(), 2}};
  OpLaunch<float> l;
  l.kernel = &k;
  l.rows = 2;
  l.in = in;
  l.out = {y.data(), 2};
  run_alone<op::Softmax>(l);
  EXPECT_EQ(y, (std::vector<float>{0, 0, 0, 1}));
  run_by_crew<op::Softmax>(l);
  EXPECT_EQ(y, (std::vector<float>{0, 0, 0, 1}));
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
