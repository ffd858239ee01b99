// Everything that a search says, as text: two that print the same are the same to the last bit.
#pragma once

#include <string>

#include "planner/search/search.h"

namespace sample {

std::string text(const planner::SearchResult& result);

}  // namespace sample
