// Initial values of a parameter from a safetensors file.
#pragma once
#include <string>

#include <espalier/param/parameter.h>

namespace espalier::init {

// The tensor `name` of the file; only its numbers are read. The parameter must have its shape (ShapeError where it is
// made). DataError: the file is not valid, or has no such tensor.
ESPALIER_API Init from_file(const std::string& path, const std::string& name);

}  // namespace espalier::init
