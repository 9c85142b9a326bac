// Downloads data sets.
#pragma once
#include <string>
#include <vector>

#include "data/data_set.h"

namespace espalier::app {

struct GetOptions {
  std::string folder;       // to write to
  std::string search{};     // folder with data sets from which others are made; empty: all of data_folders()
  std::string from{};       // replaces the address: of the file, or of a folder if the set has several sources
  bool force = false;       // downloads files that are present, too, and replaces them
  bool unverified = false;  // accepts and records content whose checksum differs
  double timeout = 30;      // seconds without data before a connection is given up
  int retries = 4;          // further attempts after the first
  bool quiet = false;       // no progress
};

// Thrown when the user has asked for an end (interrupt.h).
struct Interrupted {};

// Completes the data set in the folder: all its files, or none. False: all files were there. Files that are present and
// have the right checksum are kept. DataError, with the address or the path: a download failed, the content is wrong, a
// file cannot be written. Error: the program was built without a library that is needed. Interrupted: the download can
// be continued.
bool get_data_set(const DataSet& set, const GetOptions& options);

// The libraries that get_data_set() needs, as `espalier --version` lists them: "curl; OpenSSL; no libarchive".
std::string get_libraries();

}  // namespace espalier::app
