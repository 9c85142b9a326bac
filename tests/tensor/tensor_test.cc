// Tensor: what a copy shares, how long memory lives, and what bindings see.
#include <gtest/gtest.h>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <espalier/tensor/tensor.h>
#include "support/error_of.h"

namespace espalier::test {
namespace ESPALIER_FILE {

using Floats = std::vector<float>;

TEST(Tensors, are_empty_by_default) {
  const Tensor none;
  EXPECT_EQ(none.shape(), (Shape{0}));
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.to_vector(), Floats{});
  EXPECT_EQ(none.clone().to_vector(), Floats{});
  EXPECT_EQ(none.owner(), nullptr);
}

TEST(Tensors, have_a_shape_and_values) {
  const Tensor t{{2, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(t.shape(), (Shape{2, 3}));
  EXPECT_EQ(t.size(), 6u);
  EXPECT_EQ(t[4], 5);
  EXPECT_EQ(t.values().back(), 6);
  float sum = 0;
  for (const float v : t) sum += v;
  EXPECT_EQ(sum, 21);
  EXPECT_EQ((Tensor{{}, {7}}).item(), 7);
  EXPECT_EQ((Tensor{{1, 1}, {7}}).item(), 7);
}

TEST(Tensors, reject_a_wrong_number_of_values) {
  EXPECT_EQ(error_of([] { (void)Tensor({2, 2}, Floats(3)); }), "tensor: 3 values are given for [2,2]; it needs 4");
  EXPECT_EQ(error_of([] { (void)Tensor({}, Floats()); }), "tensor: 0 values are given for []; it needs 1");
  EXPECT_EQ(error_of([] { (void)Tensor({2}, Floats(2)).item(); }), "item: the tensor is [2]; it must have one element");
  EXPECT_EQ(error_of([] { (void)Tensor().item(); }), "item: the tensor is [0]; it must have one element");
}

TEST(Tensors, take_values_without_a_copy) {
  Floats values{1, 2};
  const float* const at = values.data();
  EXPECT_EQ(Tensor({2}, std::move(values)).data(), at);
}

TEST(Tensors, share_memory_with_their_copies_but_not_with_clones) {
  auto first = std::make_unique<Tensor>(Shape{2}, Floats{1, 2});
  const Tensor copy = *first, clone = first->clone();
  EXPECT_EQ(copy.data(), first->data());
  EXPECT_NE(clone.data(), first->data());
  first.reset();
  EXPECT_EQ(copy.to_vector(), (Floats{1, 2}));
  EXPECT_EQ(clone.to_vector(), (Floats{1, 2}));
  EXPECT_EQ(clone.shape(), (Shape{2}));
  static_assert(std::is_nothrow_copy_constructible_v<Tensor> && std::is_nothrow_move_constructible_v<Tensor>);
  static_assert(!std::is_assignable_v<decltype(copy[0]), float>);
}

TEST(Tensors, are_empty_after_a_move) {
  Tensor a{{2}, {1, 2}};
  const Tensor b = std::move(a);
  EXPECT_EQ(a.shape(), (Shape{0}));
  EXPECT_EQ(a.data(), nullptr);
  Tensor c{{1}, {3}};
  c = b;
  Tensor& same = c;
  c = std::move(same);
  EXPECT_EQ(c.to_vector(), (Floats{1, 2}));
}

TEST(Tensors, keep_foreign_memory_alive) {
  auto memory = std::make_shared<Floats>(Floats{1, 2, 3, 4});
  const std::weak_ptr<Floats> watched = memory;
  const float* const at = memory->data();
  Tensor row({2}, std::move(memory), at + 2);
  EXPECT_EQ(row.to_vector(), (Floats{3, 4}));
  EXPECT_FALSE(watched.expired());
  row = {};
  EXPECT_TRUE(watched.expired());
}

// How a binding lends a tensor to NumPy or DLPack: a view with a deleter.
TEST(Tensors, can_be_lent_without_a_copy) {
  struct Lent {
    const float* data;
    void* context;
    void (*deleter)(Lent*);
  };
  auto tensor = std::make_unique<Tensor>(Shape{2}, Floats{1, 2});
  const std::weak_ptr<const void> watched = tensor->owner();
  Lent lent{tensor->data(), new std::shared_ptr<const void>(tensor->owner()),
            [](Lent* l) { delete static_cast<std::shared_ptr<const void>*>(l->context); }};
  tensor.reset();
  EXPECT_EQ(lent.data[1], 2);
  EXPECT_FALSE(watched.expired());
  lent.deleter(&lent);
  EXPECT_TRUE(watched.expired());
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
