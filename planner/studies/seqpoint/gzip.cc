#include "planner/studies/seqpoint/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>

namespace planner::seqpoint {
namespace {

/// Ends its stream whatever happens.
struct Inflater {
  z_stream stream = {};
  bool open = inflateInit2(&stream, MAX_WBITS + 16) == Z_OK;  // + 16: with the header of gzip
  ~Inflater() {
    if (open) inflateEnd(&stream);
  }
};

/// "" or what is wrong.
std::string unpack(const std::string& bytes, size_t most, std::string& out) {
  Inflater inflater;
  if (!inflater.open) return "no memory to unpack it";
  z_stream& stream = inflater.stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::array<char, 1 << 16> part{};
  for (int status = Z_OK; status != Z_STREAM_END || stream.avail_in > 0;) {
    if (status == Z_STREAM_END) inflateReset(&stream);  // another member follows
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = part.size();
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(part.data(), part.size() - stream.avail_out);
    if (out.size() > most) return fmt::format("unpacked it is larger than {} bytes", most);
    if (status == Z_BUF_ERROR) return "it is cut off";
    if (status != Z_OK && status != Z_STREAM_END) return "it is damaged";
  }
  return "";
}

}  // namespace

bool is_gzip(const std::string& bytes) { return bytes.starts_with("\x1f\x8b"); }

std::optional<std::string> gunzip(const dsl::Source& file, dsl::Diagnostics& diagnostics, size_t most) {
  std::string out, wrong = is_gzip(file.text) ? unpack(file.text, most, out) : "it is not packed by gzip";
  if (wrong.empty()) return out;
  // Without a place: a line of it is no text to show.
  diagnostics.error({}, fmt::format("cannot read '{}': {}", file.name, wrong),
                    "`gzip -t` tests one; a text that is not packed is read too");
  return std::nullopt;
}

}  // namespace planner::seqpoint
