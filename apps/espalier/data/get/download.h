// Downloads one file with libcurl.
#pragma once
#include <string>

#include "data/get.h"
#include "data/get/part.h"

namespace espalier::app {

struct Address {
  std::string url;
  bool may_be_local = false;  // file:// is allowed
};

// Completes `part` from the address: continues it if the server still has the same version, else starts again. A broken
// connection, a stall, and the HTTP statuses 408, 429 and 5xx are retried. DataError, with the address: the download
// failed. Interrupted: the user has asked for an end; the part stays.
void download(const Address& address, Part& part, const GetOptions& options);

}  // namespace espalier::app
