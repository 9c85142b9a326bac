#include <espalier/tensor/tensor.h>

#include <espalier/base/error.h>

namespace espalier {

Tensor::Tensor(const Shape& shape, std::vector<float> values) : shape_(shape), size_(values.size()) {
  if (size_ != static_cast<size_t>(shape.size()))
    throw ShapeError("tensor: " + std::to_string(size_) + " values are given for " + str(shape) + "; it needs " +
                     std::to_string(shape.size()));
  const auto owner = std::make_shared<const std::vector<float>>(std::move(values));
  data_ = owner->data();
  owner_ = owner;
}
Tensor::Tensor(const Shape& shape, std::shared_ptr<const void> owner, const float* data)
    : shape_(shape), size_(static_cast<size_t>(shape.size())), data_(data), owner_(std::move(owner)) {}

float Tensor::item() const {
  if (size_ != 1) throw ShapeError("item: the tensor is " + str(shape_) + "; it must have one element");
  return data_[0];
}

std::string str(Device device) {
  switch (device.kind) {
    case Device::Kind::cpu:
      return "cpu";
    case Device::Kind::cuda:
      return "cuda:" + std::to_string(device.index);
    case Device::Kind::ref:
      return "ref";
    case Device::Kind::null:
      return "null";
  }
  return "?";
}

}  // namespace espalier
