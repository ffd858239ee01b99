// Names in tables of runs are compared in small letters.
#pragma once

#include <algorithm>
#include <string>

#include "dsl/raw_text.h"

namespace planner {

inline std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), dsl::small);
  return text;
}

}  // namespace planner
