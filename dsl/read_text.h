// The bytes of files and streams: all of them as they were at one time, or none.
#pragma once

#include <istream>
#include <optional>
#include <string>

namespace dsl {

/// Returns the bytes of a stream, at most one more than `most`, so that the caller's limit is reported whatever the
/// size of the input; nullopt: it cannot be read.
std::optional<std::string> read_text(std::istream& in, size_t most);

/// Returns whether a path names a regular file, or one inside the program (dsl/embedded.h).
bool is_text_file(const std::string& path);

/// Returns the bytes of a file, a pipe or a device; nullopt on failure, with the reason in `why` ("no such file"). A
/// "example:NAME" is a file inside the program (dsl/embedded.h). A file that changes while it is read is refused: the
/// bytes read may never have been its content.
std::optional<std::string> read_file(const std::string& path, size_t most, std::string& why);

}  // namespace dsl
