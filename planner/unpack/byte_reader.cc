#include "planner/unpack/byte_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "planner/unpack/gzip.h"

namespace planner::unpack {

ByteReader::ByteReader(Supply bytes) : bytes_(std::move(bytes)) {
  while (head_.size() < 2) {
    const std::string_view more = bytes_();
    if (more.empty()) break;
    head_ += more;
  }
  piece_ = head_;
  if (is_gzip(head_))
    inflater_.emplace(Packing::gzip, [this] { return piece_.empty() ? bytes_() : std::exchange(piece_, {}); });
}

std::string_view ByteReader::peek(size_t bytes) {
  std::string head(bytes, '\0');
  size_t got = 0;
  for (size_t more = 1; got < bytes && more > 0; got += more) more = read(head.data() + got, bytes - got);
  head.resize(got);
  peeked_ = std::move(head);
  return peeked_;
}

size_t ByteReader::read(char* to, size_t most) {
  if (reread_ < peeked_.size()) {
    const size_t taken = peeked_.copy(to, most, reread_);
    reread_ += taken;
    return taken;
  }
  if (inflater_) return inflater_->read(to, most);
  if (piece_.empty()) piece_ = bytes_();
  const size_t taken = std::min(most, piece_.size());
  std::memcpy(to, piece_.data(), taken);
  piece_.remove_prefix(taken);
  return taken;
}

Supply bytes_of(int descriptor, std::string& wrong) {
  constexpr size_t kPiece = size_t{1} << 18;
  return [descriptor, &wrong, buffer = std::vector<char>(kPiece)]() mutable -> std::string_view {
    ssize_t got = -1;
    do got = read(descriptor, buffer.data(), buffer.size());
    while (got < 0 && errno == EINTR);
    if (got < 0) wrong = std::strerror(errno);
    return {buffer.data(), static_cast<size_t>(std::max<ssize_t>(got, 0))};
  };
}

}  // namespace planner::unpack
