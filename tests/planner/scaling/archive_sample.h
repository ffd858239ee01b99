// ZIP archives as Extra-P writes them, for tests of what reads them.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "planner/unpack/inflate.h"
#include "tests/planner/unpack/deflated.h"

namespace archive_sample {

struct Member {
  std::string name, text;
  bool deflated = false;
};

inline std::string number(size_t value, size_t bytes) {
  std::string out;
  for (size_t i = 0; i < bytes; ++i, value >>= 8) out += static_cast<char>(value & 0xFF);
  return out;
}

/// Numbers of four bytes, or of eight in an extra field (ZIP64), whatever they are.
enum class Numbers { plain, wide };

// An archive as PKWARE's APPNOTE describes it: local headers with their data, the central directory, its end.
inline std::string zip(const std::vector<Member>& members, size_t method_of_deflated = 8,
                       Numbers numbers = Numbers::plain) {
  const bool wide = numbers == Numbers::wide;
  const auto narrow = [&](size_t value) { return wide ? std::string(4, '\xFF') : number(value, 4); };
  std::string out, directory;
  for (const Member& member : members) {
    const std::string data = member.deflated ? deflated(member.text) : member.text;
    const std::string sizes = number(member.text.size(), 8) + number(data.size(), 8);
    const std::string shared = number(45, 2) + number(0, 2) + number(member.deflated ? method_of_deflated : 0, 2) +
                               number(0, 4) + number(planner::unpack::checksum_of(member.text), 4) +
                               narrow(data.size()) + narrow(member.text.size()) + number(member.name.size(), 2);
    // Behind another field, as some writers have them.
    const std::string other = number(0x5455, 2) + number(1, 2) + "x";
    const std::string extra = other + number(1, 2) + number(24, 2) + sizes + number(out.size(), 8);
    directory += "PK\1\2" + number(45, 2) + shared + number(wide ? extra.size() : 0, 2) + number(0, 10) +
                 narrow(out.size()) + member.name + (wide ? extra : "");
    out += "PK\3\4" + shared + number(wide ? 20 : 0, 2) + member.name +
           (wide ? number(1, 2) + number(16, 2) + sizes : "") + data;
  }
  const size_t at = out.size(), record = at + directory.size();
  out += directory;
  if (wide)
    out += "PK\6\6" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + number(members.size(), 8) +
           number(members.size(), 8) + number(directory.size(), 8) + number(at, 8) + "PK\6\7" + number(0, 4) +
           number(record, 8) + number(1, 4);
  const std::string count = wide ? "\xFF\xFF" : number(members.size(), 2);
  return out + "PK\5\6" + number(0, 4) + count + count + narrow(directory.size()) + narrow(at) + number(0, 2);
}

// An array in NumPy's format NPY 1.0.
inline std::string npy(const std::vector<double>& values, const std::string& kind = "<f8") {
  const std::string header =
      "{'descr': '" + kind + "', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }\n";
  std::string out = "\x93NUMPY" + std::string("\1\0", 2) + number(header.size(), 2) + header;
  for (const double value : values)
    out += kind == "<i8" ? number(static_cast<size_t>(value), 8) : number(std::bit_cast<uint64_t>(value), 8);
  return out;
}

// The two members that hold arrays.
inline std::vector<Member> stored_values(const std::vector<std::string>& arrays) {
  std::string index = std::string("Extra-P INDEX\0\0\0", 16) + number(arrays.size(), 8);
  std::string values("Extra-P VALUES\0\0", 16);
  for (const std::string& array : arrays) {
    index += number(values.size(), 8);
    values += array;
  }
  return {{"values/0.vals", values, true}, {"values/0.indx", index, true}};
}

}  // namespace archive_sample
