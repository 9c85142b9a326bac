// Files of torch.save, built by hand: valid ones are read, and broken ones are rejected with a precise message. Nothing
// in a pickle is ever executed.
#include <gtest/gtest.h>
#include <espalier/base/error.h>
#include <espalier/io/safetensors.h>

#include "io/archive.h"
#include "io/folder.h"

namespace espalier::io {
namespace ESPALIER_FILE {

File read(const std::string& bytes) {
  FileInMemory file;
  file.put(bytes);
  return File::read(file.path());
}

// The error message for these bytes, without the path.
std::string said(const std::string& bytes) {
  FileInMemory file;
  file.put(bytes);
  const std::string what = message<DataError>([&] { File::read(file.path()); });
  return what.starts_with(file.path() + ": ") ? what.substr(file.path().size() + 2) : what;
}

TEST(TorchFile, IsRead) {
  for (const bool wide : {false, true}) {
    const File file = read(archive_of(sample_state_dict(), wide));
    ASSERT_EQ(file.tensors.size(), 3u);
    EXPECT_EQ(file.tensors.at("a.weight").shape(), (Shape{2, 3}));
    EXPECT_EQ(file.tensors.at("a.weight").to_vector(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(file.tensors.at("turned").shape(), (Shape{3, 2}));
    EXPECT_EQ(file.tensors.at("turned").to_vector(), (std::vector<float>{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(file.tensors.at("b").item(), -2);
    EXPECT_TRUE(file.meta.empty());
  }
}

// A safetensors header of 67,324,752 bytes has the same first bytes as a zip archive.
TEST(TorchFile, ItsFirstBytesAreNotTakenForThoseOfSafetensors) {
  const std::string first = "PK\3\4" + std::string(4, '\0');
  EXPECT_EQ(
      said(first + "{}"),
      "its first 8 bytes give a header of 67324752 bytes, but 2 follow; it is truncated or not a safetensors file");
  EXPECT_EQ(said(first + "x"), "is a zip archive without a directory at its end; it is truncated");
}

TEST(TorchFile, CutOrLongerIsRefused) {
  const std::string whole = archive_of(sample_state_dict());
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(said(whole.substr(0, length)), "nothing was thrown") << length;
  EXPECT_EQ(said(whole.substr(0, whole.size() - 1)),
            "is a zip archive without a directory at its end; it is truncated");
  EXPECT_EQ(said(whole + "x"), "is a zip archive without a directory at its end; it is truncated");
}

TEST(TorchFile, MembersMustBeThere) {
  Members members = sample_state_dict();
  members[0].first = "archive/data.txt";
  EXPECT_EQ(said(archive_of(members)), "is a zip archive without a data.pkl; torch.save writes one");
  members = sample_state_dict();
  members[2].first = "archive/data/7";
  EXPECT_EQ(said(archive_of(members)), "tensor 'a.weight': its storage '0' is not in the file");
  members = sample_state_dict();
  members[2].second += "1234";
  EXPECT_EQ(said(archive_of(members)), "tensor 'a.weight': its storage has 28 bytes; 6 elements of F32 need 4 each");
  members = sample_state_dict();
  members[1].second = "big";
  EXPECT_EQ(said(archive_of(members)), "its data is big-endian; save it on a little-endian machine");
  members = sample_state_dict();
  members[4].first = "archive/data/1";
  EXPECT_EQ(said(archive_of(members)), "a member of its zip archive is named twice");
}

// Changes every byte of the zip records, one at a time: the result is an error or the same tensors.
TEST(TorchFile, RecordsThatLie) {
  const std::string whole = archive_of(sample_state_dict());
  const File valid = read(whole);
  size_t refused = 0;
  for (const char* mark : {"PK\3\4", "PK\1\2", "PK\6\6", "PK\6\7", "PK\5\6"})
    for (size_t at = whole.find(mark); at != std::string::npos; at = whole.find(mark, at + 1))
      for (size_t i = at; i < std::min(at + 56, whole.size()); ++i)
        for (const char value : {'\0', '\1', '\x7f', '\xff'}) {
          std::string bytes = whole;
          bytes[i] = value;
          if (said(bytes) != "nothing was thrown")
            ++refused;
          else
            EXPECT_EQ(read(bytes).tensors.size(), valid.tensors.size());
        }
  EXPECT_GT(refused, 500u);
}

std::string said_of_pickle(const std::string& pickle) {
  Members members = sample_state_dict();
  members[0].second = pickle;
  return said(archive_of(members));
}
std::string said_of_tensor(const std::string& value) { return said_of_pickle(dict({{"a", value}})); }

TEST(TorchFile, PicklesAreNotRun) {
  EXPECT_EQ(said_of_pickle("\x80\2cos\nsystem\n" + text("true") + "\x85R."),
            "byte 2 of its pickle: refers to 'os.system', which no state_dict needs");
  EXPECT_EQ(said_of_pickle("\x80\2cbuiltins\neval\n)R."),
            "byte 2 of its pickle: refers to 'builtins.eval', which no state_dict needs");
  EXPECT_EQ(said_of_pickle("\x80\2" + text("os") + text("system") + "\x93."),
            "byte 20 of its pickle: opcode 0x93 is not supported");
  EXPECT_EQ(
      said_of_pickle("\x80\2ctorch\nFloatStorage\n)R."),
      "holds the result of 'torch.FloatStorage'; a dict of tensors is needed: torch.save(model.state_dict(), path)");
}

TEST(TorchFile, PicklesThatAreBroken) {
  EXPECT_EQ(said_of_pickle(""), "byte 0 of its pickle: 1 bytes are needed, 0 follow");
  EXPECT_EQ(said_of_pickle("\x80\2"), "byte 2 of its pickle: 1 bytes are needed, 0 follow");
  EXPECT_EQ(said_of_pickle("\x80\4"), "byte 0 of its pickle: protocol 4; 2 is needed, the default of torch.save");
  EXPECT_EQ(said_of_pickle("X\xff\xff\xff\xff"), "byte 0 of its pickle: 4294967295 bytes are needed, 0 follow");
  EXPECT_EQ(said_of_pickle("."), "byte 0 of its pickle: its stack is empty");
  EXPECT_EQ(said_of_pickle("}(."), "byte 2 of its pickle: its stack is empty");
  EXPECT_EQ(said_of_pickle("t"), "byte 0 of its pickle: its stack has no mark");
  EXPECT_EQ(said_of_pickle("N(\x85"), "byte 2 of its pickle: its stack is empty");
  EXPECT_EQ(said_of_pickle("h\5"), "byte 0 of its pickle: reads memo entry 5, which is not set");
  EXPECT_EQ(said_of_pickle("NNs"), "byte 2 of its pickle: its stack is empty");
  EXPECT_EQ(said_of_pickle("NNNs"), "byte 3 of its pickle: adds to None");
  EXPECT_EQ(said_of_pickle("}(Nu"), "byte 3 of its pickle: adds a key without a value to a dict");
  EXPECT_EQ(said_of_pickle("]}b"), "byte 2 of its pickle: sets attributes of a list");
  EXPECT_EQ(said_of_pickle("NNR"), "byte 2 of its pickle: calls None; a function is needed");
  EXPECT_EQ(said_of_pickle("ccollections\nOrderedDict\nNR"),
            "byte 26 of its pickle: calls a function with None; a tuple is needed");
  EXPECT_EQ(said_of_pickle("ccollections\nOrderedDict\nN\x85R"),
            "byte 27 of its pickle: makes an OrderedDict with arguments; none are supported");
  EXPECT_EQ(said_of_pickle("\x8a\x09"
                           "123456789."),
            "byte 0 of its pickle: an integer of more than 8 bytes is not supported");
  EXPECT_EQ(said_of_pickle("cos"), "byte 0 of its pickle: a name is not terminated");
  // A dict that contains itself, and tuples nested a million deep.
  EXPECT_EQ(said_of_pickle("}q\1" + text("a") + "h\1s."),
            "tensor 'a' is a dict; a tensor is needed: torch.save(model.state_dict(), path)");
  EXPECT_EQ(said_of_pickle("N" + std::string(1'000'000, '\x85') + "."),
            "holds a tuple; a dict of tensors is needed: torch.save(model.state_dict(), path)");
}

TEST(TorchFile, TensorsMustLieInTheirStorage) {
  const std::string numbers = storage("0", 6), one = tuple({1}), two = tuple({2});
  const auto outside = [](const char* shape) {
    return std::string("tensor 'a': ") + shape + " exceeds its storage of 6 elements";
  };
  EXPECT_EQ(said_of_tensor(tensor(numbers, 5, two, one)), outside("[2]"));
  EXPECT_EQ(said_of_tensor(tensor(numbers, 6, one, one)), outside("[1]"));
  EXPECT_EQ(said_of_tensor(tensor(numbers, INT32_MAX, one, one)), outside("[1]"));
  EXPECT_EQ(said_of_tensor(tensor(numbers, 0, tuple({2, 2}), tuple({4, 2}))), outside("[2,2]"));
  EXPECT_EQ(said_of_tensor(tensor(numbers, 0, tuple({2, 3}), tuple({INT32_MAX, INT32_MAX}))), outside("[2,3]"));
  const std::string large = "\x8a\x08" + raw<int64_t>({INT64_MAX});
  EXPECT_EQ(said_of_tensor(tensor(numbers, 1, two, "(" + large + "t")), outside("[2]"));
  const std::string more =
      "tensor 'a': it has more elements than its storage, which has 6; save a copy made by clone()";
  EXPECT_EQ(said_of_tensor(tensor(numbers, 0, tuple({1'000'000'000}), tuple({0}))), more);
  EXPECT_EQ(said_of_tensor(tensor(numbers, 0, "(" + large + large + large + "t", tuple({0, 0, 0}))), more);
  EXPECT_EQ(said_of_tensor(tensor(numbers, 0, "(" + large + integer(0) + "t", tuple({0, 0}))), more);
  EXPECT_EQ(said_of_tensor(tensor(numbers, -1, one, one)),
            "tensor 'a': its storage offset is the number -1; a number of at least 0 is needed");
  EXPECT_EQ(said_of_tensor(tensor(numbers, 0, tuple({-2}), one)),
            "tensor 'a': its shape is the number -2; a number of at least 0 is needed");
  EXPECT_EQ(said_of_tensor(tensor(numbers, 0, two, "N")), "tensor 'a': its strides is None; a tuple is needed");
  EXPECT_EQ(said_of_tensor(tensor(numbers, 0, two, tuple({}))),
            "tensor 'a': 1 sizes and 0 strides; the counts must be equal and at most 6");
  const std::string seven = tuple({1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(said_of_tensor(tensor(numbers, 0, seven, seven)),
            "tensor 'a': 7 sizes and 7 strides; the counts must be equal and at most 6");
  EXPECT_EQ(said_of_tensor(tensor("N", 0, one, one)),
            "tensor 'a': its data is invalid (None); a torch storage is needed");
  EXPECT_EQ(said_of_tensor(tensor("NQ", 0, one, one)),
            "tensor 'a': its data is invalid (a storage); a torch storage is needed");
  EXPECT_EQ(said_of_tensor(tensor(storage("0", 5), 0, one, one)),
            "tensor 'a': its storage has 24 bytes; 5 elements of F32 need 4 each");
  EXPECT_EQ(said_of_tensor(tensor(storage("0", 3, "ComplexFloatStorage"), 0, one, one)),
            "tensor 'a': its storage type 'torch.ComplexFloatStorage' is not supported");
  EXPECT_EQ(said_of_tensor(tensor(storage("0", 3, "LongStorage"), 0, one, one)),
            "tensor 'a': dtype is I64; F32, F64, F16 or BF16 is needed");
  EXPECT_EQ(said_of_tensor("ctorch._utils\n_rebuild_tensor_v2\n)R"), "tensor 'a': 0 arguments are given; 4 are needed");
  EXPECT_EQ(said_of_pickle(dict({{"a", tensor(numbers, 0, two, one)}, {"a", tensor(numbers, 0, two, one)}})),
            "tensor 'a' is named twice");
}

// A small file must not require much memory: one storage under very many names.
TEST(TorchFile, SharingHasALimit) {
  Members members = sample_state_dict();
  const std::string shown = tensor(storage("0", 250'000), 0, tuple({250'000}), tuple({1}));
  std::vector<std::pair<std::string, std::string>> items{{"a", shown + "q\1"}};
  members[2].second = std::string(1'000'000, '\0');
  for (int i = 0; i < 10; ++i) items.emplace_back("b" + std::to_string(i), "h\1");
  members[0].second = dict(items);
  EXPECT_EQ(read(archive_of(members)).tensors.size(), 11u);
  for (int i = 10; i < 100; ++i) items.emplace_back("b" + std::to_string(i), "h\1");
  members[0].second = dict(items);
  const std::string bytes = archive_of(members);
  EXPECT_EQ(said(bytes), "its tensors have more than 64 times the file's " + std::to_string(bytes.size()) + " bytes");
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::io
