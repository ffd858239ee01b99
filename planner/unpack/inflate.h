// Unpacking of deflated bytes (RFC 1951), bare as in a ZIP archive or in the members of a gzip file (RFC 1952).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace planner::unpack {

enum class Packing { bare, gzip };

/// Supplies bytes in pieces, each valid until the next call; an empty piece: there are no more.
using Supply = std::function<std::string_view()>;

/// Unpacks piece by piece.
class Inflater {
 public:
  Inflater(Packing packing, Supply packed);
  ~Inflater();
  Inflater(const Inflater&) = delete;

  /// Writes between 1 and `most` bytes; returns how many. 0: the end, or a mistake.
  size_t read(char* to, size_t most);
  /// Returns "" or why there is not all of it ("it is cut off" ...).
  const char* wrong() const { return wrong_; }

 private:
  struct Stream;
  size_t fail(const char* wrong);
  std::unique_ptr<Stream> stream_;
  Packing packing_;
  Supply packed_;
  const char* wrong_ = "";
};

/// `text`: the unpacked content of all members; `wrong`: "" or why it is incomplete ("it is cut off" ...). Stops after
/// `most` bytes: a file that unpacks to more than it should costs no more memory.
struct Inflated {
  std::string text, wrong;
};
Inflated inflated(std::string_view packed, Packing packing, size_t most);

/// Returns the CRC-32 that both formats keep of a text.
uint32_t checksum_of(std::string_view text);

}  // namespace planner::unpack
