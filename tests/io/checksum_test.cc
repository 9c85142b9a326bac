// Checksums: a file with a flipped bit is rejected, and the error names the location.
#include <cstring>

#include <gtest/gtest.h>
#include <espalier/base/error.h>
#include <espalier/io/checkpoint.h>
#include <espalier/io/safetensors.h>
#include <espalier/optim/optimizer.h>

#include "io/archive.h"
#include "io/folder.h"

namespace espalier::io {
namespace ESPALIER_FILE {

// A checkpoint of two parameters.
struct Saved {
  Folder folder;
  std::string path = folder / "c", bytes;
  size_t numbers = 0;  // offset of the tensor data
  Saved() {
    Parameters params;
    const Parameter a = Scope(params).add("a", {3}), b = Scope(params).add("b", {2, 2});
    save(path, {.params = &params, .meta = {{"labels", "yes no"}}});
    bytes = bytes_of(path);
    uint64_t header = 0;
    std::memcpy(&header, bytes.data(), sizeof header);
    numbers = sizeof header + header;
    EXPECT_EQ(bytes.size(), numbers + 7 * sizeof(float));
  }
  std::string said_of(const std::string& changed) const {
    put_bytes(path, changed);
    Parameters params;
    const Parameter a = Scope(params).add("a", {3}), b = Scope(params).add("b", {2, 2});
    const auto before = std::pair(a.value().to_vector(), b.value().to_vector());
    const std::string said = message<DataError>([&] { load(path, {&params}); });
    EXPECT_EQ(std::pair(a.value().to_vector(), b.value().to_vector()), before) << "a load that fails changes nothing";
    return said;
  }
};

TEST(Checksums, EveryChangedBitIsFound) {
  const Saved saved;
  for (size_t i = 0; i < saved.bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = saved.bytes;
      changed[i] = static_cast<char>(changed[i] ^ 1 << bit);
      const std::string said = saved.said_of(changed);
      const std::string where = i < saved.numbers ? "header" : i < saved.numbers + 12 ? "tensor 'a'" : "tensor 'b'";
      EXPECT_TRUE(said.starts_with(saved.path + ": ")) << i << " " << bit << ": " << said;
      EXPECT_NE(said.find(where), std::string::npos) << i << " " << bit << ": " << said;
    }
}

TEST(Checksums, FollowWhatIsWrittenAnew) {
  const Saved saved;
  File file = File::read(saved.path);
  EXPECT_EQ(file.meta, (Meta{{"espalier.parameters.seed", "0"}, {"labels", "yes no"}})) << "not the user's";
  file.tensors.at("a") = {{3}, {1, 2, 3}};
  file.meta["espalier.crc32.header"] = "not a checksum";
  file.write(saved.path);
  EXPECT_EQ(File::read(saved.path).tensors.at("a").to_vector(), (std::vector<float>{1, 2, 3}));
  EXPECT_TRUE(has_checksums(saved.path));
}

TEST(Checksums, FilesOfOtherProgramsHaveNone) {
  const Folder folder;
  const std::string path = folder / "f";
  put_bytes(path, file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", raw<float>({7})));
  EXPECT_FALSE(has_checksums(path));
  EXPECT_EQ(File::read(path).tensors.at("a").item(), 7);
}

// Another program may copy the metadata but write other data.
TEST(Checksums, ThatDoNotFitTheHeaderAreRefused) {
  const Folder folder;
  const std::string path = folder / "f";
  const auto said = [&](const std::string& meta) {
    put_bytes(path,
              file_of(R"({"__metadata__":{)" + meta + R"(},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                      raw<float>({7})));
    return message<DataError>([&] { File::read(path); });
  };
  EXPECT_EQ(said(R"("espalier.crc32.tensors":"00000000")"),
            path +
                ": its header has only one of the metadata 'espalier.crc32.header' and 'espalier.crc32.tensors'; the "
                "file is damaged");
  EXPECT_EQ(said(R"("espalier.crc32.header":"00000000","espalier.crc32.tensors":"00000000")"),
            path +
                ": the checksum of its header is wrong: the file is damaged, or another program has changed it and "
                "kept 'espalier.crc32.header' in the metadata");
}

TEST(Checksums, OfMembersOfPyTorchsArchives) {
  const Folder folder;
  const std::string path = folder / "f", whole = archive_of(sample_state_dict());
  put_bytes(path, whole);
  EXPECT_TRUE(has_checksums(path));
  EXPECT_EQ(File::read(path).tensors.at("a.weight").to_vector(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  for (const auto& [name, content] : sample_state_dict()) {
    if (name == "archive/version") continue;  // not read
    for (const size_t at : {size_t{0}, content.size() / 2, content.size() - 1}) {
      std::string changed = whole;
      char& byte = changed[whole.find(content) + at];
      byte = static_cast<char>(byte ^ 4);
      put_bytes(path, changed);
      const std::string said = message<DataError>([&] { File::read(path); });
      const std::string where = name == "archive/data/0"   ? "tensor 'a.weight': the checksum of its data is "
                                : name == "archive/data/1" ? "tensor 'b': the checksum of its data is "
                                                           : "the checksum of member '" + name + "' is wrong";
      EXPECT_TRUE(said.starts_with(path + ": " + where)) << said;
    }
  }
}

}  // namespace ESPALIER_FILE
}  // namespace espalier::io
