#include "io/reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <new>

#include <fmt/core.h>
#include <espalier/base/error.h>

#include "io/checksum.h"
#include "io/torch/state_dict.h"

namespace espalier::io {

static_assert(std::endian::native == std::endian::little, "tensor files are little-endian");

namespace {

// Whether torch.save wrote the file. A zip archive begins with the header of a member, whose ninth byte is part of the
// compression method; the ninth byte of a safetensors file is a brace.
bool is_archive(const InputFile& file) {
  char first[9] = {};
  if (file.size() < sizeof first) return false;
  file.read(first, sizeof first, 0);
  if (std::memcmp(first, "\x80\2\x8a\n", 4) == 0 && first[8] != '{')
    file.fail("was written by PyTorch before 1.6 or without zip; load it in PyTorch and save it again");
  return std::memcmp(first, "PK\3\4", 4) == 0 && first[8] != '{';
}

// Copies a strided tensor to row-major order; `numbers` holds the elements from its first to its last.
std::vector<float> lay_out(const std::vector<float>& numbers, const Stored& tensor) {
  std::vector<float> values(static_cast<size_t>(tensor.shape.size()));
  std::array<uint64_t, Shape::max_rank> index{};
  size_t from = 0;
  for (float& value : values) {
    value = numbers[from];
    for (size_t d = tensor.strides.size(); d-- > 0;) {
      from += tensor.strides[d];
      if (++index[d] < static_cast<uint64_t>(tensor.shape[static_cast<int>(d)])) break;
      from -= tensor.strides[d] * index[d];
      index[d] = 0;
    }
  }
  return values;
}

}  // namespace

Reader::Reader(const std::string& path) : file_(path) {
  if (is_archive(file_)) {
    header_ = torch::read_state_dict(file_);
    has_checksums_ = true;  // every member of a zip archive has one
  } else {
    read_safetensors();
  }
}

void Reader::read_safetensors() {
  uint64_t length = 0;
  if (file_.size() < sizeof length)
    file_.fail(fmt::format("has {} bytes; a safetensors file begins with 8 bytes that give its header's length",
                           file_.size()));
  file_.read(&length, sizeof length, 0);
  const uint64_t rest = file_.size() - sizeof length;
  if (length > rest)
    file_.fail(
        fmt::format("its first 8 bytes give a header of {} bytes, but {} follow; it is truncated or not a "
                    "safetensors file",
                    length, rest));
  if (length > max_header_bytes)
    file_.fail(fmt::format("its header has {} bytes; at most {} are allowed", length, max_header_bytes));
  std::string text(length, '\0');
  file_.read(text.data(), length, sizeof length);
  const HeaderCheck check = check_header(text);
  if (check == HeaderCheck::wrong)
    file_.fail("the checksum of its header is wrong: the file is damaged, or another program has changed it and kept " +
               quote(header_crc_key) + " in the metadata");
  header_ = parse_header(text, rest - length, path());
  for (Stored& tensor : header_.tensors) {
    tensor.begin += sizeof length + length;
    tensor.end += sizeof length + length;
  }
  if ((check == HeaderCheck::right) != header_.meta.contains(tensors_crc_key))
    file_.fail("its header has only one of the metadata " + quote(header_crc_key) + " and " + quote(tensors_crc_key) +
               "; the file is damaged");
  if (check == HeaderCheck::right) take_checksums();
}

// Moves the checksums from the metadata to the tensors, which the header lists in file order.
void Reader::take_checksums() {
  const std::string digits = header_.meta.extract(tensors_crc_key).mapped();
  header_.meta.erase(header_crc_key);
  if (digits.size() != header_.tensors.size() * crc_digits)
    file_.fail(fmt::format("its header has {} digits of checksums; {} tensors need {} each", digits.size(),
                           header_.tensors.size(), crc_digits));
  for (size_t i = 0; i < header_.tensors.size(); ++i) {
    Stored& tensor = header_.tensors[i];
    const char *first = digits.data() + i * crc_digits, *last = first + crc_digits;
    uint32_t crc = 0;
    if (const auto [end, error] = std::from_chars(first, last, crc, 16); error != std::errc{} || end != last)
      file_.fail("its header: the checksum of tensor " + quote(tensor.name) + " is " + quote({first, crc_digits}) +
                 "; hexadecimal digits are needed");
    tensor.checksum = {tensor.begin, tensor.end, crc};
  }
  has_checksums_ = true;
}

void Reader::verify(const Stored& tensor) const {
  if (!tensor.checksum || tensor.begin == tensor.end) return;
  const auto [begin, end, crc] = *tensor.checksum;
  if (verified_.contains({begin, end})) return;
  if (const uint32_t found = crc32_of(file_, begin, end); found != crc)
    file_.fail(fmt::format("tensor {}: the checksum of its data is {}, but the file says {}; the file is damaged",
                           quote(tensor.name), crc_text(found), crc_text(crc)));
  verified_.emplace(begin, end);
}

template <class T, class Convert>
void Reader::convert(std::vector<float>& to, uint64_t at, Convert to_float) const {
  constexpr size_t most = 8192;
  std::vector<T> part(std::min(to.size(), most));
  for (size_t done = 0; done < to.size(); done += most) {
    const size_t n = std::min(most, to.size() - done);
    file_.read(part.data(), n * sizeof(T), at + done * sizeof(T));
    std::transform(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(n),
                   to.begin() + static_cast<std::ptrdiff_t>(done), to_float);
  }
}

std::vector<float> Reader::read(const Stored& tensor) const {
  const std::string who = "tensor " + quote(tensor.name);
  const std::string_view dtype = tensor.dtype->name;
  if (!tensor.dtype->readable) file_.fail(fmt::format("{}: dtype is {}; F32, F64, F16 or BF16 is needed", who, dtype));
  verify(tensor);
  try {
    std::vector<float> values((tensor.end - tensor.begin) / tensor.dtype->bytes);
    if (dtype == "F32") {
      file_.read(values.data(), tensor.end - tensor.begin, tensor.begin);
    } else if (dtype == "F16") {
      convert<uint16_t>(values, tensor.begin, from_f16);
    } else if (dtype == "BF16") {
      convert<uint16_t>(values, tensor.begin, from_bf16);
    } else {
      convert<double>(values, tensor.begin, [&](double value) {
        const float result = static_cast<float>(value);
        if (std::isinf(result) && !std::isinf(value))
          file_.fail(fmt::format("{}: holds {}, which is beyond the range of float", who, value));
        return result;
      });
    }
    return tensor.strides.empty() ? values : lay_out(values, tensor);
  } catch (const std::bad_alloc&) {
    file_.fail(fmt::format("{}: {}{} does not fit into memory", who, dtype, str(tensor.shape)));
  }
}

}  // namespace espalier::io
