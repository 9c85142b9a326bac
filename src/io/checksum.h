// Checksums of a safetensors file: CRC-32 in two metadata strings, so the file stays readable by other programs.
//   "espalier.crc32.header"   of the header, computed with zeros in place of these 8 digits
//   "espalier.crc32.tensors"  of each tensor, 8 digits each, in the order of their bytes in the file
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "io/input_file.h"

namespace espalier::io {

inline const std::string header_crc_key = "espalier.crc32.header", tensors_crc_key = "espalier.crc32.tensors";
inline constexpr size_t crc_digits = 8;  // hexadecimal, lower case

uint32_t crc32_of(const void* data, size_t bytes, uint32_t before = 0);
uint32_t crc32_of(const InputFile& file, uint64_t begin, uint64_t end);
std::string crc_text(uint32_t crc);

// Writes the header's checksum over the zeros that format_header put in its place.
void sign_header(std::string& header);

enum class HeaderCheck { absent, right, wrong };
HeaderCheck check_header(std::string_view header);

}  // namespace espalier::io
