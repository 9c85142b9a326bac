// Invalid safetensors: always a DataError with a precise message.
#include <gtest/gtest.h>
#include <espalier/base/error.h>
#include <espalier/io/safetensors.h>

#include "io/folder.h"
#include "io/header.h"

namespace espalier::io {
namespace ESPALIER_FILE {

struct Broken {
  const char* header;
  const char* message;
};

const Broken headers[] = {
    {"", "the header is not a JSON object; it must begin with {"},
    {"[]", "the header is not a JSON object; it must begin with {"},
    {"{", "the header is not JSON: byte 2 of its 1"},
    {"{}x", "the header is not JSON: byte 3 of its 3"},
    {"{\"a\xff\":1}", "the header is not JSON: byte 4 of its 8"},
    {R"({"a":{"dtype":"F32","shape":[1e999],"data_offsets":[0,8]}})",
     "the header is not JSON: a number in it is too large"},
    {R"({"a":1})", "tensor 'a' is not a JSON object"},
    {R"({"a":[{}]})", "tensor 'a' is not a JSON object"},
    {R"({"a":{}})", "tensor 'a' has no field 'dtype'"},
    {R"({"a":{"dtype":"F32"}})", "tensor 'a' has no field 'shape'"},
    {R"({"a":{"dtype":"F32","shape":[]}})", "tensor 'a' has no field 'data_offsets'"},
    {R"({"a":{"dtype":"F32","dtype":"F32"}})", "tensor 'a': field 'dtype' is given twice"},
    {R"({"a":{"dtype":"Q4","shape":[2],"data_offsets":[0,8]}})",
     "tensor 'a': dtype is \"Q4\"; F32, F64, F16 or BF16 is needed"},
    {R"({"a":{"dtype":7,"shape":[2],"data_offsets":[0,8]}})",
     "tensor 'a': dtype is 7; F32, F64, F16 or BF16 is needed"},
    {R"({"a":{"dtype":"F32","shape":2,"data_offsets":[0,8]}})",
     "tensor 'a': shape is 2; a list of at most 6 sizes is needed"},
    {R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,2],"data_offsets":[0,8]}})",
     "tensor 'a': shape is [1,1,1,1,1,1,2]; a list of at most 6 sizes is needed"},
    {R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})",
     "tensor 'a': shape is [-2]; a size is a whole number from 0 to 2147483647"},
    {R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})",
     "tensor 'a': shape is [2.0]; a size is a whole number from 0 to 2147483647"},
    {R"({"a":{"dtype":"F32","shape":[2147483648],"data_offsets":[0,8]}})",
     "tensor 'a': shape is [2147483648]; a size is a whole number from 0 to 2147483647"},
    {R"({"a":{"dtype":"F32","shape":[2147483647,2147483647,4],"data_offsets":[0,8]}})",
     "tensor 'a': shape is [2147483647,2147483647,4]; at most 2^59 elements are allowed"},
    {R"({"a":{"dtype":"F32","shape":[65536,65536,65536,65536,0],"data_offsets":[0,0]}})",
     "tensor 'a': shape is [65536,65536,65536,65536,0]; at most 2^59 elements are allowed"},
    {R"({"a":{"dtype":"F32","shape":[[2]],"data_offsets":[0,8]}})",
     "tensor 'a': lists and objects are nested too deeply"},
    {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})",
     "tensor 'a': data_offsets is [0]; [begin, end] is needed"},
    {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})",
     "tensor 'a': data_offsets is [8,0]; [begin, end] is needed"},
    {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}})",
     "tensor 'a': data_offsets is [-8,0]; [begin, end] is needed"},
    {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})",
     "tensor 'a': data_offsets [0,8] hold 8 bytes; F32[3] needs 12"},
    {R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})",
     "tensor 'a': data_offsets [0,16] exceed the file's 8 bytes of data; it is truncated, or its header is wrong"},
    {R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[18446744073709551615,18446744073709551615]}})",
     "tensor 'a': data_offsets [18446744073709551615,18446744073709551615] exceed the file's 8 bytes of data; it is "
     "truncated, or its header is wrong"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
     "tensor 'a' begins at byte 4; it must begin at 0, where the one before it ends"},
    {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
     "tensor 'b' begins at byte 4; it must begin at 8, where the one before it ends"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "the file has 8 bytes of data; its tensors need 4"},
    {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
     "tensor 'a' is named twice"},
    {R"({"__metadata__":{"k":1}})", "__metadata__: 'k' is 1; it must be a string"},
    {R"({"__metadata__":{"k":"a","k":"b"}})", "__metadata__: field 'k' is given twice"},
    {R"({"__metadata__":"text"})", "__metadata__ is not a JSON object"},
    {R"({"__metadata__":{},"__metadata__":{}})", "__metadata__ is named twice"},
    {R"({"\u001b[31m\n":1})", "tensor '\\x1b[31m\\x0a' is not a JSON object"},
};

TEST(BrokenSafetensors, SayWhatIsWrong) {
  const Folder folder;
  for (const Broken& broken : headers) {
    put_bytes(folder / "f", file_of(broken.header, std::string(8, '\0')));
    EXPECT_EQ(message<DataError>([&] { File::read(folder / "f"); }), (folder / "f") + ": " + broken.message)
        << broken.header;
  }
}

TEST(BrokenSafetensors, LengthsThatLie) {
  const Folder folder;
  const std::string path = folder / "f";
  const auto said = [&](const std::string& bytes) {
    put_bytes(path, bytes);
    return message<DataError>([&] { File::read(path); });
  };
  EXPECT_EQ(said(""), path + ": has 0 bytes; a safetensors file begins with 8 bytes that give its header's length");
  EXPECT_EQ(said(raw<uint64_t>({UINT64_MAX}) + "{}"),
            path +
                ": its first 8 bytes give a header of 18446744073709551615 bytes, but 2 follow; it is truncated or not "
                "a safetensors file");
  EXPECT_EQ(said("GIF89a, or any text"),
            path +
                ": its first 8 bytes give a header of 2318334806574123335 bytes, but 11 follow; it is truncated or not "
                "a safetensors file");
  std::filesystem::resize_file(path, 0);
  put_bytes(path, raw<uint64_t>({100'000'001}));
  std::filesystem::resize_file(path, 200'000'000);  // sparse: takes no disk space
  EXPECT_EQ(message<DataError>([&] { File::read(path); }),
            path + ": its header has 100000001 bytes; at most 100000000 are allowed");
}

TEST(BrokenSafetensors, FilesThatAreNone) {
  const Folder folder;
  EXPECT_EQ(message<DataError>([&] { File::read(folder / "f"); }),
            (folder / "f") + ": cannot be opened: No such file or directory");
  EXPECT_EQ(message<DataError>([&] { File::read(folder / "."); }), (folder / ".") + ": is not a regular file");
}

TEST(BrokenSafetensors, NumbersThatAreNoFloat) {
  const Folder folder;
  const std::string path = folder / "f";
  put_bytes(path, file_of(R"({"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", raw<int64_t>({1})));
  EXPECT_EQ(message<DataError>([&] { File::read(path); }),
            path + ": tensor 'a': dtype is I64; F32, F64, F16 or BF16 is needed");
  put_bytes(path, file_of(R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})", raw<double>({1e300})));
  EXPECT_EQ(message<DataError>([&] { File::read(path); }),
            path + ": tensor 'a': holds 1e+300, which is beyond the range of float");
}

TEST(BrokenSafetensors, LongNamesAreShortened) {
  const std::string name(10'000, 'n');
  const std::string said =
      message<DataError>([&] { parse_header("{\"" + name + "\":[" + std::string(1000, '1') + "]}", 8, "f"); });
  EXPECT_EQ(said, "f: tensor '" + std::string(80, 'n') + "…' is not a JSON object");
}

TEST(BrokenSafetensors, DeepAndLongListsEndEarly) {
  for (const char* open : {"[", "{\"a\":"}) {
    std::string deep = "{\"a\":{\"shape\":";
    for (int i = 0; i < 1'000'000; ++i) deep += open;
    EXPECT_EQ(message<DataError>([&] { parse_header(deep, 8, "f"); }),
              "f: tensor 'a': lists and objects are nested too deeply");
  }
  std::string list = "{\"a\":{\"shape\":[";
  for (int i = 0; i < 1'000'000; ++i) list += "1,";
  EXPECT_EQ(message<DataError>([&] { parse_header(list, 8, "f"); }),
            "f: tensor 'a': a list of more than 64 numbers; a shape has at most 6");
}

File sample() {
  File file;
  file.tensors["words.weight"] = {{3, 2}, {1, 2, 3, 4, 5, 6}};
  file.tensors["b"] = {{2}, {7, 8}};
  file.meta["epoch"] = "3";
  return file;
}

TEST(BrokenSafetensors, CutAtEveryLength) {
  const Folder folder;
  sample().write(folder / "whole");
  const std::string bytes = bytes_of(folder / "whole");
  for (size_t length = 0; length < bytes.size(); ++length) {
    put_bytes(folder / "cut", bytes.substr(0, length));
    EXPECT_THROW(File::read(folder / "cut"), DataError) << length;
  }
  for (const char* more : {"x", "1234", "12345678"}) {
    put_bytes(folder / "longer", bytes + more);
    EXPECT_THROW(File::read(folder / "longer"), DataError) << more;
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::io
