#include <algorithm>

#include <espalier/base/error.h>
#include <espalier/io/init.h>

#include "io/reader.h"

namespace espalier::init {

Init from_file(const std::string& path, const std::string& name) {
  const io::Reader file(path);
  const auto& tensors = file.header().tensors;
  const auto it = std::find_if(tensors.begin(), tensors.end(), [&](const io::Stored& t) { return t.name == name; });
  if (it == tensors.end())
    throw DataError(path + ": has no tensor " + io::quote(name) + " among its " + std::to_string(tensors.size()));
  return tensor({it->shape, file.read(*it)});
}

}  // namespace espalier::init
