// Paths of fields in JSON records: "atoms", "properties.logp".
#pragma once
#include <string>
#include <vector>

#include <espalier/json.h>

namespace espalier::app {

// The value at a path of nested objects; null if a field is missing.
const json::Json* at_path(const json::Json& record, const std::string& path);

// Removes a field from a schema, so that a model derived from it does not read the field. An object that has no other
// field is removed with it.
void erase_path(json::Json& schema, const std::string& path);

// The paths of all fields of a schema that are not inside arrays.
std::vector<std::string> paths_of(const json::Json& schema);

}  // namespace espalier::app
