// Bytes of small zip and gzip files.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <zlib.h>

namespace espalier::golden {

inline std::string gzipped(const std::string& text) {
  z_stream stream{};
  constexpr int with_gzip_header = 15 + 16;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, with_gzip_header, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("no zlib");
  std::string bytes(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

struct ZipMember {
  std::string path, text;
  uint32_t mode = 0100644;  // 0120777: a symbolic link to `text`
};

// Members are stored without compression.
inline std::string zipped(const std::vector<ZipMember>& members) {
  std::string file, directory;
  const auto number = [](std::string& to, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
  };
  for (const ZipMember& m : members) {
    std::string shared;  // by both headers
    number(shared, 20, 2);
    number(shared, 0, 8);  // flags, method, time
    number(shared, crc32(0, reinterpret_cast<const Bytef*>(m.text.data()), static_cast<uInt>(m.text.size())), 4);
    number(shared, m.text.size(), 4);
    number(shared, m.text.size(), 4);
    number(shared, m.path.size(), 2);
    number(shared, 0, 2);
    directory += "PK\x01\x02";
    number(directory, 3 << 8 | 20, 2);  // made on Unix
    directory += shared;
    number(directory, 0, 6);
    number(directory, uint64_t{m.mode} << 16, 4);
    number(directory, file.size(), 4);
    directory += m.path;
    file += "PK\x03\x04" + shared + m.path + m.text;
  }
  const size_t begin = file.size();
  file += directory + "PK\x05\x06";
  number(file, 0, 4);
  number(file, members.size(), 2);
  number(file, members.size(), 2);
  number(file, directory.size(), 4);
  number(file, begin, 4);
  number(file, 0, 2);
  return file;
}

}  // namespace espalier::golden
