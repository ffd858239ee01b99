// Files that a command writes into a directory where they are not there yet.
#pragma once

#include <string>
#include <vector>

#include "dsl/diagnostic.h"

namespace cli {

struct NewFile {
  std::string name;  // below the directory: "software/nemo.yaml"
  std::string text;
};

/// Makes the directories and writes the files, all or none: what stands in the way is diagnosed before anything is
/// written.
void write_new_files(const std::string& directory, const std::vector<NewFile>& files, dsl::Diagnostics& diagnostics);

}  // namespace cli
