#include "io/header.h"

#include <algorithm>
#include <climits>
#include <set>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <espalier/base/error.h>

#include "io/checksum.h"

namespace espalier::io {
namespace {

using nlohmann::json;
constexpr const char* meta_key = "__metadata__";

// A JSON value for messages, shortened.
std::string shown(const json& value) {
  std::string text = value.dump(-1, ' ', true);
  if (text.size() > 60) text = text.substr(0, 57) + "…";
  return text;
}

// Builds a Header from the parser's events, one tensor at a time, without a JSON tree of the whole header: a hostile
// header costs little more memory than its length.
class Parser {
 public:
  Parser(uint64_t data_bytes, const std::string& path) : data_bytes_(data_bytes), path_(path) {}

  Header parse(std::string_view text) {
    if (text.empty() || text[0] != '{') fail("the header is not a JSON object; it must begin with {");
    try {
      const json rest = json::parse(
          text, [this](int depth, json::parse_event_t event, json& parsed) { return on(depth, event, parsed); });
    } catch (const json::parse_error& e) {
      fail(fmt::format("the header is not JSON: byte {} of its {}", e.byte, text.size()));
    } catch (const json::exception&) {
      fail("the header is not JSON: a number in it is too large");
    }
    check_offsets();
    return std::move(header_);
  }

 private:
  // JSON nesting depth 1 contains the names, depth 2 the fields of one tensor, depth 3 the numbers of a field.
  bool on(int depth, json::parse_event_t event, json& parsed) {
    using Event = json::parse_event_t;
    if (event == Event::key) {
      if (depth == 1) open(parsed.get_ref<const std::string&>());
      if (depth == 2 && !fields_.insert(parsed.get_ref<const std::string&>()).second)
        fail(who() + ": field " + quote(parsed.get_ref<const std::string&>()) + " is given twice");
      return true;
    }
    if (depth == 1 && event == Event::object_end) {
      if (in_meta_)
        take_meta(parsed);
      else
        take_tensor(parsed);
      return false;
    }
    const bool starts = event == Event::object_start || event == Event::array_start;
    if (depth == 1 && event != Event::object_start) fail(who() + " is not a JSON object");
    if (depth == 2 && event == Event::array_start) numbers_ = 0;
    if (depth == 3 && ++numbers_ > 64) fail(who() + ": a list of more than 64 numbers; a shape has at most 6");
    if (depth > 2 && starts) fail(who() + ": lists and objects are nested too deeply");
    return true;
  }

  void open(const std::string& name) {
    in_meta_ = name == meta_key;
    current_ = name;
    fields_.clear();
    if (!names_.insert(name).second) fail(who() + " is named twice");
  }

  void take_meta(const json& object) {
    for (const auto& [key, value] : object.items()) {
      if (!value.is_string()) fail(who() + ": " + quote(key) + " is " + shown(value) + "; it must be a string");
      header_.meta.emplace(key, value.get<std::string>());
    }
  }

  void take_tensor(const json& object) {
    Stored t;
    t.name = current_;
    const json& dtype = field(object, "dtype");
    t.dtype = dtype.is_string() ? find_dtype(dtype.get_ref<const std::string&>()) : nullptr;
    if (!t.dtype) fail(who() + ": dtype is " + shown(dtype) + "; F32, F64, F16 or BF16 is needed");
    t.shape = shape(field(object, "shape"));
    const json& offsets = field(object, "data_offsets");
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned() || offsets[0].get<uint64_t>() > offsets[1].get<uint64_t>())
      fail(who() + ": data_offsets is " + shown(offsets) + "; [begin, end] is needed");
    t.begin = offsets[0].get<uint64_t>();
    t.end = offsets[1].get<uint64_t>();
    check_bytes(t);
    header_.tensors.push_back(std::move(t));
  }

  const json& field(const json& object, const char* name) {
    const auto it = object.find(name);
    if (it == object.end()) fail(who() + " has no field '" + name + "'");
    return *it;
  }

  Shape shape(const json& list) {
    if (!list.is_array() || list.size() > Shape::max_rank)
      fail(who() + ": shape is " + shown(list) + "; a list of at most 6 sizes is needed");
    std::array<int, Shape::max_rank> sizes{};
    int rank = 0;
    int64_t product = 1;
    for (const json& size : list) {
      if (!size.is_number_unsigned() || size.get<uint64_t>() > INT_MAX)
        fail(who() + ": shape is " + shown(list) + "; a size is a whole number from 0 to " + std::to_string(INT_MAX));
      sizes[static_cast<size_t>(rank)] = size.get<int>();
      const int64_t counted = std::max(sizes[static_cast<size_t>(rank++)], 1);
      if (__builtin_mul_overflow(product, counted, &product) || product > int64_t{1} << 59)
        fail(who() + ": shape is " + shown(list) + "; at most 2^59 elements are allowed");
    }
    return Shape::of(sizes.data(), rank);
  }

  void check_bytes(const Stored& t) {
    const uint64_t given = t.end - t.begin, needed = static_cast<uint64_t>(t.shape.size()) * t.dtype->bytes;
    if (needed != given)
      fail(fmt::format("{}: data_offsets [{},{}] hold {} bytes; {}{} needs {}", who(), t.begin, t.end, given,
                       t.dtype->name, str(t.shape), needed));
    if (t.end > data_bytes_)
      fail(
          fmt::format("{}: data_offsets [{},{}] exceed the file's {} bytes of data; it is truncated, or "
                      "its header is wrong",
                      who(), t.begin, t.end, data_bytes_));
  }

  void check_offsets() {
    std::sort(header_.tensors.begin(), header_.tensors.end(),
              [](const Stored& a, const Stored& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
    uint64_t at = 0;
    for (const Stored& t : header_.tensors) {
      if (t.begin != at)
        fail(fmt::format("tensor {} begins at byte {}; it must begin at {}, where the one before it ends",
                         quote(t.name), t.begin, at));
      at = t.end;
    }
    if (at != data_bytes_) fail(fmt::format("the file has {} bytes of data; its tensors need {}", data_bytes_, at));
  }

  std::string who() const { return in_meta_ ? meta_key : "tensor " + quote(current_); }
  [[noreturn]] void fail(const std::string& what) const { throw DataError(path_ + ": " + what); }

  uint64_t data_bytes_;
  const std::string& path_;
  Header header_;
  std::set<std::string> names_, fields_;
  std::string current_;
  bool in_meta_ = false;
  int numbers_ = 0;
};

// A JSON string literal.
std::string literal(const std::string& text, const std::string& path) {
  try {
    return json(text).dump();
  } catch (const json::exception&) {
    throw DataError(path + ": " + quote(text) + " is not UTF-8; names and metadata must be UTF-8");
  }
}

}  // namespace

Header parse_header(std::string_view text, uint64_t data_bytes, const std::string& path) {
  return Parser(data_bytes, path).parse(text);
}

std::string format_header(std::span<const Piece> pieces, const std::map<std::string, std::string>& given,
                          const std::string& path) {
  std::map<std::string, std::string> meta = given;
  meta[header_crc_key] = std::string(crc_digits, '0');
  std::string& crcs = meta[tensors_crc_key];
  crcs.clear();
  for (const Piece& piece : pieces)
    crcs += crc_text(crc32_of(piece.data, static_cast<size_t>(piece.shape.size()) * sizeof(float)));
  std::string text = "{";
  const auto begin = [&](const std::string& key) {
    if (text.size() > 1) text += ",";
    text += literal(key, path) + ":";
  };
  begin(meta_key);
  for (char separator = '{'; const auto& [key, value] : meta) {
    text += separator + literal(key, path) + ":" + literal(value, path);
    separator = ',';
  }
  text += "}";
  std::set<std::string_view> names{meta_key};
  uint64_t at = 0;
  for (const Piece& piece : pieces) {
    if (!names.insert(piece.name).second) throw DataError(path + ": tensor " + quote(piece.name) + " is given twice");
    begin(piece.name);
    const uint64_t end = at + static_cast<uint64_t>(piece.shape.size()) * sizeof(float);
    text += fmt::format(R"({{"dtype":"F32","shape":{},"data_offsets":[{},{}]}})", str(piece.shape), at, end);
    at = end;
  }
  text += "}";
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > max_header_bytes)
    throw DataError(fmt::format("{}: names and metadata need {} bytes; at most {} are allowed", path, text.size(),
                                max_header_bytes));
  sign_header(text);
  return text;
}

}  // namespace espalier::io
