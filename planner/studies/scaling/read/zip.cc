#include "planner/studies/scaling/read/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include "dsl/raw_text.h"

namespace planner::scaling {
namespace {

constexpr size_t kMostBytes = size_t{512} << 20;  // of one member, unpacked
constexpr size_t kEndRecord = 22, kEntry = 46, kLocalHeader = 30;
constexpr std::string_view kEndMark("PK\5\6"), kEntryMark("PK\1\2"), kLocalMark("PK\3\4");
constexpr size_t kStored = 0, kDeflated = 8;

// A little-endian number of `bytes` bytes; the caller has checked that they are there.
size_t number(std::string_view text, size_t at, size_t bytes) {
  size_t value = 0;
  for (size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[at + i]);
  return value;
}

bool has_mark(std::string_view text, size_t at, std::string_view mark, size_t length) {
  return at <= text.size() && text.size() - at >= length && text.substr(at).starts_with(mark);
}

dsl::Span whole(const dsl::Source& archive) { return {&archive, 1, 1, 0}; }

std::optional<ZipMember> entry_at(std::string_view text, size_t at) {
  if (!has_mark(text, at, kEntryMark, kEntry)) return std::nullopt;
  ZipMember member;
  member.flags = static_cast<unsigned>(number(text, at + 8, 2));
  member.method = static_cast<unsigned>(number(text, at + 10, 2));
  member.checksum = static_cast<unsigned>(number(text, at + 16, 4));
  member.packed = number(text, at + 20, 4);
  member.size = number(text, at + 24, 4);
  const size_t name = number(text, at + 28, 2);
  member.at = number(text, at + 42, 4);
  if (text.size() - at - kEntry < name) return std::nullopt;
  member.name = text.substr(at + kEntry, name);
  return member;
}

bool inflate_all(std::string_view packed, std::string& out) {
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;  // negative: no header of zlib
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = inflate(&stream, Z_FINISH);
  const bool whole = status == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return whole;
}

}  // namespace

std::optional<std::vector<ZipMember>> zip_members(const dsl::Source& archive, dsl::Diagnostics& diagnostics) {
  const std::string_view text = archive.text;
  const size_t end = text.rfind(kEndMark);
  if (!text.starts_with("PK") || end == std::string_view::npos || text.size() - end < kEndRecord) {
    diagnostics.error(whole(archive), text.starts_with("PK") ? "the ZIP archive is cut off" : "not a ZIP archive",
                      "an Extra-P experiment is a ZIP archive with a member experiment.json");
    return std::nullopt;
  }
  std::vector<ZipMember> members;
  size_t at = number(text, end + 16, 4);
  for (size_t left = number(text, end + 10, 2); left > 0; --left) {
    const std::optional<ZipMember> member = entry_at(text, at);
    if (!member) {
      diagnostics.error(whole(archive), "the directory of the ZIP archive is damaged");
      return std::nullopt;
    }
    members.push_back(*member);
    at += kEntry + number(text, at + 28, 2) + number(text, at + 30, 2) + number(text, at + 32, 2);
  }
  return members;
}

std::optional<std::string> unzip(const dsl::Source& archive, const ZipMember& member, dsl::Diagnostics& diagnostics) {
  const std::string_view text = archive.text;
  const auto refuse = [&](const std::string& why) {
    diagnostics.error(whole(archive), fmt::format("member '{}': {}", dsl::shortened(member.name), why));
    return std::nullopt;
  };
  if (member.flags & 1) return refuse("encrypted");
  if (member.method != kStored && member.method != kDeflated)
    return refuse(fmt::format("packed by method {}, expected deflate", member.method));
  if (member.size > kMostBytes) return refuse(fmt::format("larger than {} MiB", kMostBytes >> 20));
  if (!has_mark(text, member.at, kLocalMark, kLocalHeader)) return refuse("damaged");
  const size_t begin = member.at + kLocalHeader + number(text, member.at + 26, 2) + number(text, member.at + 28, 2);
  if (begin > text.size() || text.size() - begin < member.packed) return refuse("cut off");
  const std::string_view packed = text.substr(begin, member.packed);
  if (member.method == kStored && packed.size() != member.size) return refuse("damaged");
  // Deflate packs to a thousandth at best: what claims more is no member, and not worth the memory.
  if (member.method == kDeflated && member.size > packed.size() * 1100 + 64) return refuse("damaged");
  std::string out = member.method == kStored ? std::string(packed) : std::string(member.size, '\0');
  if (member.method == kDeflated && !inflate_all(packed, out)) return refuse("damaged");
  if (crc32(0, reinterpret_cast<const Bytef*>(out.data()), static_cast<uInt>(out.size())) != member.checksum)
    return refuse("damaged (its checksum differs)");
  return out;
}

}  // namespace planner::scaling
