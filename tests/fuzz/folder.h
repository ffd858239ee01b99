// A folder of this process, for readers that take files. run.sh clears it away.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace fuzz {

inline const std::filesystem::path& folder() {
  static const std::filesystem::path path = [] {
    std::filesystem::path made =
        std::filesystem::temp_directory_path() / ("trainplan-fuzz-" + std::to_string(getpid()));
    std::filesystem::create_directories(made);
    return made;
  }();
  return path;
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace fuzz
