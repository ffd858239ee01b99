// Bytes packed by deflate, for tests of what unpacks them.
#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

/// Windows of `bits`: negative for bare data, 16 more for the header of gzip.
inline std::string deflated(const std::string& text, int bits = -MAX_WBITS) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream stream = {};
  if (deflateInit2(&stream, 9, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("deflate");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string gzipped(const std::string& text) { return deflated(text, MAX_WBITS + 16); }
