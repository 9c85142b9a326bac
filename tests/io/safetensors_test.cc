// Valid safetensors: bits are preserved, other data types are converted, writing is atomic.
#include <espalier/io/safetensors.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <csignal>
#include <limits>

#include <gtest/gtest.h>
#include <espalier/base/error.h>

#include "io/dtype.h"
#include "io/folder.h"

namespace espalier::io {
namespace ESPALIER_FILE {

namespace fs = std::filesystem;

File sample() {
  File file;
  file.tensors["out.weight"] = {{2, 3}, {1, -2, 0.1f, 1e-40f, -0.f, std::numeric_limits<float>::infinity()}};
  file.tensors["scalar"] = {{}, {std::bit_cast<float>(0x7fc12345u)}};  // a NaN with a payload
  file.tensors["empty"] = {{0, 7}, {}};
  file.tensors["größe \"\\\n/x"] = {{1, 1, 1, 1, 1, 2}, {3, 4}};
  file.meta = {{"epoch", "3"}, {"vocabulary", "[\"a\", \"ß\"]"}, {"", "empty"}};
  return file;
}

void expect_same_bits(const File& a, const File& b) {
  EXPECT_EQ(a.meta, b.meta);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (const auto& [name, tensor] : a.tensors) {
    ASSERT_TRUE(b.tensors.contains(name)) << name;
    const Tensor& other = b.tensors.at(name);
    EXPECT_EQ(tensor.shape(), other.shape()) << name;
    ASSERT_EQ(tensor.size(), other.size()) << name;
    for (size_t i = 0; i < tensor.size(); ++i)
      EXPECT_EQ(std::bit_cast<uint32_t>(tensor[i]), std::bit_cast<uint32_t>(other[i])) << name;
  }
}

TEST(Safetensors, EveryBitComesBack) {
  const Folder folder;
  const File file = sample();
  file.write(folder / "a.safetensors");
  expect_same_bits(file, File::read(folder / "a.safetensors"));
  EXPECT_EQ(folder.files(), 1u);
  File().write(folder / "a.safetensors");
  expect_same_bits(File(), File::read(folder / "a.safetensors"));
}

TEST(Safetensors, TheBytesAreThoseOfTheFormat) {
  const Folder folder;
  File file;
  file.tensors["a"] = {{2}, {1, 2}};
  file.tensors["b"] = {{}, {3}};
  file.meta["k"] = "v";
  file.write(folder / "a");
  std::string header = R"({"__metadata__":{"espalier.crc32.header":"00000000",)"
                       R"("espalier.crc32.tensors":"2e3fa576a7e1d189","k":"v"},)"
                       R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                       R"("b":{"dtype":"F32","shape":[],"data_offsets":[8,12]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  header.replace(header.find("00000000"), 8, "e8b44bd2");
  EXPECT_EQ(bytes_of(folder / "a"), file_of(header, raw<float>({1, 2, 3})));
}

// Checks the format with a program that shares no code with the library.
TEST(Safetensors, PythonReadsThem) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
  const Folder folder;
  sample().write(folder / "a");
  const std::string command = "python3 '" ESPALIER_SOURCE_DIR "/tests/io/read_safetensors.py' '" + (folder / "a") +
                              "' > '" + (folder / "out") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << bytes_of(folder / "out");
  EXPECT_EQ(bytes_of(folder / "out"),
            "meta '' 'empty'\n"
            "meta 'epoch' '3'\n"
            "meta 'vocabulary' '[\"a\", \"ß\"]'\n"
            "'empty' [0, 7] \n"
            "'größe \"\\\\\\n/x' [1, 1, 1, 1, 1, 2] 00004040 00008040\n"
            "'out.weight' [2, 3] 0000803f 000000c0 cdcccc3d c2160100 00000080 0000807f\n"
            "'scalar' [] 4523c17f\n");
}

TEST(Safetensors, TensorsMayLieInAnyOrderAndFieldsToo) {
  const Folder folder;
  put_bytes(folder / "a", file_of(R"({"b" : {"shape":[1],"data_offsets":[4,8],"more":null,"dtype":"F32"},)"
                                  R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})"
                                  "\n ",
                                  raw<float>({1, 2})));
  const File file = File::read(folder / "a");
  EXPECT_EQ(file.tensors.at("a").item(), 1);
  EXPECT_EQ(file.tensors.at("b").item(), 2);
}

TEST(Safetensors, OtherNumbersBecomeFloat) {
  const Folder folder;
  put_bytes(folder / "a", file_of(R"({"d":{"dtype":"F64","shape":[3],"data_offsets":[0,24]},)"
                                  R"("h":{"dtype":"F16","shape":[2],"data_offsets":[24,28]},)"
                                  R"("b":{"dtype":"BF16","shape":[2],"data_offsets":[28,32]}})",
                                  raw<double>({0.1, -1e-300, std::numeric_limits<double>::infinity()}) +
                                      raw<uint16_t>({0x3c00, 0xc000}) + raw<uint16_t>({0x3f80, 0xc040})));
  const File file = File::read(folder / "a");
  EXPECT_EQ(file.tensors.at("d").to_vector(), (std::vector<float>{0.1f, -0.f, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(file.tensors.at("h").to_vector(), (std::vector<float>{1, -2}));
  EXPECT_EQ(file.tensors.at("b").to_vector(), (std::vector<float>{1, -3}));
}

TEST(Safetensors, LongTensorsAreConvertedInParts) {
  const Folder folder;
  std::string numbers;
  for (int i = 0; i < 20'000; ++i) numbers += raw<double>({i / 4.});
  put_bytes(folder / "a", file_of(R"({"d":{"dtype":"F64","shape":[20000],"data_offsets":[0,160000]}})", numbers));
  const std::vector<float> read = File::read(folder / "a").tensors.at("d").to_vector();
  ASSERT_EQ(read.size(), 20'000u);
  for (size_t i = 0; i < read.size(); ++i) ASSERT_EQ(read[i], float(i) / 4);
}

TEST(Safetensors, EveryHalfIsExact) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float got = from_f16(static_cast<uint16_t>(bits));
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const double fraction = bits & 1023, sign = bits & 0x8000 ? -1 : 1;
    EXPECT_EQ(std::signbit(got), sign < 0);
    if (exponent == 31) {
      EXPECT_EQ(std::isnan(got), fraction != 0);
      EXPECT_EQ(std::isinf(got), fraction == 0);
    } else {
      const double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
      EXPECT_EQ(static_cast<double>(got), sign * value);
    }
  }
}

TEST(SafetensorsWriting, NeedsNamesInUtf8) {
  const Folder folder;
  File file;
  file.tensors["a\xff"] = {{}, {1}};
  EXPECT_EQ(message<DataError>([&] { file.write(folder / "f"); }),
            (folder / "f") + ": 'a\\xff' is not UTF-8; names and metadata must be UTF-8");
  file = {};
  file.meta["a"] = "\x80";
  EXPECT_EQ(message<DataError>([&] { file.write(folder / "f"); }),
            (folder / "f") + ": '\\x80' is not UTF-8; names and metadata must be UTF-8");
  file = {};
  file.tensors["__metadata__"] = {{}, {1}};
  EXPECT_EQ(message<DataError>([&] { file.write(folder / "f"); }),
            (folder / "f") + ": tensor '__metadata__' is given twice");
  EXPECT_EQ(folder.files(), 0u);
}

TEST(SafetensorsWriting, SaysWhyItCannot) {
  const Folder folder;
  EXPECT_EQ(message<DataError>([&] { sample().write(folder / "no/such/folder"); }),
            (folder / "no/such/folder") + ": cannot be created: No such file or directory");
  fs::create_directory(folder / "sub");
  EXPECT_EQ(message<DataError>([&] { sample().write(folder / "sub"); }),
            (folder / "sub") + ": is not a regular file; it is not overwritten");
  EXPECT_EQ(message<DataError>([&] { sample().write("/dev/null"); }),
            "/dev/null: is not a regular file; it is not overwritten");
  EXPECT_EQ(folder.files(), 1u);
}

// A file size limit simulates a full disk at a chosen byte.
TEST(SafetensorsWriting, AFullDiskLeavesTheOldFile) {
  const Folder folder;
  sample().write(folder / "a");
  const std::string before = bytes_of(folder / "a");
  File large;
  large.tensors["large"] = {{10'000}, std::vector<float>(10'000, 1)};
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t limit : {0u, 5u, 8u, 100u, 4096u, 40'000u}) {
    const rlimit less{limit, old.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &less), 0);
    const std::string said = message<DataError>([&] { large.write(folder / "a"); });
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
    EXPECT_EQ(said, (folder / "a") + ": cannot be written: File too large");
    EXPECT_EQ(bytes_of(folder / "a"), before);
    EXPECT_EQ(folder.files(), 1u);
  }
  std::signal(SIGXFSZ, handler);
  large.write(folder / "a");
  EXPECT_EQ(File::read(folder / "a").tensors.size(), 1u);
}

// SIGXFSZ, the signal of the limit, would kill the process by default; it must become an error that leaves no files
// behind.
TEST(SafetensorsWriting, TheSignalOfAFileSizeLimitDoesNotEndTheProcess) {
  const Folder folder;
  sample().write(folder / "a");
  const std::string before = bytes_of(folder / "a");
  File large;
  large.tensors["large"] = {{10'000}, std::vector<float>(10'000, 1)};
  for (const rlim_t limit : {0u, 8u, 100u, 4096u, 40'000u}) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_DFL);
      const rlimit none{0, 0}, less{limit, limit};
      ::setrlimit(RLIMIT_CORE, &none);
      ::setrlimit(RLIMIT_FSIZE, &less);
      const std::string said = message<DataError>([&] { large.write(folder / "a"); });
      sigset_t pending, blocked;
      sigpending(&pending);
      pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
      ::_exit(said != (folder / "a") + ": cannot be written: File too large" ? 1
              : sigismember(&pending, SIGXFSZ) != 0                          ? 2
              : sigismember(&blocked, SIGXFSZ) != 0                          ? 3
                                                                             : 0);
    }
    ASSERT_GT(child, 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(bytes_of(folder / "a"), before);
    EXPECT_EQ(folder.files(), 1u);
  }
}

TEST(SafetensorsWriting, KeepsLinksAndPermissionsAndOthersDrafts) {
  const Folder folder;
  put_bytes(folder / "real", "old");
  ASSERT_EQ(::chmod((folder / "real").c_str(), 0640), 0);
  fs::create_symlink("real", folder / "link");
  // Left by a killed process with the same process id.
  put_bytes((folder / "real") + ".tmp" + std::to_string(::getpid()) + "-0", "draft");
  sample().write(folder / "link");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  expect_same_bits(sample(), File::read(folder / "real"));
  EXPECT_EQ(fs::status(folder / "real").permissions(), static_cast<fs::perms>(0640));
  EXPECT_EQ(folder.files(), 3u);
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::io
