#include "data/get/unpack.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <string_view>
#include <utility>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "data/get.h"
#include "data/get/sha256.h"
#include "interrupt.h"

namespace espalier::app {
namespace {

class Reader {
 public:
  // With `members`: an archive. Otherwise one file, compressed or not.
  Reader(const std::string& path, std::string name, bool members)
      : name_(std::move(name)), archive_(archive_read_new()) {
    archive_read_support_filter_gzip(archive_.get());
    archive_read_support_filter_bzip2(archive_.get());
    archive_read_support_filter_xz(archive_.get());
    if (members) {
      archive_read_support_format_zip(archive_.get());
      archive_read_support_format_tar(archive_.get());
    } else {
      archive_read_support_format_raw(archive_.get());
      archive_read_support_format_empty(archive_.get());
    }
    constexpr size_t block = 1 << 16;
    check(archive_read_open_filename(archive_.get(), path.c_str(), block), true);
  }

  // The next member; null: the end.
  archive_entry* next() {
    archive_entry* entry = nullptr;
    return check(archive_read_next_header(archive_.get(), &entry), true) ? entry : nullptr;
  }

  // Calls each(bytes) for the content of the current member.
  template <class Each>
  void read(Each each) {
    const void* bytes = nullptr;
    size_t size = 0;
    la_int64_t offset = 0, expected = 0;
    while (check(archive_read_data_block(archive_.get(), &bytes, &size, &offset), false)) {
      if (interrupt_asked()) throw Interrupted{};
      if (offset != expected) throw ContentError(fmt::format("{}: a member has holes", name_));
      each(std::string_view(static_cast<const char*>(bytes), size));
      expected = offset + static_cast<la_int64_t>(size);
    }
  }

 private:
  struct Free {
    void operator()(archive* a) const { archive_read_free(a); }
  };

  // False: the end. A warning about a header concerns its attributes, one about content a wrong checksum.
  bool check(int result, bool is_header) {
    if (result == ARCHIVE_EOF) return false;
    if (result == ARCHIVE_OK || (result == ARCHIVE_WARN && is_header)) return true;
    const char* reason = archive_error_string(archive_.get());
    throw ContentError(fmt::format("{}: cannot be unpacked: {}", name_, reason == nullptr ? "unknown error" : reason));
  }

  std::string name_;
  std::unique_ptr<archive, Free> archive_;
};

// Some servers answer a wrong address with a page instead of an error.
bool is_web_page(std::string_view begin) {
  const size_t at = std::min(begin.find_first_not_of(" \t\r\n"), begin.size());
  std::string word(begin.substr(at, 14));
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word.starts_with("<!doctype html") || word.starts_with("<html");
}

void write_file(const std::string& path, const std::string& name, Member& file) {
  Reader reader(path, name, false);
  Sha256 sum;
  bool is_first = true;
  if (reader.next() != nullptr)
    reader.read([&](std::string_view bytes) {
      if (std::exchange(is_first, false) && is_web_page(bytes))
        throw ContentError(name + ": the server sent a web page instead of the file");
      sum.add(bytes);
      file.to->write(bytes);
    });
  file.to->close();
  file.sum = sum.hex();
}

void write_members(const std::string& path, const std::string& name, std::vector<Member>& members) {
  Reader reader(path, name, true);
  while (archive_entry* entry = reader.next()) {
    const char* given = archive_entry_pathname(entry);
    const std::string_view stored = given == nullptr ? "" : given;
    const auto wanted = std::ranges::find_if(members, [&](const Member& m) {
      return m.sum.empty() && m.path == (stored.starts_with("./") ? stored.substr(2) : stored);
    });
    if (wanted == members.end()) continue;
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr)
      throw ContentError(fmt::format("{}: its member {} is not a regular file", name, wanted->path));
    Sha256 sum;
    reader.read([&](std::string_view bytes) {
      sum.add(bytes);
      wanted->to->write(bytes);
    });
    wanted->to->close();
    wanted->sum = sum.hex();
  }
  for (const Member& member : members)
    if (member.sum.empty()) throw ContentError(fmt::format("{}: has no member {}", name, member.path));
}

}  // namespace

void unpack(const std::string& path, const std::string& name, std::vector<Member>& members) {
  if (members.size() == 1 && members.front().path.empty())
    write_file(path, name, members.front());
  else
    write_members(path, name, members);
}

std::string content_sum(const std::string& path) {
  Reader reader(path, path, false);
  Sha256 sum;
  if (reader.next() != nullptr) reader.read([&](std::string_view bytes) { sum.add(bytes); });
  return sum.hex();
}

}  // namespace espalier::app
