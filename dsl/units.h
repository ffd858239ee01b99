// Units, names of dimensions, the exact reading of numbers that carry units, and hints about both.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/value.h"

namespace dsl {

/// One unit: `x name` is x * 10^exponent * times in SI base units. The decimal part is kept
/// apart from the factor because it is appended to the digits before they are converted:
/// 2.039 TB is 2039000000000 bytes, not the neighbour that 2.039 * 1e12 rounds to.
struct KnownUnit {
  std::string_view name;
  Dim dim;
  int exponent = 0;
  double times = 1;  // a whole number or a power of two
  bool is_bits() const { return dim == kData && name.ends_with('b'); }
};

std::span<const KnownUnit> units();
const KnownUnit* find_unit(std::string_view name);

/// A unit or a quotient of two.
struct Scale {
  std::string name;
  Dim dim;
  int exponent = 0;
  double times = 1, over = 1;
};
/// "GB", "GB/s"; false where it is neither a unit nor a quotient of two.
bool find_scale(std::string_view name, Scale& scale);

/// The quantity at the start of a text: a number with or without a unit.
struct Scanned {
  size_t length = 0;  // bytes taken; 0: no number there
  Number number;
  size_t problem_at = 0;  // with `problem`: its position
  size_t problem_length = 0;
  std::string problem, hint;
};
Scanned scan_number(std::string_view text);

/// The double nearest to digits * 10^exponent, times / over; false where it is out of range.
bool convert_digits(std::string_view digits, int exponent, double times, double over, double& out);

/// A base dimension of `Dim`, with its own name and unit.
struct BaseDim {
  signed char Dim::*exponent;
  const char *name, *unit;
};
std::span<const BaseDim> base_dims();

/// "time", "bytes", "bytes per second", ... and units a writer may use: "s, ms, us, ns, min, h or d".
std::string dim_name(Dim dim);
std::string dim_units(Dim dim);
/// The scales that `to_text` chooses from and `dim_units` lists, usual ones first.
std::vector<Scale> usual_scales(Dim dim);

// ---- hints

/// Returns the unit that `name` may mean, spelt as here ("hours": h, "Gbps": Gb/s), or "". `in_rate`: a '/' follows.
std::string meant_unit(std::string_view name, bool in_rate);
/// The value of `digits` of an unknown unit ("2" weeks: "14 d"), or "".
std::string in_known_unit(std::string_view digits, std::string_view name);

/// "write '80 GB' or '80 GiB'": `text` with the most common units of this dimension. "" if there are none.
std::string with_usual_units(std::string_view text, Dim dim);

/// "write '80 GB'": a figure that is written in bits, in bytes.
std::string as_bytes(std::string bits);

}  // namespace dsl
