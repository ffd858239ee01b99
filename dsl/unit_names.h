// What others call units, and which units a plain number may have been meant in: for hints.
#pragma once

#include <string>
#include <string_view>

#include "dsl/value.h"

namespace dsl {

/// The unit that `name` may stand for, as it is written here ("hours": h, "Gbps": Gb/s), or "". `in_rate`: a '/'
/// follows.
std::string meant_unit(std::string_view name, bool in_rate);
/// What `digits` of a unit that has no name here come to ("2" weeks: "14 d"), or "".
std::string in_known_unit(std::string_view digits, std::string_view name);

/// "write '80 GB' or '80 GiB'": `text` with the units that a figure of this dimension has most often. "" where there
/// is none.
std::string with_usual_units(std::string_view text, Dim dim);

/// "write '80 GB'": a figure that is written in bits, in bytes.
std::string as_bytes(std::string bits);

}  // namespace dsl
