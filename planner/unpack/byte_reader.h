// The bytes of a file in pieces, unpacked if it is packed by gzip. Memory does not depend on the size of the file.
#pragma once

#include <optional>
#include <string>

#include "planner/unpack/inflate.h"

namespace planner::unpack {

class ByteReader {
 public:
  explicit ByteReader(Supply bytes);

  /// Writes between 1 and `most` bytes; returns how many. 0: the end, or a mistake.
  size_t read(char* to, size_t most);
  /// Returns the first `bytes` bytes, or all; they are read again. REQUIRES: nothing was read.
  std::string_view peek(size_t bytes);
  /// Whether the bytes were packed.
  bool is_packed() const { return inflater_.has_value(); }
  /// Returns "" or why there is not all of it.
  const char* wrong() const { return inflater_ ? inflater_->wrong() : ""; }

 private:
  Supply bytes_;
  std::string_view piece_;
  std::string head_;  // the first bytes, which show whether it is packed
  std::string peeked_;
  size_t reread_ = 0;  // bytes of it that were read again
  std::optional<Inflater> inflater_;
};

/// Returns a supply of the bytes of an open file (a POSIX descriptor, which stays open). `wrong`: a mistake while
/// reading, which ends the bytes.
Supply bytes_of(int descriptor, std::string& wrong);

}  // namespace planner::unpack
