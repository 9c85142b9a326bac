#include "io/checksum.h"

#include <algorithm>
#include <vector>

#include <fmt/core.h>
#include <zlib.h>

namespace espalier::io {
namespace {

const std::string zeros(crc_digits, '0');

// The position of the digits of the header's checksum; npos if it has none. No other metadata can contain this text,
// because quotes inside JSON strings are escaped.
size_t find_digits(std::string_view header) {
  const std::string before = "\"" + header_crc_key + "\":\"";
  const size_t at = header.find(before);
  return at == std::string_view::npos || header.size() - at - before.size() < crc_digits ? std::string_view::npos
                                                                                         : at + before.size();
}

uint32_t crc_with_zeros(std::string_view header, size_t digits) {
  const std::string_view rest = header.substr(digits + crc_digits);
  return crc32_of(rest.data(), rest.size(), crc32_of(zeros.data(), crc_digits, crc32_of(header.data(), digits)));
}

}  // namespace

uint32_t crc32_of(const void* data, size_t bytes, uint32_t before) {
  // zlib resets the checksum if it is given a null pointer.
  return bytes == 0 ? before : static_cast<uint32_t>(::crc32_z(before, static_cast<const Bytef*>(data), bytes));
}

uint32_t crc32_of(const InputFile& file, uint64_t begin, uint64_t end) {
  constexpr uint64_t at_once = 1 << 20;
  std::vector<char> part(std::min(end - begin, at_once));
  uint32_t crc = 0;
  for (uint64_t n; begin < end; begin += n) {
    n = std::min(end - begin, at_once);
    file.read(part.data(), n, begin);
    crc = crc32_of(part.data(), n, crc);
  }
  return crc;
}

std::string crc_text(uint32_t crc) { return fmt::format("{:08x}", crc); }

void sign_header(std::string& header) {
  if (const size_t at = find_digits(header); at != std::string::npos)
    header.replace(at, crc_digits, crc_text(crc_with_zeros(header, at)));
}

HeaderCheck check_header(std::string_view header) {
  const size_t at = find_digits(header);
  if (at == std::string_view::npos) return HeaderCheck::absent;
  return header.substr(at, crc_digits) == crc_text(crc_with_zeros(header, at)) ? HeaderCheck::right
                                                                               : HeaderCheck::wrong;
}

}  // namespace espalier::io
