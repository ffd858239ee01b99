// Unpacking of deflated bytes (RFC 1951), bare as in a ZIP archive or in the members of a gzip file (RFC 1952).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace planner::unpack {

enum class Packing { bare, gzip };

/// `text` is what was packed, of all members; `wrong`: "" or why it is not all of it ("it is cut off" ...). Stops
/// behind `most` bytes: what unpacks to more than it should costs no more memory.
struct Inflated {
  std::string text, wrong;
};
Inflated inflated(std::string_view packed, Packing packing, size_t most);

/// Returns the CRC-32 that both formats keep of a text.
uint32_t checksum_of(std::string_view text);

}  // namespace planner::unpack
