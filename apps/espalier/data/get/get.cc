#include "data/get.h"

#include <cctype>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <espalier/base/error.h>

#include "data/draft.h"
#include "data/folders.h"
#include "data/get/download.h"
#include "data/get/sums.h"
#include "data/get/unpack.h"
#include "printable.h"
#include "say.h"

namespace espalier::app {
namespace {

namespace fs = std::filesystem;

// A file on its way: the draft is renamed to the file when all files of the set are verified.
struct Arrival {
  const DataFile* file;
  std::optional<Draft> draft{};
  std::string sum{};
};

class SetDownload {
 public:
  SetDownload(const DataSet& set, const GetOptions& options)
      : set_(set), options_(options), folder_(options.folder), sums_(options.folder) {}
  SetDownload(const SetDownload&) = delete;
  SetDownload& operator=(const SetDownload&) = delete;

  ~SetDownload() {
    parts_.clear();
    std::error_code not_empty;
    fs::remove(in_folder("downloads"), not_empty);
  }

  bool run() {
    for (const DataFile& file : set_.files)
      if (file.is_published() && !is_present(file)) arrivals_.push_back({&file});
    if (arrivals_.empty()) return false;
    try {
      for (const Source& source : set_.sources) receive(source);
      for (Arrival& arrival : arrivals_)
        if (!arrival.file->made_from.empty()) make(arrival);
      for (const Arrival& arrival : arrivals_) verify(arrival);
    } catch (const ContentError&) {
      remove_parts();
      throw;
    }
    for (Arrival& arrival : arrivals_) {
      arrival.draft->install();
      sums_.set(arrival.file->path, arrival.sum);
    }
    sums_.write();
    remove_parts();
    return true;
  }

 private:
  std::string in_folder(const std::string& path) const { return (fs::path(folder_) / path).string(); }

  // The required checksum: what was recorded here, else what was measured; empty: none.
  std::string expected(const DataFile& file) const {
    const std::string recorded = sums_.find(file.path);
    return recorded.empty() && !file.may_differ ? file.sha256 : recorded;
  }

  // DataError: the file is present with other content.
  bool is_present(const DataFile& file) const {
    const auto found = find_in(folder_, file.path);
    if (!found || options_.force) return false;
    const std::string needed = expected(file), sum = content_sum(*found);
    if (needed.empty()) {
      if (sum != file.sha256 && !options_.quiet) say("{}: is present; its checksum is unknown", printable(*found));
      return true;
    }
    if (sum != needed)
      throw DataError(
          fmt::format("{}: has the SHA-256 checksum {}; needed {}; --force replaces it", *found, sum, needed));
    return true;
  }

  // Downloads a source and unpacks its files.
  void receive(const Source& source) {
    std::vector<Arrival*> wanted;
    for (Arrival& arrival : arrivals_)
      if (arrival.file->source == source.name) wanted.push_back(&arrival);
    if (wanted.empty()) return;
    const Address address = address_of(source);
    const std::string path = in_folder(fmt::format("downloads/{}-{}.part", set_.name, source.name));
    Part& part = *parts_.emplace_back(std::make_unique<Part>(path, address.url));
    if (!options_.quiet)
      say("{}: {} {}", set_.name, part.size() > 0 ? "continuing" : "downloading", printable(address.url));
    download(address, part, options_);

    std::vector<Member> members;
    std::deque<Draft> raw;  // to be converted
    for (Arrival* arrival : wanted) {
      const bool converts = arrival->file->convert != nullptr;
      if (converts) raw.emplace_back(in_folder(arrival->file->path + ".raw"));
      arrival->draft.emplace(in_folder(arrival->file->path));
      members.push_back({arrival->file->member, converts ? &raw.back() : &*arrival->draft});
    }
    unpack(path, address.url, members);
    for (size_t i = 0; i < wanted.size(); ++i) {
      wanted[i]->sum = members[i].sum;
      if (wanted[i]->file->convert != nullptr) convert(*wanted[i], members[i].to->path());
    }
  }

  void make(Arrival& arrival) {
    const std::string& from = arrival.file->made_from;
    auto path = find_in(folder_, from);
    if (!path) path = find_data(options_.search, from);
    if (!path) {
      GetOptions options = options_;
      options.force = false;
      get_data_set(*data_set_of(from), options);
      path = find_in(folder_, from);
    }
    arrival.draft.emplace(in_folder(arrival.file->path));
    convert(arrival, *path);
  }

  static void convert(Arrival& arrival, const std::string& path) {
    try {
      text::Lines lines(path);
      arrival.file->convert(lines, *arrival.draft);
    } catch (const DataError& e) {
      throw ContentError(e.what());
    }
    arrival.draft->close();
    arrival.sum = content_sum(arrival.draft->path());
  }

  void verify(const Arrival& arrival) const {
    const std::string needed = expected(*arrival.file);
    if (needed.empty() && !arrival.file->sha256.empty() && arrival.sum != arrival.file->sha256 && !options_.quiet)
      say("{}: differs from the file that the figures in docs/results.md were measured on", arrival.file->path);
    if (needed.empty() || needed == arrival.sum || options_.unverified) return;
    throw ContentError(fmt::format(
        "{}: the download has the SHA-256 checksum {}; needed {} ({}); nothing was kept; --unverified accepts it",
        arrival.file->path, arrival.sum, needed,
        sums_.find(arrival.file->path).empty() ? "measured on a copy" : "recorded in SHA256SUMS"));
  }

  Address address_of(const Source& source) const {
    if (options_.from.empty()) return {source.url};
    std::string address = options_.from;
    if (set_.sources.size() > 1) address += (address.ends_with('/') ? "" : "/") + source.name;
    if (address.find("://") != std::string::npos) return {address, true};
    std::error_code unknown;
    const std::string path = fs::absolute(address, unknown).string();
    if (fs::is_directory(path, unknown))
      throw DataError(fmt::format("--from is the folder {}; must be a file", address));
    std::string url = "file://";
    for (const char c : path) {
      const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                            std::string_view("/._-").find(c) != std::string_view::npos;
      url += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return {url, true};
  }

  void remove_parts() {
    for (const auto& part : parts_) part->remove();
  }

  const DataSet& set_;
  const GetOptions& options_;
  std::string folder_;
  Sums sums_;
  std::deque<Arrival> arrivals_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace

bool get_data_set(const DataSet& set, const GetOptions& options) { return SetDownload(set, options).run(); }

}  // namespace espalier::app
