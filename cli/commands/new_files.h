// Files that a command writes into a directory where they are not there yet.
#pragma once

#include <string>
#include <vector>

#include "dsl/diagnostic.h"

namespace cli {

/// Names below a directory, "software/nemo.yaml", and texts.
using NewFiles = std::vector<std::pair<std::string, std::string>>;

/// Makes the directories and writes the files, all or none: what stands in the way is diagnosed before anything is
/// written.
void write_new_files(const std::string& directory, const NewFiles& files, dsl::Diagnostics& diagnostics);

}  // namespace cli
