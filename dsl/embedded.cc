#include "dsl/embedded.h"

#include <filesystem>

namespace dsl {
namespace {

namespace fs = std::filesystem;

std::span<const EmbeddedFile>& all_files() {
  static std::span<const EmbeddedFile> files;
  return files;
}

/// The only file that a name fits; null: none, or several.
template <class Fits> const EmbeddedFile* only_file(Fits fits) {
  const EmbeddedFile* found = nullptr;
  for (const EmbeddedFile& file : all_files()) {
    if (!fits(fs::path(file.path))) continue;
    if (found) return nullptr;
    found = &file;
  }
  return found;
}

}  // namespace

void embed_files(std::span<const EmbeddedFile> files) { all_files() = files; }

const EmbeddedFile* find_embedded(std::string_view path) {
  if (!is_embedded(path)) return nullptr;
  path.remove_prefix(kEmbedded.size());
  const std::string name = fs::path("/" + std::string(path)).lexically_normal().string().substr(1);
  if (name.empty()) return nullptr;
  for (const char* ending : {"", ".yaml", "/config.json"})
    if (const EmbeddedFile* file = only_file([&](const fs::path& at) { return at == name + ending; })) return file;
  if (path.starts_with('/')) return nullptr;  // a path from the root, not a name
  if (const EmbeddedFile* file = only_file([&](const fs::path& at) { return at.filename() == name; })) return file;
  return only_file([&](const fs::path& at) { return at.stem() == name; });
}

std::string embedded_folder(const EmbeddedFile& file) {
  return std::string(kEmbedded) + "/" + fs::path(file.path).parent_path().string();
}

}  // namespace dsl
