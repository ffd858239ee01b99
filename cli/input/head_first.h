// A stream of which the first bytes are looked at before someone reads it from its begin.
#pragma once

#include <istream>
#include <streambuf>
#include <string>

namespace cli {

class HeadFirst : private std::streambuf {
 public:
  /// It outlives this.
  explicit HeadFirst(std::istream& from) : from_(from), stream_(this) {}

  /// Returns up to so many bytes, which the stream then gives once more.
  std::string head(size_t bytes) {
    take(bytes);
    return {gptr(), egptr()};
  }
  std::istream& stream() { return stream_; }

 private:
  static constexpr size_t kPiece = size_t{1} << 16;

  void take(size_t bytes) {
    piece_.resize(bytes);
    from_.read(piece_.data(), static_cast<std::streamsize>(bytes));
    setg(piece_.data(), piece_.data(), piece_.data() + from_.gcount());
  }
  int_type underflow() override {
    if (gptr() == egptr()) take(kPiece);
    return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
  }

  std::istream& from_;
  std::string piece_;
  std::istream stream_;
};

}  // namespace cli
