// `trainplan calibrate --kit DIR`: the scripts that measure a machine (operator_models/kit), embedded in the binary.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/input/session.h"

namespace cli {

struct KitFile {
  std::string_view name, text;  // "measure.py" and its content
};
std::span<const KitFile> kit_files();

/// Writes the kit into `directory`, which is made if it is not there, and prints the commands that measure and that
/// calibrate from the result. kInvalidInput, with the reason in the session's diagnostics and no file written, where
/// the directory cannot be made or holds a file of the kit already.
int write_kit(const std::string& directory, Streams& streams, Session& session);

}  // namespace cli
