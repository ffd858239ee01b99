// Files inside the program: "example:NAME" names one wherever a path may stand.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dsl {

/// `path`: below the root of all such files, "questions/launch.sh".
struct EmbeddedFile {
  std::string_view path, text;
};

inline constexpr std::string_view kEmbedded = "example:";

/// Makes files readable as "example:PATH". Call once, before the first is read; `files` must outlive all reads.
void embed_files(std::span<const EmbeddedFile> files);

/// Whether a path names such a file, there or not.
inline bool is_embedded(std::string_view path) { return path.starts_with(kEmbedded); }

/// Returns null if no file has the name: its path, with or without its ending, or the last part of it that no other
/// file has; of a folder, the config.json in it.
const EmbeddedFile* find_embedded(std::string_view path);

/// Returns "example:/FOLDER": names in a file are relative to it.
std::string embedded_folder(const EmbeddedFile& file);

}  // namespace dsl
