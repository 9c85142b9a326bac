// The plain version of every op that is not element-wise, against results by hand on tiny rows; then the CPU's version
// against the plain one in double, on the samples that each op declares.
#include "exec/plain/plain.h"

#include <cmath>

#include "base/random.h"
#include "exec/cpu/functions.h"
#include "exec/cpu/product/product.h"
#include "exec/guarded.h"
#include "exec/samples.h"
#include "exec/targets.h"
#include "op/all.h"

namespace espalier {
namespace ESPALIER_FILE {

using Values = std::vector<double>;

// One launch of an op in double. Strides leave gaps between rows, which must not be written.
struct Launch {
  Kernel kernel;
  std::vector<Guarded<double>> in;
  std::vector<int32_t> index;
  std::vector<uint32_t> offsets;  // of the lists of the calls
  std::vector<uint64_t> keys;
  std::vector<float> data;
  bool train = true;

  template <class Op>
  static Launch of(const typename Op::Attrs& attrs = {}) {
    Launch l;
    l.kernel.op = &info<Op>();
    l.kernel.attrs = erase(attrs);
    return l;
  }
  Launch& row(const Shape& shape, const Values& values) {
    kernel.in_shapes.push_back(shape);
    in.emplace_back(shape.size(), values, shape.size() + 2);
    return *this;
  }
  Launch& at(std::vector<int32_t> i) {
    index = std::move(i);
    return *this;
  }
  Launch& lists(std::vector<uint32_t> o) {
    offsets = std::move(o);
    return *this;
  }

  Values run(int64_t rows) {
    std::vector<Shape> shapes = kernel.in_shapes;
    for (const Input& i : kernel.op->inputs)
      if (i.role == Role::index) shapes.emplace_back();
    kernel.out_shape = kernel.op->infer(kernel.attrs, shapes);
    std::vector<Rows<const double>> rows_in;
    for (auto& g : in) rows_in.push_back(g.const_rows());
    const int64_t size = kernel.out_shape.size();
    Guarded<double> out(rows, size, size + 3);
    OpLaunch<double> l;
    l.kernel = &kernel;
    l.rows = rows;
    l.in = rows_in;
    l.out = out.rows();
    l.index = index.data();
    if (!offsets.empty()) l.segments = {offsets.data(), static_cast<int64_t>(offsets.size()) - 1};
    l.keys = keys.data();
    l.train = train;
    l.data = data.data();
    plain_function<double>(kernel.op)(l);
    EXPECT_TRUE(out.intact()) << kernel.op->doc.name;
    for (auto& g : in) EXPECT_TRUE(g.intact()) << kernel.op->doc.name;
    return out.values();
  }
};

void expect_near(const Values& got, const Values& expect) {
  ASSERT_EQ(got.size(), expect.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expect[i], 1e-12) << i;
}

TEST(Plain, EveryOpHasAVersionUnlessElementwiseOrComposed) {
  for (const OpInfo* op : op_table()) {
    const bool none = op->elementwise || op->compose != nullptr;
    EXPECT_EQ(plain_function<double>(op) == nullptr, none) << op->doc.name;
    EXPECT_EQ(plain_function<float>(op) == nullptr, none) << op->doc.name;
    EXPECT_EQ(cpu_function(op) == nullptr, none) << op->doc.name;
  }
}

TEST(Plain, Linear) {
  const Values w{1, 2, 3, 4, 5, 6};  // [3,2]
  expect_near(Launch::of<op::Linear>().row({2}, {1, 0, 1, 10}).row({3, 2}, w).run(2), {1, 3, 5, 21, 43, 65});
  expect_near(Launch::of<op::Linear>().row({2, 2}, {1, 0, 1, 10}).row({3, 2}, w).run(1), {1, 3, 5, 21, 43, 65});
  expect_near(Launch::of<op::LinearTransposed>().row({3}, {1, 0, 0, 1, 1, 1}).row({3, 2}, w).run(2), {1, 2, 9, 12});
  expect_near(Launch::of<op::LinearTransposed>().row({2, 3}, {1, 0, 0, 1, 1, 1}).row({3, 2}, w).run(1), {1, 2, 9, 12});
}

TEST(Plain, Matmul) {
  const Values y{14, 32, 32, 77};
  expect_near(Launch::of<op::Matmul>().row({2, 3}, {1, 2, 3, 4, 5, 6}).row({3, 2}, {1, 4, 2, 5, 3, 6}).run(1), y);
  expect_near(
      Launch::of<op::Matmul>({true, false}).row({3, 2}, {1, 4, 2, 5, 3, 6}).row({3, 2}, {1, 4, 2, 5, 3, 6}).run(1), y);
  expect_near(
      Launch::of<op::Matmul>({false, true}).row({2, 3}, {1, 2, 3, 4, 5, 6}).row({2, 3}, {1, 2, 3, 4, 5, 6}).run(1), y);
  expect_near(
      Launch::of<op::Matmul>({true, true}).row({3, 2}, {1, 4, 2, 5, 3, 6}).row({2, 3}, {1, 2, 3, 4, 5, 6}).run(1), y);
}

TEST(Plain, SumsAndBroadcast) {
  const Values x{1, 2, 3, 4, 5, 6};
  expect_near(Launch::of<op::SumAxis>({0}).row({2, 3}, x).run(1), {5, 7, 9});
  expect_near(Launch::of<op::SumAxis>({1}).row({2, 3}, x).run(1), {6, 15});
  expect_near(Launch::of<op::SumAxis>({1}).row({1, 2, 3}, x).run(1), {5, 7, 9});
  expect_near(Launch::of<op::SumAxis>({0}).row({3}, x).run(2), {6, 15});
  expect_near(Launch::of<op::SumElements>().row({3}, x).run(2), {6, 15});
  expect_near(Launch::of<op::SumElements>().row({}, x).run(6), x);
  expect_near(Launch::of<op::Broadcast>({0, 2}).row({3}, {1, 2, 3}).run(1), {1, 2, 3, 1, 2, 3});
  expect_near(Launch::of<op::Broadcast>({1, 2}).row({3}, {1, 2, 3}).run(1), {1, 1, 2, 2, 3, 3});
  expect_near(Launch::of<op::Broadcast>({0, 2}).row({}, {1, 2}).run(2), {1, 1, 2, 2});
}

TEST(Plain, Softmax) {
  const double e = std::exp(1.0);
  const Values y{1 / (1 + e), e / (1 + e)};
  expect_near(Launch::of<op::Softmax>({0}).row({2}, {0, 1, 1000, 1001}).run(2), {y[0], y[1], y[0], y[1]});
  expect_near(Launch::of<op::Softmax>({0}).row({2, 2}, {0, 5, 1, 6}).run(1), {y[0], y[0], y[1], y[1]});
  expect_near(Launch::of<op::Softmax>({1}).row({2, 2}, {0, 1, -1e4, 1 - 1e4}).run(1), {y[0], y[1], y[0], y[1]});
  expect_near(Launch::of<op::LogSoftmax>({0}).row({2}, {0, 1, 1000, 1001}).run(2),
              {std::log(y[0]), std::log(y[1]), std::log(y[0]), std::log(y[1])});
  expect_near(Launch::of<op::LogSoftmax>({0}).row({2, 1}, {0, 1}).run(1), {std::log(y[0]), std::log(y[1])});
  expect_near(Launch::of<op::CrossEntropy>().row({2}, {0, 1, 1000, 1001}).at({0, 1}).run(2),
              {-std::log(y[0]), -std::log(y[1])});
}

TEST(Plain, PartsAndShapes) {
  const Values x{1, 2, 3, 4, 5, 6};
  expect_near(Launch::of<op::Slice>({1, 3, 0}).row({3}, x).run(2), {2, 3, 5, 6});
  expect_near(Launch::of<op::Slice>({1, 3, 1}).row({2, 3}, x).run(1), {2, 3, 5, 6});
  expect_near(Launch::of<op::Slice>({1, 2, 0}).row({3, 2}, x).run(1), {3, 4});
  expect_near(Launch::of<op::Pad>({1, 2, 0}).row({3}, x).run(2), {0, 1, 2, 3, 0, 0, 0, 4, 5, 6, 0, 0});
  expect_near(Launch::of<op::Pad>({0, 1, 1}).row({3, 2}, x).run(1), {1, 2, 0, 3, 4, 0, 5, 6, 0});
  expect_near(Launch::of<op::Pad>({1, 0, 0}).row({1, 3}, {1, 2, 3}).run(1), {0, 0, 0, 1, 2, 3});
  expect_near(Launch::of<op::Concat>({0}).row({1}, {1, 2}).row({2}, {3, 4, 5, 6}).run(2), {1, 3, 4, 2, 5, 6});
  expect_near(Launch::of<op::Concat>({1}).row({2, 1}, {1, 2}).row({2, 2}, {3, 4, 5, 6}).run(1), {1, 3, 4, 2, 5, 6});
  expect_near(Launch::of<op::Reshape>({{3, 2}}).row({6}, x).run(1), x);
  expect_near(Launch::of<op::Transpose>().row({2, 3}, x).run(1), {1, 4, 2, 5, 3, 6});
}

TEST(Plain, Indexed) {
  const Values table{1, 2, 3, 4, 5, 6};
  Launch input = Launch::of<op::InputRow>({{2}}).at({3, 0});
  input.data = {1, 2, 3, 4, 5};
  expect_near(input.run(2), {4, 5, 1, 2});
  expect_near(Launch::of<op::Lookup>().row({3, 2}, table).at({2, 0, 2}).run(3), {5, 6, 1, 2, 5, 6});
  expect_near(Launch::of<op::Lookup>().row({6}, table).at({5, 1}).run(2), {6, 2});
  expect_near(Launch::of<op::OneHot>({3}).at({2, 0}).run(2), {0, 0, 1, 1, 0, 0});
  expect_near(Launch::of<op::Put>({2}).row({2}, {7, 8, 9, 10}).at({1, 0}).run(2), {0, 0, 7, 8, 9, 10, 0, 0});
  expect_near(Launch::of<op::Put>({3}).row({}, {7}).at({1}).run(1), {0, 7, 0});
  expect_near(Launch::of<op::Pick>().row({3}, table).at({2, 0}).run(2), {3, 4});
  expect_near(Launch::of<op::Pick>().row({3, 2}, table).at({1}).run(1), {3, 4});
}

// Three calls with lists of two, no and one row; the segments do not start at 0.
TEST(Plain, Lists) {
  const std::vector<uint32_t> lists{5, 7, 7, 8};
  const Values x{1, 9, 3, 4, 5, 6};
  const double a = 1 / (1 + std::exp(2.0)), b = 1 / (1 + std::exp(-5.0));
  expect_near(Launch::of<op::Spread>({0}).row({2}, {1, 2, 3, 4, 5, 6}).lists(lists).run(3), {1, 2, 1, 2, 5, 6});
  expect_near(Launch::of<op::SumRows>().row({2}, x).lists(lists).run(3), {4, 13, 0, 0, 5, 6});
  expect_near(Launch::of<op::InverseCount>().row({2}, x).lists(lists).run(3), {0.5, 1, 1});
  expect_near(Launch::of<op::FirstMax>().row({2}, x).lists(lists).run(3), {0, 1, 1, 0, 1, 1});
  expect_near(Launch::of<op::FirstMax>().row({}, {2, 2, 1}).lists({0, 3}).run(3), {1, 0, 0});
  expect_near(Launch::of<op::MaxRows>().row({2}, x).lists(lists).run(3), {3, 9, 0, 0, 5, 6});
  expect_near(Launch::of<op::SoftmaxRows>().row({2}, x).lists(lists).run(3), {a, b, 1 - a, 1 - b, 1, 1});
  expect_near(Launch::of<op::SoftmaxRows>().row({}, {1000, 1002}).lists({0, 2}).run(2), {a, 1 - a});
}

double mask(uint64_t key, int site, uint64_t counter, float p) {
  return uniform(mix(key, static_cast<uint64_t>(site)), counter) < p ? 0 : static_cast<double>(1 / (1 - p));
}

TEST(Plain, DropoutMask) {
  Launch calls = Launch::of<op::DropoutMask>({0.3f, {2}, 2}).row({2}, {0, 0, 0, 0});
  calls.keys = {11, 12};
  expect_near(calls.run(2), {mask(11, 2, 0, 0.3f), mask(11, 2, 1, 0.3f), mask(12, 2, 0, 0.3f), mask(12, 2, 1, 0.3f)});
  calls.train = false;
  calls.keys.clear();
  expect_near(calls.run(2), {1, 1, 1, 1});

  // In a list, elements are counted through all rows of a call.
  Launch rows = Launch::of<op::DropoutMask>({0.5f, {2}, 0}).row({2}, {0, 0, 0, 0, 0, 0}).lists({4, 6, 6, 7});
  rows.kernel.list = 0;
  rows.keys = {21, 22, 23};
  Values expect;
  for (uint64_t i = 0; i < 4; ++i) expect.push_back(mask(21, 0, i, 0.5f));
  for (uint64_t i = 0; i < 2; ++i) expect.push_back(mask(23, 0, i, 0.5f));
  expect_near(rows.run(3), expect);
}

TEST(Plain, DropoutMaskKeepsItsShare) {
  Launch l = Launch::of<op::DropoutMask>({0.25f, {10000}, 0}).row({10000}, Values(10000, 0));
  l.keys = {1};
  double sum = 0;
  for (const double y : l.run(1)) sum += y;
  EXPECT_NEAR(sum / 10000, 1, 0.03);
}

// ---- the CPU's version of every op = the plain one in double

TEST(CpuOps, EqualThePlainOnes) {
  const SingleThread alone;
  for_each_target([] {
    for (const OpInfo* op : op_table()) {
      if (op->elementwise || op->compose != nullptr) continue;
      for (const Sample& sample : samples_of(*op)) {
        const Values expect = run_sample<double>(*op, sample, plain_function<double>(op));
        for (const OpFunction<float> f : {plain_function<float>(op), cpu_function(op)}) {
          const std::vector<float> got = run_sample<float>(*op, sample, f);
          ASSERT_EQ(got.size(), expect.size());
          for (size_t i = 0; i < got.size(); ++i)
            ASSERT_NEAR(got[i], expect[i], 2e-6 * (1 + std::fabs(expect[i])))
                << op->doc.name << "(" << op->text(sample.attrs) << ") of x" << str(sample.shapes.at(0)) << " at " << i;
        }
      }
    }
  });
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
