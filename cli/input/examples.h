// The examples inside the program: scenarios, and small inputs of other commands.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dsl/embedded.h"

namespace cli {

/// Defined by cmake/embed_files.cmake, sorted by path.
std::span<const dsl::EmbeddedFile> example_files();

/// Returns the words of a command line, "example:NAME" with the ending of its file: some commands go by it.
std::vector<std::string> with_example_endings(std::vector<std::string> words);

/// Returns the shortest name of a file behind "example:".
std::string example_name(const dsl::EmbeddedFile& file);

}  // namespace cli
