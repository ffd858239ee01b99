#include "planner/unpack/inflate.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

namespace planner::unpack {
namespace {

/// Ends its stream whatever happens.
struct Stream {
  // zlib: negative bits for bare data, 16 more for the header of gzip.
  explicit Stream(Packing packing)
      : open(inflateInit2(&z, packing == Packing::gzip ? MAX_WBITS + 16 : -MAX_WBITS) == Z_OK) {}
  ~Stream() {
    if (open) inflateEnd(&z);
  }
  Stream(const Stream&) = delete;

  /// zlib counts in 32 bits: a large input is handed over in pieces.
  void feed(std::string_view& rest) {
    if (z.avail_in > 0 || rest.empty()) return;
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    z.avail_in = static_cast<uInt>(std::min<size_t>(rest.size(), std::numeric_limits<uInt>::max()));
    rest.remove_prefix(z.avail_in);
  }

  z_stream z = {};
  bool open;
};

}  // namespace

Inflated inflated(std::string_view packed, Packing packing, size_t most) {
  Stream stream(packing);
  if (!stream.open) return {"", "no memory to unpack it"};
  Inflated out;
  std::array<char, 1 << 16> part{};
  for (int status = Z_OK; status != Z_STREAM_END || stream.z.avail_in > 0 || !packed.empty();) {
    stream.feed(packed);
    if (status == Z_STREAM_END && packing == Packing::bare) return out.wrong = "it is damaged", out;
    if (status == Z_STREAM_END) inflateReset(&stream.z);  // another member follows
    stream.z.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.z.avail_out = part.size();
    status = inflate(&stream.z, Z_NO_FLUSH);
    out.text.append(part.data(), part.size() - stream.z.avail_out);
    if (out.text.size() > most) return out.wrong = fmt::format("unpacked it is larger than {} bytes", most), out;
    if (status == Z_BUF_ERROR) return out.wrong = "it is cut off", out;
    if (status != Z_OK && status != Z_STREAM_END) return out.wrong = "it is damaged", out;
  }
  return out;
}

uint32_t checksum_of(std::string_view text) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

}  // namespace planner::unpack
