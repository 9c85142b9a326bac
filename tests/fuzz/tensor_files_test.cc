// Fuzzes tensor files: safetensors, and the files of torch.save.
#include <gtest/gtest.h>
#include <espalier/io/safetensors.h>

#include "io/archive.h"
#include "io/folder.h"
#include "support/fuzz_reader.h"

namespace espalier::test {
namespace ESPALIER_FILE {

void read_tensors(const std::string& bytes) {
  static io::FileInMemory file;
  file.put(bytes);
  for (const auto& [name, tensor] : io::File::read(file.path()).tensors)
    ASSERT_EQ(tensor.size(), static_cast<size_t>(tensor.shape().size()));
}

const Strings json_pieces{"{",         "}",        "[",
                          "]",         "\"",       ",",
                          ":",         "-1",       "0",
                          "1e9",       "\"F64\"",  "\"BF16\"",
                          "\"shape\"", "\\u0000",  "18446744073709551616",
                          "null",      "\"a\":{}", "__metadata__",
                          "\xc3\xa9",  "\xff"};

Reader safetensors() {
  return {{io::file_of(R"({"__metadata__":{"epoch":"3"},"w":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]},)"
                       R"("b":{"dtype":"F32","shape":[],"data_offsets":[24,28]}})",
                       std::string(28, '\1')),
           io::file_of(R"({"d":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                       R"("h":{"dtype":"F16","shape":[2,1],"data_offsets":[8,12]},)"
                       R"("z":{"dtype":"BF16","shape":[0],"data_offsets":[12,12]}})",
                       std::string(12, '\1'))},
          json_pieces,
          read_tensors};
}
TEST(FuzzTensorFiles, Safetensors) { fuzz(safetensors()); }

// The same with a correct length field, so that the header is parsed.
TEST(FuzzTensorFiles, SafetensorsHeader) {
  Reader reader = safetensors();
  for (std::string& valid : reader.valid) valid.erase(0, 8);
  reader.read = [](const std::string& bytes) {
    uint64_t length = bytes.rfind('}');
    length = length == std::string::npos ? 0 : length + 1;
    read_tensors(std::string(reinterpret_cast<const char*>(&length), sizeof length) + bytes);
  };
  fuzz(reader);
}

TEST(FuzzTensorFiles, Archive) {
  fuzz({{io::archive_of(io::sample_state_dict(), true), io::archive_of(io::sample_state_dict(), false)},
        {"PK\3\4", "PK\1\2", "PK\5\6", "PK\6\6", "PK\6\7", "archive/data/0", "archive/", "\xff\xff\xff\xff",
         std::string(8, '\0')},
        read_tensors});
}

TEST(FuzzTensorFiles, Pickle) {
  const auto wrap = [](const std::string& bytes) {
    io::Members members = io::sample_state_dict();
    members[0].second = bytes;
    return io::archive_of(members);
  };
  Strings pieces{"r\1\2\3\4",
                 "j\1\2\3\4",
                 "\x8a\1\xff",
                 "G12345678",
                 "h\1",
                 "q\1",
                 "ccollections\nOrderedDict\n",
                 "ctorch\nDoubleStorage\n",
                 "ctorch._utils\n_rebuild_parameter\n",
                 "cos\nsystem\n"};
  for (const char code : std::string_view("N()]}tRQsub.\x85\x86\x87")) pieces.emplace_back(1, code);
  pieces.push_back(io::text("archive"));
  pieces.push_back(io::storage("1", 2, "HalfStorage"));
  pieces.push_back(io::tensor(io::storage("0", 6), 0, io::tuple({6}), io::tuple({1})));
  const std::string numbers = io::storage("0", 6) + "q\5";
  fuzz({{io::sample_state_dict()[0].second,
         io::dict({{"a", io::tensor(numbers, 1, io::tuple({2, 1, 2}), io::tuple({2, 7, 1}))},
                   {"p", "ctorch._utils\n_rebuild_parameter\n" + io::tensor("h\5", 0, io::tuple({3}), io::tuple({2})) +
                             "\x88N\x87R"}})},
        pieces,
        [wrap](const std::string& bytes) { read_tensors(wrap(bytes)); }});
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::test
