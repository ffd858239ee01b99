// Pairs of a folder of tests/errors/: NAME.yaml holds mistakes, NAME.expected the messages about them.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace error_files {

inline std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The files with mistakes of the folder ("" or "scenario"), by name.
inline std::vector<std::filesystem::path> in(const std::string& folder) {
  std::set<std::filesystem::path> files;
  const auto root = std::filesystem::canonical(TRAINPLAN_SOURCE_DIR) / "tests/errors" / folder;
  for (const auto& entry : std::filesystem::directory_iterator(root))
    if (entry.path().extension() == ".yaml") files.insert(entry.path());
  return {files.begin(), files.end()};
}

inline std::filesystem::path expected(std::filesystem::path file) { return file.replace_extension(".expected"); }

inline void write(const std::filesystem::path& file, const std::string& messages) {
  std::ofstream(expected(file), std::ios::binary) << messages;
}

}  // namespace error_files
