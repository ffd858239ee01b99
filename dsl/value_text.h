// Values as the language writes them.
#pragma once

#include <string>

#include "dsl/units.h"

namespace dsl {

/// The value as the language writes it, exactly: parsing the text gives the same
/// value back ("2039 GB/s", "300000000000", "true", "green", "[1, 2]").
std::string to_text(const Value& value);

}  // namespace dsl
