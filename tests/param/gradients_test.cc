// Arithmetic of gradients, dense and sparse: host and device must agree.
#include <espalier/param/gradients.h>

#include <gtest/gtest.h>

#include <cmath>

#include "optim/textbook.h"
#include "tensor/fake_device.h"

namespace espalier {
namespace ESPALIER_FILE {

using optim::Given;
using Floats = std::vector<float>;

// Two parameters and three tables. first() and second() have no gradient, a dense one, or one by rows for each.
struct Model {
  Parameters params;
  Parameter weight = Scope(params).add("weight", {3}), other = Scope(params).add("other", {2});
  Lookup words = Scope(params).add_lookup("words", 6, {2}), tags = Scope(params).add_lookup("tags", 4, {}),
         rare = Scope(params).add_lookup("rare", 5, {1});

  Given first() const {
    return Given()
        .dense(weight, {1, 2, 3})
        .rows(words, {0, 2, 5}, {1, 2, 3, 4, 5, 6})
        .rows(tags, {1, 2}, {7, 8})
        .dense(rare, {1, 1, 1, 1, 1});
  }
  Given second() const {
    return Given()
        .dense(weight, {10, 20, 30})
        .dense(other, {4, 5})
        .rows(words, {1, 2, 3}, {10, 20, 30, 40, 50, 60})
        .dense(tags, {1, 2, 3, 4})
        .rows(rare, {0, 4}, {5, 6});
  }
  void expect_sum(const Gradients& sum, float factor = 1) const {
    auto expect = [&](const Parameter& p, Floats want) {
      for (float& x : want) x *= factor;
      const Floats got = sum.of(p).to_vector();
      ASSERT_EQ(got.size(), want.size());
      for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6 * std::abs(want[i])) << p.name();
    };
    expect(weight, {11, 22, 33});
    expect(other, {4, 5});
    expect(words, {1, 2, 10, 20, 33, 44, 50, 60, 0, 0, 5, 6});
    expect(tags, {1, 9, 11, 4});
    expect(rare, {6, 1, 1, 1, 7});
  }
};

detail::GradientState& state(const Gradients& g) { return const_cast<detail::GradientState&>(g.state()); }

void settle(const Gradients& g) {  // marks the values as set, as after a backward pass
  for (size_t i = 0; i < state(g).used; ++i) state(g).entries[i].unset = false;
}

class Places : public testing::TestWithParam<std::pair<bool, bool>> {};

TEST_P(Places, GiveTheSameSums) {
  FakeDevice device;
  const Model model;
  Gradients sum = model.first().get(), more = model.second().get();
  settle(sum);
  settle(more);
  if (GetParam().first) put_on(device, state(sum));
  if (GetParam().second) put_on(device, state(more));
  device.forget();
  sum += std::move(more);
  const bool any = GetParam().first || GetParam().second, both = GetParam().first && GetParam().second;
  EXPECT_EQ(device.downloads, 0u);
  EXPECT_EQ(sum.state().device(), any ? &device : nullptr);
  if (both) {
    EXPECT_EQ(device.uploads, 2u);  // the row indices of tags and rare
  }
  model.expect_sum(sum);
  device.forget();
  sum *= 0.5f;
  EXPECT_EQ(device.downloads, 0u);
  if (both) {
    EXPECT_EQ(device.uploads, 0u);
  }
  model.expect_sum(sum, 0.5f);
}
INSTANTIATE_TEST_SUITE_P(All, Places,
                         testing::Values(std::pair(false, false), std::pair(true, true), std::pair(true, false),
                                         std::pair(false, true)));

TEST_P(Places, AddedToThemselvesTheyDouble) {
  FakeDevice device;
  const Model model;
  Gradients sum = model.first().get();
  settle(sum);
  if (GetParam().first) put_on(device, state(sum));
  state(sum).loss.add(3);
  for (float x : {1.f, 2.f, 3.f}) state(sum).watched.push_back({nullptr, 0, 0, {{}, {x}}});
  Gradients& same = sum;
  sum += std::move(same);
  EXPECT_EQ(sum.of(model.weight).to_vector(), (Floats{2, 4, 6}));
  EXPECT_EQ(sum.of(model.words).to_vector(), (Floats{2, 4, 0, 0, 6, 8, 0, 0, 0, 0, 10, 12}));
  EXPECT_EQ(sum.loss().get(), 6);
  ASSERT_EQ(sum.state().watched.size(), 3u);
  EXPECT_EQ(sum.state().watched[2].gradient.to_vector(), (Floats{6}));
}

TEST(Gradients, AddedToNothingStayWhereTheyAre) {
  FakeDevice device;
  const Model model;
  Gradients more = model.second().get();
  settle(more);
  put_on(device, state(more));
  device.forget();
  Gradients sum = Given().get();
  sum += std::move(more);
  EXPECT_EQ(device.uploads + device.downloads, 0u);
  EXPECT_EQ(sum.of(model.other).to_vector(), (Floats{4, 5}));
  EXPECT_EQ(sum.of(model.rare).to_vector(), (Floats{5, 0, 0, 0, 6}));
}

TEST(Gradients, BecomeDenseWhereTheyAre) {
  FakeDevice device;
  const Model model;
  Gradients g = model.first().get();
  put_on(device, state(g));
  device.forget();
  detail::make_dense(*state(g).find(model.words.storage().get()));
  EXPECT_EQ(device.downloads, 0u);
  EXPECT_FALSE(state(g).find(model.words.storage().get())->sparse);
  EXPECT_EQ(g.of(model.words).to_vector(), (Floats{1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 5, 6}));
}

TEST(Gradients, HaveTheirNormLimitedWhereTheyAre) {
  for (const bool there : {false, true}) {
    FakeDevice device;
    Parameters params;
    const Parameter p = Scope(params).add("p", {2});
    const Lookup t = Scope(params).add_lookup("t", 9, {1});
    Gradients g = Given().dense(p, {2, 4}).rows(t, {3, 7}, {5, 6}).get();  // 4 + 16 + 25 + 36 = 9²
    if (there) put_on(device, state(g));
    device.forget();
    g.clip_norm(9);
    g.clip_norm(3);
    EXPECT_EQ(device.uploads + device.downloads, 0u);
    EXPECT_NEAR(g.norm(), 3, 1e-6);
    EXPECT_EQ(device.downloads, there ? 1u : 0u);  // norm() reads one number
    EXPECT_NEAR(g.of(p)[1], 4.f / 3, 1e-6);
    EXPECT_NEAR(g.of(t)[7], 2, 1e-6);
    g.clip_norm(100);
    EXPECT_NEAR(g.norm(), 3, 1e-6);
  }
}

struct Later final : detail::PendingNumber {
  double value = 0;
  mutable int waits = 0;
  double get() const override {
    ++waits;
    return value;
  }
};

TEST(Loss, IsWaitedForWhereItIsReadAndNotBefore) {
  const auto first = std::make_shared<Later>(), second = std::make_shared<Later>();
  Gradients a = Given().get(), b = Given().get();
  state(a).loss.add(1);
  state(a).loss.add(first, 2);
  state(b).loss.add(second, 1);
  a += std::move(b);
  a *= 0.5f;
  const Scalar loss = a.loss();
  EXPECT_EQ(first->waits + second->waits, 0);
  first->value = 3;
  second->value = 5;
  EXPECT_EQ(loss.get(), 6);
  EXPECT_EQ(Scalar().get(), 0);
}

TEST(Gradients, ALossStaysWhatItWas) {
  struct Three final : detail::PendingNumber {
    double get() const override { return 3; }
  };
  Gradients a = Given().get(), b = Given().get();
  state(a).loss.add(1);
  state(a).loss.add(std::make_shared<Three>(), 2);
  state(b).loss.add(5);
  const Scalar before = a.loss();
  a *= 0.5f;
  const Scalar scaled = a.loss();
  a += std::move(b);
  EXPECT_EQ(before.get(), 7);
  EXPECT_EQ(scaled.get(), 3.5f);
  EXPECT_EQ(a.loss().get(), 8.5f);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier
