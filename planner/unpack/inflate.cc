#include "planner/unpack/inflate.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace planner::unpack {

struct Inflater::Stream {
  // zlib: negative bits for bare data, 16 more for the header of gzip.
  explicit Stream(Packing packing)
      : open(inflateInit2(&z, packing == Packing::gzip ? MAX_WBITS + 16 : -MAX_WBITS) == Z_OK) {}
  ~Stream() {
    if (open) inflateEnd(&z);
  }
  Stream(const Stream&) = delete;

  bool at_end() const { return status == Z_STREAM_END && z.avail_in == 0 && rest.empty(); }
  /// zlib counts in 32 bits: a large piece is handed over in parts.
  void feed(const Supply& packed) {
    if (z.avail_in > 0) return;
    if (rest.empty()) rest = packed();
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    z.avail_in = static_cast<uInt>(std::min<size_t>(rest.size(), std::numeric_limits<uInt>::max()));
    rest.remove_prefix(z.avail_in);
  }

  z_stream z = {};
  std::string_view rest;  // of a piece
  bool open;
  int status = Z_OK;
};

Inflater::Inflater(Packing packing, Supply packed)
    : stream_(std::make_unique<Stream>(packing)), packing_(packing), packed_(std::move(packed)) {
  if (!stream_->open) wrong_ = "no memory to unpack it";
}

Inflater::~Inflater() = default;

size_t Inflater::fail(const char* wrong) {
  wrong_ = wrong;
  return 0;
}

size_t Inflater::read(char* to, size_t most) {
  if (*wrong_) return 0;
  Stream& s = *stream_;
  const auto room = static_cast<uInt>(std::min<size_t>(most, std::numeric_limits<uInt>::max()));
  for (;;) {
    s.feed(packed_);
    if (s.at_end()) return 0;
    if (s.status == Z_STREAM_END && packing_ == Packing::bare) return fail("it is damaged");
    if (s.status == Z_STREAM_END) inflateReset(&s.z);  // another member follows
    s.z.next_out = reinterpret_cast<Bytef*>(to);
    s.z.avail_out = room;
    s.status = inflate(&s.z, Z_NO_FLUSH);
    if (s.status == Z_BUF_ERROR) return fail("it is cut off");
    if (s.status != Z_OK && s.status != Z_STREAM_END) return fail("it is damaged");
    if (s.z.avail_out < room) return room - s.z.avail_out;
  }
}

Inflated inflated(std::string_view packed, Packing packing, size_t most) {
  Inflater inflater(packing, [&] { return std::exchange(packed, {}); });
  Inflated out;
  std::array<char, 1 << 16> part{};
  while (const size_t got = inflater.read(part.data(), part.size())) {
    out.text.append(part.data(), got);
    if (out.text.size() > most) return out.wrong = fmt::format("unpacked it is larger than {} bytes", most), out;
  }
  out.wrong = inflater.wrong();
  return out;
}

uint32_t checksum_of(std::string_view text) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

}  // namespace planner::unpack
