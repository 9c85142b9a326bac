// Stands in for data/get/ in builds without curl, OpenSSL or libarchive.
#include <fmt/format.h>
#include <espalier/base/error.h>

#include "data/get.h"

namespace espalier::app {

bool get_data_set(const DataSet& set, const GetOptions&) {
  throw Error(
      fmt::format("this program was built without {}, which 'data get' needs; download {} from {} yourself "
                  "(docs/data.md)",
                  ESPALIER_MISSING_LIBRARIES, set.name, set.page));
}

}  // namespace espalier::app
