// DataSet: a published data set that `espalier data get` downloads. The table is in data_sets.cc.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/text/lines.h>

#include "data/draft.h"

namespace espalier::app {

// A file of a publisher: a data file, possibly compressed, or an archive.
struct Source {
  std::string name;    // file name; also below the folder given with --from
  std::string url;     // http or https
  bool tried = false;  // whether a download from this address has been tested
};

// Writes the lines of a downloaded file in the format that the tasks read.
using Convert = void (*)(text::Lines& from, Draft& to);

// A file of the data folder.
struct DataFile {
  std::string path;           // relative to the data folder. The file may also be compressed, with .gz appended
  std::string source{};       // name of its Source; empty: not published as a file, or made from another file
  std::string member{};       // path inside the archive; empty: the source is the file itself
  std::string made_from{};    // path of the data file that it is made from; empty: downloaded
  Convert convert = nullptr;  // null: copied
  std::string sha256{};       // of the decompressed file, measured on a copy; empty: recorded at the first download
  bool may_differ = false;    // another checksum is only a message: a newer release, or a file that is made here
  std::string instead{};      // path of a file that the tasks read in its place; empty: none
  bool is_published() const { return !source.empty() || !made_from.empty(); }
};

struct DataSet {
  std::string name;
  std::string what;
  std::string licence;
  std::string page;                  // web page with the terms of use
  uint64_t download_bytes = 0;       // 0: unknown
  std::vector<std::string> tasks{};  // that read it; see `espalier tasks`
  std::vector<Source> sources{};
  std::vector<DataFile> files{};
  std::string note{};  // what is still needed after the download, or where the data deviates

  const Source& source(const std::string& name) const;
};

const std::vector<DataSet>& data_sets();         // in display order
const DataSet& data_set(std::string_view name);  // Error: unknown name, with a suggestion
// The data set with this file, or with files in this folder; null: none. A final .gz is ignored.
const DataSet* data_set_of(std::string_view path);

}  // namespace espalier::app
