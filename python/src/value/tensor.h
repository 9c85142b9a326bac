// The Python type Tensor: read-only numbers in host memory, seen by NumPy (buffer protocol) and DLPack without a copy.
#pragma once
#include <memory>

#include <espalier/tensor/tensor.h>
#include "python/src/value/object.h"

namespace espalier::python {

struct TensorObject {
  PyObject_HEAD const float* data;
  std::shared_ptr<const void> owner;
  Py_ssize_t sizes[Shape::max_rank + 1], strides[Shape::max_rank + 1];
  int rank;  // of sizes: a stack of rows of the highest rank has one axis more than Shape allows
};

extern PyTypeObject tensor_type;

PyObject* new_tensor(const Tensor& tensor);  // a new reference, on the same memory
// n rows of one shape, contiguous in `owner`, as one tensor [n, shape...].
PyObject* new_stack(size_t n, const Shape& row, std::shared_ptr<const void> owner, const float* data);
PyObject* as_array(PyObject* tensor);  // a read-only NumPy array on its memory

void add_tensor_type(PyObject* module);

}  // namespace espalier::python
