// Initial values of a parameter from a file of tensors: safetensors, or a state_dict of torch.save.
#pragma once
#include <string>

#include <espalier/param/parameter.h>

namespace espalier::init {

// Loads the tensor `name`; no other tensor is read. Its shape must equal the parameter's, else Scope::add throws
// ShapeError. DataError if the file is invalid or has no such tensor.
ESPALIER_API Init from_file(const std::string& path, const std::string& name);

}  // namespace espalier::init
