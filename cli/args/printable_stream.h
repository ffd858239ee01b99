// A stream for people: what shows as no letter, in names and texts that come from elsewhere, leaves as '?'.
#pragma once

#include <ostream>
#include <streambuf>

namespace cli {

class PrintableStream : public std::ostream {
 public:
  /// Writes to `to`, at once. Lines stay lines.
  explicit PrintableStream(std::ostream& to) : std::ostream(&buffer_), buffer_(to) {}

 private:
  class Buffer : public std::streambuf {
   public:
    explicit Buffer(std::ostream& to) : to_(to) {}

   protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

   private:
    std::ostream& to_;
  };

  Buffer buffer_;
};

}  // namespace cli
