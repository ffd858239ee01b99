// The keys of torchtitan: one row each (torchtitan_table.cc).
#pragma once

#include "planner/import/settings.h"

namespace planner::torchtitan {

const KeyTable& key_table();

/// The default of a key.
struct Default {
  const char *key, *value;
};
std::span<const Default> defaults();

/// Returns the default of a key, or "".
const char* default_of(std::string_view key);

}  // namespace planner::torchtitan
