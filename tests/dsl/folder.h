// A folder of files that is gone when the test ends.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

struct TestFolder {
  std::filesystem::path path;

  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "trainplan-test-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path); }
  TestFolder(const TestFolder&) = delete;

  /// Writes the file, with the folders above it; its full path.
  std::string add(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
  std::string name() const { return path.string(); }
};
