#include "io/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <new>

#include <fmt/core.h>
#include <espalier/base/error.h>

namespace espalier::io {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

namespace {

// The file descriptor of a constructor that may throw.
struct Guard {
  int fd;
  ~Guard() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

Reader::Reader(const std::string& path) : path_(path) {
  Guard guard{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (guard.fd < 0) throw DataError(path + ": cannot be opened: " + std::strerror(errno));
  struct stat status{};
  if (::fstat(guard.fd, &status) != 0 || !S_ISREG(status.st_mode)) throw DataError(path + ": is not a plain file");
  fd_ = guard.fd;
  const uint64_t size = static_cast<uint64_t>(status.st_size);
  uint64_t length = 0;
  if (size < sizeof length)
    throw DataError(fmt::format(
        "{}: has {} bytes; a safetensors file begins with 8 bytes that give its header's length", path, size));
  fill(reinterpret_cast<char*>(&length), sizeof length, 0);
  if (length > size - sizeof length)
    throw DataError(
        fmt::format("{}: its header has {} bytes by its first 8 bytes, but {} follow; it was cut off, or is no "
                    "safetensors file",
                    path, length, size - sizeof length));
  if (length > max_header_bytes)
    throw DataError(fmt::format("{}: its header has {} bytes; {} are the most", path, length, max_header_bytes));
  std::string text(length, '\0');
  fill(text.data(), length, sizeof length);
  data_at_ = sizeof length + length;
  header_ = parse_header(text, size - data_at_, path);
  guard.fd = -1;
}

Reader::~Reader() { ::close(fd_); }

void Reader::fill(char* to, uint64_t bytes, uint64_t at) const {
  while (bytes > 0) {
    const ssize_t n = ::pread(fd_, to, bytes, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw DataError(path_ + ": cannot be read: " + std::strerror(errno));
    if (n == 0) throw DataError(fmt::format("{}: ended at byte {} while it was read", path_, at));
    to += n;
    at += static_cast<uint64_t>(n);
    bytes -= static_cast<uint64_t>(n);
  }
}

template <class T, class Convert>
void Reader::convert(std::vector<float>& to, const Stored& tensor, Convert to_float) const {
  constexpr size_t most = 8192;
  std::vector<T> part(std::min(to.size(), most));
  for (size_t at = 0; at < to.size(); at += most) {
    const size_t n = std::min(most, to.size() - at);
    fill(reinterpret_cast<char*>(part.data()), n * sizeof(T), data_at_ + tensor.begin + at * sizeof(T));
    std::transform(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(n),
                   to.begin() + static_cast<std::ptrdiff_t>(at), to_float);
  }
}

std::vector<float> Reader::read(const Stored& tensor) const {
  const std::string who = path_ + ": tensor " + quote(tensor.name);
  const std::string_view dtype = tensor.dtype->name;
  if (!tensor.dtype->readable)
    throw DataError(fmt::format("{}: dtype is {}; F32, F64, F16 or BF16 is needed", who, dtype));
  try {
    std::vector<float> values(static_cast<size_t>(tensor.shape.size()));
    if (dtype == "F32") {
      fill(reinterpret_cast<char*>(values.data()), tensor.end - tensor.begin, data_at_ + tensor.begin);
    } else if (dtype == "F16") {
      convert<uint16_t>(values, tensor, from_f16);
    } else if (dtype == "BF16") {
      convert<uint16_t>(values, tensor, from_bf16);
    } else {
      convert<double>(values, tensor, [&](double value) {
        const float result = static_cast<float>(value);
        if (std::isinf(result) && !std::isinf(value))
          throw DataError(fmt::format("{}: holds {}, which is beyond the range of float", who, value));
        return result;
      });
    }
    return values;
  } catch (const std::bad_alloc&) {
    throw DataError(fmt::format("{}: {}{} does not fit into memory", who, dtype, str(tensor.shape)));
  }
}

}  // namespace espalier::io
