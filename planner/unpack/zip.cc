#include "planner/unpack/zip.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/raw_text.h"
#include "planner/unpack/inflate.h"

namespace planner::unpack {
namespace {

constexpr size_t kMostBytes = size_t{512} << 20;  // of one member, unpacked
constexpr size_t kEndRecord = 22, kEntry = 46, kLocalHeader = 30, kLocator = 20, kEndRecord64 = 56;
constexpr std::string_view kEndMark("PK\5\6"), kEntryMark("PK\1\2"), kLocalMark("PK\3\4");
constexpr std::string_view kLocatorMark("PK\6\7"), kEndMark64("PK\6\6");
constexpr size_t kStored = 0, kDeflated = 8;
constexpr size_t kIn64 = 0xFFFFFFFF, kField64 = 1;  // "see the extra field", and that field's number

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

// ZIP64 keeps numbers of four bytes or more in an extra field: those that are `kIn64`, in the order of the header.
bool read_wide(std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const size_t kind = number(extra, 0, 2), length = std::min(number(extra, 2, 2), extra.size() - 4);
    std::string_view field = extra.substr(4, length);
    for (size_t* wide : {&member.size, &member.packed, &member.at}) {
      if (kind != kField64 || *wide != kIn64) continue;
      if (field.size() < 8) return false;
      *wide = number(field, 0, 8);
      field.remove_prefix(8);
    }
    extra.remove_prefix(4 + length);
  }
  return true;
}

std::optional<ZipMember> entry_at(std::string_view text, size_t at) {
  if (!has_mark(text, at, kEntryMark, kEntry)) return std::nullopt;
  ZipMember member;
  member.flags = static_cast<unsigned>(number(text, at + 8, 2));
  member.method = static_cast<unsigned>(number(text, at + 10, 2));
  member.checksum = static_cast<unsigned>(number(text, at + 16, 4));
  member.packed = number(text, at + 20, 4);
  member.size = number(text, at + 24, 4);
  const size_t name = number(text, at + 28, 2), extra = number(text, at + 30, 2);
  member.at = number(text, at + 42, 4);
  if (text.size() - at - kEntry < name + extra) return std::nullopt;
  member.name = text.substr(at + kEntry, name);
  if (!read_wide(text.substr(at + kEntry + name, extra), member)) return std::nullopt;
  return member;
}

/// Where the directory begins, and its entries.
struct Directory {
  size_t at, entries;
};

// Large archives, or those of many members, say so in a record of 64-bit numbers that a locator points to.
std::optional<Directory> directory_of(std::string_view text, size_t end) {
  if (end < kLocator || !has_mark(text, end - kLocator, kLocatorMark, kLocator))
    return Directory{number(text, end + 16, 4), number(text, end + 10, 2)};
  const size_t record = number(text, end - kLocator + 8, 8);
  if (!has_mark(text, record, kEndMark64, kEndRecord64)) return std::nullopt;
  return Directory{number(text, record + 48, 8), number(text, record + 32, 8)};
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
  const std::optional<Directory> directory = directory_of(text, end);
  std::vector<ZipMember> members;
  size_t at = directory ? directory->at : 0;
  for (size_t left = directory ? directory->entries : 1; left > 0; --left) {
    const std::optional<ZipMember> member = directory ? entry_at(text, at) : std::nullopt;
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
  Inflated out{std::string(member.method == kStored ? packed : ""), ""};
  if (member.method == kDeflated) out = inflated(packed, Packing::bare, member.size);
  if (!out.wrong.empty() || out.text.size() != member.size) return refuse("damaged");
  if (checksum_of(out.text) != member.checksum) return refuse("damaged (its checksum differs)");
  return std::move(out.text);
}

}  // namespace planner::unpack
