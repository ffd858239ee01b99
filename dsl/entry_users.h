// Which entries of a catalogue pull in a certain other one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsl/catalog.h"

namespace dsl {

/// An entry by its kind and name.
struct EntryName {
  std::string_view kind, name;
};

/// Names of the entries of `kind` whose `use` at `path` ("drive.lens") pulls in `used`. The `use` may be in their own
/// file or in one that they extend. Entries whose names contain all words of `said` come first.
std::vector<std::string> entry_users(const Catalog& catalog, std::string_view kind, std::string_view path,
                                     const EntryName& used, std::string_view said, Sources& sources);

}  // namespace dsl
