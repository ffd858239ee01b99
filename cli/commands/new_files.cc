#include "cli/commands/new_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace cli {
namespace {

namespace fs = std::filesystem;

void make_directory(const fs::path& directory, dsl::Diagnostics& diagnostics) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (!error && fs::is_directory(directory, error)) return;
  const std::string why = error ? error.message() : "it is a file";
  diagnostics.error({}, fmt::format("cannot make the directory '{}': {}", directory.string(), why));
}

void check_free(const fs::path& path, dsl::Diagnostics& diagnostics) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error)))
    diagnostics.error({}, fmt::format("'{}' is there already", path.string()),
                      "give a new directory, or remove the file");
}

void write(const fs::path& path, const std::string& text, dsl::Diagnostics& diagnostics) {
  std::ofstream out(path, std::ios::binary);
  if (out.write(text.data(), static_cast<std::streamsize>(text.size())).flush()) return;
  diagnostics.error({}, fmt::format("cannot write '{}'", path.string()));
}

}  // namespace

void write_new_files(const std::string& directory, const NewFiles& files, dsl::Diagnostics& diagnostics) {
  const fs::path root = directory;
  make_directory(root, diagnostics);
  if (diagnostics.has_errors()) return;
  for (const auto& [name, text] : files) check_free(root / name, diagnostics);
  for (const auto& [name, text] : files) {
    if (!diagnostics.has_errors() && (root / name).parent_path() != root)
      make_directory((root / name).parent_path(), diagnostics);
    if (!diagnostics.has_errors()) write(root / name, text, diagnostics);
  }
}

}  // namespace cli
