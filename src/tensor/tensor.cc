#include <espalier/tensor/tensor.h>

#include <espalier/base/error.h>

namespace espalier {

float Tensor::item() const {
  if (data.size() != 1) throw ShapeError("item: the tensor is " + str(shape) + "; it must have one element");
  return data[0];
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
